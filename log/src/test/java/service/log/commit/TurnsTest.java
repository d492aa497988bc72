package service.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;

/** Servers with eight clients each, in simulated time, beside a store that takes about a thousand ticks a request. */
final class TurnsTest {
    private static final long LONG = 1_000_000;

    /**
     * How many groups of others a server that waits for its turn sees at most, when all requests take about as long.
     */
    private static final int OTHERS_MAX = Turns.GROUPS;

    /** The same until its first turn beside one that does not know of it: until a poll, and for a few turns. */
    private static final long FIRST_OTHERS_MAX = SimulatedServers.POLL / SimulatedServers.REQUEST + 5 * OTHERS_MAX;

    /** What a server does that writes without another one. */
    private static SimulatedServers.Server alone(long seed, double spread) {
        SimulatedServers servers = new SimulatedServers(seed, spread);
        SimulatedServers.Server server = servers.join(0);
        servers.run(LONG);
        return server;
    }

    @Test
    void oneThatIsAloneLeavesNoTurns(@Seed long seed) {
        SimulatedServers.Server server = alone(seed, 0);
        assertThat(server.offers()).isZero();
        assertThat(server.median()).isLessThanOrEqualTo(1_300);
    }

    /** The bound of a wait, the time of a commit, and the sum, wherever in a request the store decides. */
    @Test
    void twoBusyOnesAlternate(@Seed long seed) {
        for (int run = 0; run < 20; run++) {
            SimulatedServers servers = new SimulatedServers(seed + run, 0.2);
            SimulatedServers.Server one = servers.join(0);
            SimulatedServers.Server other = servers.join(20_000 + 137 * run);
            servers.run(300_000);
            assertThat(other.waitedFirst()).isLessThanOrEqualTo(FIRST_OTHERS_MAX);
            servers.forgetFirst();
            servers.run(LONG);
            for (SimulatedServers.Server server : new SimulatedServers.Server[] {one, other}) {
                assertThat(server.othersMax()).as("run %d", run).isLessThanOrEqualTo(OTHERS_MAX);
                assertThat(server.median()).isLessThanOrEqualTo(3_000);
            }
            assertThat(servers.commitsPerTick())
                    .as("run %d", run)
                    .isGreaterThanOrEqualTo(0.7 * alone(seed, 0.2).commits() / LONG);
        }
    }

    /** Requests of very different length: a turn may be missed, and the next one comes soon. */
    @Test
    void neitherStarvesBesideAStoreOfAnySpeed(@Seed long seed) {
        for (int run = 0; run < 20; run++) {
            SimulatedServers servers = new SimulatedServers(seed + run, 3);
            SimulatedServers.Server one = servers.join(0);
            SimulatedServers.Server other = servers.join(0);
            servers.run(300_000);
            servers.forgetFirst();
            servers.run(2 * LONG);
            assertThat(Math.min(one.commits(), other.commits()))
                    .as("run %d: %d and %d", run, one.commits(), other.commits())
                    .isGreaterThan((one.commits() + other.commits()) / 4);
        }
    }

    @Test
    void threeShareToo(@Seed long seed) {
        SimulatedServers servers = new SimulatedServers(seed, 0.2);
        for (int i = 0; i < 3; i++) {
            servers.join(0);
        }
        servers.run(300_000);
        servers.forgetFirst();
        servers.run(2 * LONG);
        for (SimulatedServers.Server server : servers.all()) {
            assertThat(server.commits()).as("of %d", servers.commits()).isGreaterThan(servers.commits() / 9);
        }
    }

    @Test
    void oneThatStopsIsForgotten(@Seed long seed) {
        SimulatedServers servers = new SimulatedServers(seed, 0.2);
        SimulatedServers.Server one = servers.join(0);
        SimulatedServers.Server other = servers.join(0);
        servers.run(300_000);
        other.stop();
        servers.run(320_000);
        long offers = one.offers();
        servers.run(420_000);
        assertThat(one.offers() - offers).isLessThanOrEqualTo(Turns.UNUSED_MAX + 1);
    }
}
