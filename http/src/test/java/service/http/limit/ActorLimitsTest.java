package service.http.limit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The limits of what one actor may have in flight. */
final class ActorLimitsTest {
    private final Admission admission = new Admission(Limits.DEFAULTS, false);

    @Test
    void sixteenWritesOfEachActorAreTaken() {
        for (int i = 0; i < 16; i++) {
            assertThat(admission.beginWrite("ada", 1)).isTrue();
        }
        assertThat(admission.beginWrite("ada", 1)).isFalse();
        assertThat(admission.beginWrite("bob", 1)).isTrue();
        admission.endWrite("ada", 1);
        assertThat(admission.beginWrite("ada", 1)).isTrue();
        assertThat(admission.beginWrite("ada", 1)).isFalse();
    }

    @Test
    void callersWithoutANameCountOnlyWhereALimitIsSet() {
        assertThat(admission.countsNameless()).isFalse();
        assertThat(new Admission(Limits.DEFAULTS.with(Limit.PER_ACTOR_INFLIGHT_MAX, 16), false).countsNameless())
                .isTrue();
    }

    @Test
    void bodiesCountAgainstTheActorWhetherAnnouncedOrChunked() {
        long max = 256L << 20;
        assertThat(admission.beginWrite("ada", max + 1)).isFalse();
        assertThat(admission.beginWrite("ada", max - 10)).isTrue();
        assertThat(admission.beginWrite("ada", 0)).isTrue();
        assertThat(admission.growWrite("ada", 10)).isTrue();
        assertThat(admission.growWrite("ada", 1)).isFalse();
        assertThat(admission.beginWrite("ada", 1)).isFalse();
        admission.endWrite("ada", max - 10);
        assertThat(admission.growWrite("ada", max - 10)).isTrue();
        admission.endWrite("ada", max);
        assertThat(admission.beginWrite("ada", max)).isTrue();
    }
}
