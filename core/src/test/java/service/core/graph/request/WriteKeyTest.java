package service.core.graph.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.error.ServiceException;
import service.core.graph.TestGraph;
import service.core.json.Json;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.WriteCommand;

/** How long keys are remembered, and which requests are the same. */
class WriteKeyTest {
    private static final long DAY = TimeUnit.DAYS.toMicros(1);

    private final TestGraph test = new TestGraph();

    @AfterEach
    void close() {
        test.close();
    }

    private static RequestDigest request(String json) {
        return new RequestDigest("test").add(tree(json));
    }

    private static ObjectNode tree(String json) {
        return Json.readObject(json.getBytes(StandardCharsets.UTF_8), "the test");
    }

    private static WriteTerms terms(String key) {
        return new WriteTerms("test", Caller.unrestricted("ada"), new WriteOptions(null, key, null));
    }

    /** Receipts of a text. */
    private static final class Texts implements Receipts<String> {
        @Override
        public ObjectNode write(String result) {
            return Json.object().put("text", result);
        }

        @Override
        public String read(GraphSession session, WriteKey.First first) {
            return first.receipt().path("text").asText() + " by " + first.actor();
        }
    }

    private static @Nullable WriteKey<String> key(String key, String request) {
        return WriteKey.of(terms(key), request(request), new Texts());
    }

    private long remember(String key) {
        WriteKey<String> named = key(key, "{}");
        test.storage
                .submit(session -> WriteKey.unchanged(named, Targets.main(session), "done"))
                .join();
        try (GraphSession session = test.storage.session()) {
            return session.outline(session.appliedOffset()).timeMicros();
        }
    }

    private WriteKey.@Nullable First find(long nowMicros, String key) {
        try (GraphSession session = test.storage.session()) {
            return WriteKey.find(session, nowMicros, "ada", key);
        }
    }

    @Test
    void aKeyIsForgottenWhenItIsOldInTimeAndInCommits() {
        long then = remember("k");
        long many = WriteKey.REMEMBERED_COMMITS + 1;
        test.storage.commitsSince = many;
        assertThat(find(then + DAY, "k")).isNotNull();
        assertThat(find(then + DAY + 1, "k")).isNull();
        test.storage.commitsSince = many - 1;
        assertThat(find(then + 100 * DAY, "k")).isNotNull();
        assertThat(find(then, "other")).isNull();
        try (GraphSession session = test.storage.session()) {
            assertThat(WriteKey.find(session, then, "bob", "k")).isNull();
            assertThat(WriteKey.find(session, then, null, "k")).isNull();
        }
    }

    @Test
    void theSameRequestIsTheSameWhateverTheOrderOfItsMembers() {
        byte[] digest = request("{\"a\":1,\"b\":[{\"c\":null,\"d\":\"x\"}]}").bytes();
        assertThat(request("{\"b\":[{\"d\":\"x\",\"c\":null}],\"a\":1}").bytes())
                .isEqualTo(digest);
        for (String other : new String[] {
            "{\"a\":1,\"b\":[{\"c\":null,\"d\":\"y\"}]}",
            "{\"a\":\"1\",\"b\":[{\"c\":null,\"d\":\"x\"}]}",
            "{\"a\":1,\"b\":[{\"d\":\"x\"}]}",
            "{\"a\":1,\"b\":{\"c\":null,\"d\":\"x\"}}",
            "{}"
        }) {
            assertThat(request(other).bytes()).as(other).isNotEqualTo(digest);
        }
        assertThat(new RequestDigest("test").add("a").add("bc").bytes())
                .isNotEqualTo(new RequestDigest("test").add("ab").add("c").bytes());
        assertThat(new RequestDigest("test").add((String) null).bytes())
                .isNotEqualTo(new RequestDigest("test").add("").bytes());
    }

    @Test
    void anotherRequestUnderTheKeyIsAConflict() {
        long then = remember("k");
        try (GraphSession session = test.storage.session()) {
            assertThat(WriteKey.replayed(key("k", "{}"), session, then)).isEqualTo("done by ada");
        }
        WriteKey<String> other = key("k", "{\"a\":1}");
        WriteCommand<String> command = session -> {
            WriteKey.replayed(other, session, then);
            return new WriteCommand.Decision.Nothing<>("not reached");
        };
        assertThatThrownBy(() -> test.storage.submit(command).join())
                .hasCauseInstanceOf(ServiceException.class)
                .hasMessageContaining("`k`");
    }
}
