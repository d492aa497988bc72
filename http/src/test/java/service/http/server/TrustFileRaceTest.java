package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.policy.Permissions;
import service.core.testkit.Seed;
import service.core.testkit.TokenIssuer;
import service.http.auth.BearerCredentials;
import service.http.auth.token.SignedTokens;

/**
 * Replaces the OIDC trust file again and again beside requests, on a clock that the test sets. Invariant: a request is
 * answered with 200 or 401, and with 200 only before the deadline of the last valid file that was published.
 */
final class TrustFileRaceTest {
    private static final int REPLACEMENTS = 200;
    private static final int CLIENTS = 3;
    private static final long START = 1_795_225_000L;
    private static final TokenIssuer PROVIDER = TokenIssuer.rs256();

    /** The present time, in seconds since 1970. */
    private final AtomicLong now = new AtomicLong(START);

    /** When the last valid file expires; raised before the file is there. */
    private final AtomicLong deadline = new AtomicLong(START + 300);

    /** One permit for each answer, so that there are answers between two replacements. */
    private final Semaphore answered = new Semaphore(0);

    private final AtomicBoolean ended = new AtomicBoolean();
    private long revision = 1;

    @TempDir
    Path folder;

    @Test
    void noRequestFailsAndNoneIsAdmittedPastADeadline(@Seed long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Path file = folder.resolve("trust.json");
        Files.writeString(file, PROVIDER.oidcTrust(revision, START).toString());
        InstantSource clock = () -> Instant.ofEpochSecond(now.get());
        SignedTokens tokens = SignedTokens.read(null, file.toString(), clock, 10);
        try (TestServer server = new TestServer(
                        new BearerCredentials(null, tokens), (credential, graph) -> Permissions.OnEveryBranch.ALL);
                ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<int[]>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Callable<int[]> client = () -> ask(server);
                running.add(clients.submit(client));
            }
            try {
                for (int i = 0; i < REPLACEMENTS; i++) {
                    replace(file, random.nextInt(5) == 0 ? content(random) : wrong(random));
                    tokens.refresh();
                    assertThat(answered.tryAcquire(1, TimeUnit.MINUTES))
                            .as("a client is alive")
                            .isTrue();
                    now.addAndGet(random.nextInt(60));
                }
            } finally {
                now.set(deadline.get());
                ended.set(true);
            }
            int[] answers = new int[2];
            for (Future<int[]> each : running) {
                int[] some = each.get();
                answers[0] += some[0];
                answers[1] += some[1];
            }
            assertThat(answers[0]).as("admitted requests").isPositive();
            assertThat(answers[1]).as("refused requests").isPositive();
        }
    }

    private void replace(Path file, String content) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), content);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The next valid file. */
    private String content(SplittableRandom random) {
        revision += 1 + random.nextInt(3);
        ObjectNode trust = PROVIDER.oidcTrust(revision, now.get());
        deadline.accumulateAndGet(now.get() + 300, Math::max);
        return trust.toString();
    }

    /** A file that would admit for longer if it were taken. */
    private String wrong(SplittableRandom random) {
        ObjectNode trust = PROVIDER.oidcTrust(revision + 1, now.get());
        switch (random.nextInt(6)) {
            case 0 -> trust.put("revision", revision).put("expires_at", now.get() + 299);
            case 1 -> trust.put("revision", revision - 1);
            case 2 -> trust.put("expires_at", now.get() + 3_000);
            case 3 -> trust.put("issuer", "https://other.example");
            case 4 -> {
                return trust.toString().substring(0, 200);
            }
            default -> {
                return "";
            }
        }
        return trust.toString();
    }

    /** Asks until the end; returns the numbers of admitted and of refused requests. */
    private int[] ask(TestServer server) throws IOException {
        int[] answers = new int[2];
        try (RawConnection connection = server.connect()) {
            for (boolean last = false; !last; ) {
                last = ended.get();
                long before = now.get();
                String token = PROVIDER.sign(TokenIssuer.accessClaims(PROVIDER.oidcTrust(1, before), before));
                connection.send(
                        "GET /test/large HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n");
                int status = connection.read().status();
                assertThat(status).isIn(200, 401);
                if (status == 200) {
                    assertThat(before).isLessThan(deadline.get());
                }
                answers[status == 200 ? 0 : 1]++;
                answered.release();
            }
        }
        return answers;
    }
}
