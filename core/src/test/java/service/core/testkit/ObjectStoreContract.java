package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;

/** The contract of {@link ObjectStore}. */
public abstract class ObjectStoreContract {
    private static final int THREADS = 4;
    private static final int ROUNDS = 8;

    /** A client of the root under test; each call may return another one, which sees the same objects. */
    protected abstract ObjectStore store();

    /** Begins to write an object and stops, as a crash does, before the write is durable. */
    protected abstract void cutWrite(String key, byte[] bytes) throws Exception;

    /** The store that the next process finds after a crash of the machine. */
    protected abstract ObjectStore afterCrash() throws Exception;

    /** Whether the server under test compares and replaces in one step. S3 does; a server for tests may not. */
    protected boolean matchIsAtomic() {
        return true;
    }

    /** The size of the largest object that the tests write. */
    protected int largestBytes() {
        return ObjectStore.OBJECT_BYTES_MAX;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ObjectStore store, String key) {
        StoredObject found = store.get(key);
        return found == null ? "none" : new String(found.bytes(), StandardCharsets.UTF_8);
    }

    private String version(String key) {
        return Objects.requireNonNull(store().get(key)).version();
    }

    @Test
    void onlyTheFirstPutIfAbsentCreates() {
        assertThat(store().get("a/b.json")).isNull();
        assertThat(store().putIfAbsent("a/b.json", bytes("one"))).isTrue();
        assertThat(store().putIfAbsent("a/b.json", bytes("two"))).isFalse();
        assertThat(text(store(), "a/b.json")).isEqualTo("one");
    }

    @Test
    void putIfMatchReplacesOnlyTheVersionThatWasRead() {
        assertThat(store().putIfMatch("k", "v", bytes("none"))).isFalse();
        store().putIfAbsent("k", bytes("one"));
        String first = version("k");
        assertThat(store().putIfMatch("k", first, bytes("two"))).isTrue();
        assertThat(version("k")).isNotEqualTo(first);
        assertThat(store().putIfMatch("k", first, bytes("three"))).isFalse();
        assertThat(text(store(), "k")).isEqualTo("two");
        String second = version("k");
        store().delete("k");
        assertThat(store().putIfMatch("k", second, bytes("four"))).isFalse();
        assertThat(store().get("k")).isNull();
    }

