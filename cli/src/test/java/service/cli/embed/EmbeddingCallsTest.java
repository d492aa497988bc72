package service.cli.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.cli.boot.Engine;
import service.cli.boot.ServiceConfig;
import service.cli.embed.EmbeddingCalls.Outcome;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.Embedder;
import service.core.port.EmbeddingSource;
import service.core.port.QueryExecutor;

final class EmbeddingCallsTest {
    private static final String KEY = "sk-0123";

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> bodies = Collections.synchronizedList(new ArrayList<>());
    private final List<@Nullable String> keys = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch held = new CountDownLatch(1);
    private final Engine engine = Engine.of(ServiceConfig.DEFAULTS);
    private HttpServer provider;
    private volatile String answer = "";
    private volatile int status = 200;
    private volatile boolean holds;

    @BeforeEach
    void serve() throws IOException {
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.setExecutor(threads);
        provider.createContext("/v1/embeddings", this::answer);
        provider.createContext("/elsewhere", this::answer);
        provider.start();
    }

    @AfterEach
    void stop() {
        held.countDown();
        provider.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        keys.add(exchange.getRequestHeaders().getFirst("Authorization"));
        if (holds) {
            try {
                held.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Location", "/elsewhere");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private EmbeddingSource source() {
        return new EmbeddingSource(
                "default",
                EmbeddingSource.Kind.OPENAI_COMPATIBLE,
                "http://127.0.0.1:" + provider.getAddress().getPort() + "/v1",
                "bge-small",
                "EMBED_KEY",
                0);
    }

    private EmbeddingCalls calls(long timeoutMillis) {
        return new EmbeddingCalls(Map.of("EMBED_KEY", KEY)::get, timeoutMillis);
    }

    private QueryExecutor.Limits limits(RequestBudget budget, int timeoutMillis) {
        return new QueryExecutor.Limits(
                0, System.nanoTime() + timeoutMillis * 1_000_000L, timeoutMillis, 1L << 40, 1L << 40, budget);
    }

    private List<float[]> embed(Embedder embedder, String... texts) {
        try (RequestBudget budget = engine.process().open(() -> false)) {
            return embedder.embed(List.of(texts), 2, limits(budget, 60_000));
        }
    }

    @Test
    void asksOnceForEachTextWithModelAndKey() {
        answer = """
                {"data":[{"index":1,"embedding":[0.5,-1]},{"index":0,"embedding":[1e0,2]}],"usage":{}}""";
        EmbeddingCalls calls = calls(60_000);
        Embedder embedder = calls.of(source());
        assertThat(embed(embedder, "a \"b\"", "", "a \"b\""))
                .containsExactly(new float[] {1, 2}, new float[] {0.5f, -1}, new float[] {1, 2});
        assertThat(bodies).containsExactly("{\"model\":\"bge-small\",\"input\":[\"a \\\"b\\\"\",\"\"]}");
        assertThat(keys).containsExactly("Bearer " + KEY);
        assertThat(embed(embedder, "")).containsExactly(new float[] {0.5f, -1});
        assertThat(bodies).hasSize(1);
        assertThat(calls.count(Outcome.OK)).isEqualTo(1);
        assertThat(calls.count(Outcome.CACHED)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "500 | oops secret | answered 500",
                "401 | {}          | answered 401",
                "429 | {}          | answered 429, so it has too many requests",
                "302 | {}          | answered 302",
                "200 | oops secret | answered something else than JSON",
                "200 | {}          | answered other vectors than those asked for",
                "200 | {\"data\":[]} | answered other vectors than those asked for",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[1,2]},{\"index\":0,\"embedding\":[1,2]}]} | answered other vectors",
                "200 | {\"data\":[{\"index\":1,\"embedding\":[1,2]}]} | answered other vectors",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[1]}]} | answered a vector of 1 dimensions, not 2",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[1,\"x\"]}]} | answered a vector with something else than a number",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[\"1\",\"2\"]}]} | answered a vector with something else than a number",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[1,true]}]} | answered a vector with something else than a number",
                "200 | {\"data\":[{\"index\":0,\"embedding\":{\"a\":1,\"b\":2}}]} | answered a vector with something else than a number",
                "200 | {\"data\":[{\"index\":\"0\",\"embedding\":[1,2]}]} | answered other vectors than those asked for",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[0,-0.0]}]} | answered a vector of length 0",
                "200 | {\"data\":[{\"index\":0,\"embedding\":[1,1e39]}]} | answered a vector with something else than a number",
            })
    void anUnusableAnswerIsUnavailableAndRepeatsNothing(int given, String body, String why) {
        status = given;
        answer = body;
        EmbeddingCalls calls = calls(60_000);
        assertUnavailable(calls, why);
        assertThat(calls.count(Outcome.FAILED)).isEqualTo(1);
        assertThat(bodies).hasSize(1);
    }

    @Test
    void anAnswerThatDoesNotEndIsCutOff() {
        answer = "x".repeat(1 << 20);
        assertUnavailable(calls(60_000), "answered more than the vectors");
    }

    @Test
    void aProviderThatIsNotThereIsUnavailable() {
        EmbeddingSource source = source();
        provider.stop(0);
        assertThatExceptionOfType(ServiceException.class)
                .isThrownBy(() -> embed(calls(60_000).of(source), "text"))
                .withMessageContaining("`default` cannot be reached");
    }

    private void assertUnavailable(EmbeddingCalls calls, String why) {
        assertThatExceptionOfType(ServiceException.class)
                .isThrownBy(() -> embed(calls.of(source()), "text"))
                .satisfies(refusal -> {
                    assertThat(refusal.code()).isEqualTo(ErrorCode.EMBEDDING_UNAVAILABLE);
                    assertThat(refusal.getMessage())
                            .contains("`default` " + why)
                            .doesNotContain(KEY)
                            .doesNotContain("secret");
                });
    }

    @Test
    void waitsForTheProviderNoLongerThanForTheRequestOrItsClient() {
        holds = true;
        assertUnavailable(calls(10), "has not answered within 10 ms");
        EmbeddingCalls calls = calls(60_000);
        Embedder embedder = calls.of(source());
        try (RequestBudget budget = engine.process().open(() -> false)) {
            assertThatExceptionOfType(ServiceException.class)
                    .isThrownBy(() -> embedder.embed(List.of("text"), 2, limits(budget, 5)))
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
        }
        AtomicBoolean gone = new AtomicBoolean();
        try (RequestBudget budget = engine.process().open(gone::get)) {
            Future<?> call = threads.submit(() -> embedder.embed(List.of("text"), 2, limits(budget, 60_000)));
            Awaitility.await().until(() -> bodies.size() == 3);
            gone.set(true);
            assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
                    .isThrownBy(call::get)
                    .withCauseInstanceOf(CancellationException.class);
        }
    }

    @Test
    void atMostEightCallsAreOutAndFewMoreWait() throws Exception {
        holds = true;
        answer = "{\"data\":[{\"index\":0,\"embedding\":[1,2]}]}";
        EmbeddingCalls calls = calls(60_000);
        Embedder embedder = calls.of(source());
        List<Future<List<float[]>>> running = new ArrayList<>();
        int most = EmbeddingCalls.CALLS_MAX + EmbeddingCalls.WAITING_MAX;
        for (int i = 0; i < most + 5; i++) {
            String text = "text " + i;
            running.add(threads.submit(() -> embed(embedder, text)));
        }
        Awaitility.await().until(() -> calls.count(Outcome.REFUSED) == 5 && bodies.size() == EmbeddingCalls.CALLS_MAX);
        held.countDown();
        int answered = 0;
        for (Future<List<float[]>> call : running) {
            try {
                call.get();
                answered++;
            } catch (java.util.concurrent.ExecutionException refused) {
                assertThat(refused).hasMessageContaining("has too many calls waiting");
            }
        }
        assertThat(answered).isEqualTo(most);
    }

    @Test
    void aKeyThatIsNotSetIsNamed() {
        EmbeddingCalls calls = new EmbeddingCalls(Map.of("EMBED_KEY", " ")::get, 60_000);
        assertThat(calls.missingKey(source())).isEqualTo("EMBED_KEY");
        assertThatExceptionOfType(ServiceException.class)
                .isThrownBy(() -> embed(calls.of(source()), "text"))
                .withMessageContaining("EMBED_KEY");
        assertThat(bodies).isEmpty();
    }

    @Test
    void mockVectorsAreUnitVectorsOfTheText() {
        EmbeddingSource mock = new EmbeddingSource("trial", EmbeddingSource.Kind.MOCK, null, "mock", null, 2);
        List<float[]> vectors = embed(calls(1_000).of(mock), "a", "b", "a");
        assertThat(vectors.get(0)).isEqualTo(vectors.get(2)).isNotEqualTo(vectors.get(1));
        assertThat(Math.hypot(vectors.get(0)[0], vectors.get(0)[1])).isBetween(0.999999, 1.000001);
    }
}