    @Test
    void aLargeObjectIsStreamedFromAnyPosition() throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(7).nextBytes(bytes);
        assertThat(store().read("large", 0)).isNull();
        assertThat(store().putIfAbsent("large", content(bytes))).isTrue();
        assertThat(store().putIfAbsent("large", content(new byte[1]))).isFalse();
        for (int from : new int[] {0, 1, 65_536, bytes.length - 1, bytes.length}) {
            try (InputStream read = Objects.requireNonNull(store().read("large", from))) {
                assertThat(read.readAllBytes()).isEqualTo(Arrays.copyOfRange(bytes, from, bytes.length));
            }
        }
        assertThat(Objects.requireNonNull(store().get("large")).bytes()).isEqualTo(bytes);
        assertThat(store().putIfAbsent("empty", content(new byte[0]))).isTrue();
        assertThat(text(store(), "empty")).isEmpty();
    }

    private static ObjectStore.Content content(byte[] bytes) {
        return new ObjectStore.Content() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    @Test
    void aDeletedKeyCanBeCreatedAgain() {
        store().delete("k");
        store().putIfAbsent("k", bytes("one"));
        store().delete("k");
        assertThat(store().get("k")).isNull();
        assertThat(store().list("", "", 10)).isEmpty();
        assertThat(store().putIfAbsent("k", new byte[0])).isTrue();
        assertThat(text(store(), "k")).isEmpty();
    }

    @Test
    void severalObjectsAreDeletedAtOnce() {
        List.of("a", "b/1", "b/2", "c").forEach(key -> store().putIfAbsent(key, bytes(key)));
        store().deleteAll(List.of("b/2", "none", "a"));
        assertThat(store().list("", "", 10)).containsExactly("b/1", "c");
        store().deleteAll(List.of());
        store().deleteAll(List.of("b/1", "c"));
        assertThat(store().list("", "", 10)).isEmpty();
        assertThatThrownBy(() -> store().deleteAll(Collections.nCopies(ObjectStore.DELETE_KEYS_MAX + 1, "k")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keysAreListedInOrderPageByPage() {
        List<String> keys = List.of("a-b", "a/1", "a/10", "a/2/x", "b");
        keys.reversed().forEach(key -> store().putIfAbsent(key, bytes(key)));
        assertThat(store().list("", "", 10)).isEqualTo(keys);
        assertThat(store().list("a/1", "", 10)).containsExactly("a/1", "a/10");
        assertThat(store().list("a/", "a/1", 1)).containsExactly("a/10");
        assertThat(store().list("a/", "a/10", 1)).containsExactly("a/2/x");
        assertThat(store().list("a/", "a/2/x", 1)).isEmpty();
        assertThat(store().list("c/d/", "", 10)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/a", "a/", "a//b", "..", "a/../b", "a/./b", "a\\b", "a b", "ä", "a.new", "a.new/b"})
    void keysThatNoStoreCanHaveAreRefused(String key) {
        for (Runnable call : List.<Runnable>of(
                () -> store().get(key),
                () -> store().read(key, 0),
                () -> store().putIfAbsent(key, bytes("x")),
                () -> store().putIfMatch(key, "v", bytes("x")),
                () -> store().delete(key),
                () -> store().deleteAll(List.of("sound", key)))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("`" + key + "`");
        }
    }

    @Test
    void anObjectHasAtMostTheBytesOfTheLimit() {
        byte[] most = new byte[largestBytes()];
        assertThat(store().putIfAbsent("most", most)).isTrue();
        assertThat(Objects.requireNonNull(store().get("most")).bytes()).hasSize(most.length);
        assertThatThrownBy(() -> store().putIfAbsent("more", new byte[ObjectStore.OBJECT_BYTES_MAX + 1]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more has");
    }

    @Test
    void whatAWriteReturnedForSurvivesACrash() throws Exception {
        store().putIfAbsent("deep/er/created", bytes("one"));
        store().putIfAbsent("replaced", bytes("one"));
        store().putIfMatch("replaced", version("replaced"), bytes("two"));
        store().putIfAbsent("deleted", bytes("one"));
        store().delete("deleted");
        ObjectStore after = afterCrash();
        assertThat(after.list("", "", 10)).containsExactly("deep/er/created", "replaced");
        assertThat(text(after, "deep/er/created")).isEqualTo("one");
        assertThat(text(after, "replaced")).isEqualTo("two");
    }

    @Test
    void aWriteThatACrashCutOffLeavesTheOldObject() throws Exception {
        store().putIfAbsent("old", bytes("one"));
        cutWrite("old", bytes("two"));
        cutWrite("a/fresh", bytes("one"));
        ObjectStore after = afterCrash();
        assertThat(after.list("", "", 10)).containsExactly("old");
        assertThat(text(after, "old")).isEqualTo("one");
        assertThat(after.putIfAbsent("a/fresh", bytes("again"))).isTrue();
        assertThat(text(after, "a/fresh")).isEqualTo("again");
        StoredObject old = Objects.requireNonNull(after.get("old"));
        assertThat(after.putIfMatch("old", old.version(), bytes("again"))).isTrue();
        assertThat(text(after, "old")).isEqualTo("again");
    }

    /** Each thread adds one to a counter until its replacement succeeds: no increment is lost. */
    @Test
    void concurrentWritersLoseNothing() throws Exception {
        CountDownLatch start = new CountDownLatch(THREADS);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Long>> created = Stream.generate(() -> threads.submit(() -> {
                        start.countDown();
                        start.await();
                        return IntStream.range(0, ROUNDS)
                                .filter(round -> {
                                    if (matchIsAtomic()) {
                                        addOne();
                                    }
                                    return store().putIfAbsent("once/" + round, bytes("x"));
                                })
                                .count();
                    }))
                    .limit(THREADS)
                    .toList();
            long sum = 0;
            for (Future<Long> one : created) {
                sum += one.get();
            }
            assertThat(sum).isEqualTo(ROUNDS);
        }
        assertThat(text(store(), "counter")).isEqualTo(matchIsAtomic() ? String.valueOf(THREADS * ROUNDS) : "none");
    }

    private void addOne() {
        while (true) {
            StoredObject present = store().get("counter");
            if (present == null) {
                store().putIfAbsent("counter", bytes("0"));
                continue;
            }
            int value = Integer.parseInt(new String(present.bytes(), StandardCharsets.UTF_8));
            if (store().putIfMatch("counter", present.version(), bytes(String.valueOf(value + 1)))) {
                return;
            }
        }
    }
}
