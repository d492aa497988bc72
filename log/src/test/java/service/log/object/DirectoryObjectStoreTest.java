package service.log.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.testkit.ObjectStoreContract;
import service.log.ChildJvm;

/** The contract over a directory, the files that it makes, and writers in two processes. */
final class DirectoryObjectStoreTest extends ObjectStoreContract {
    /** Few, because each waits for the disk twice. */
    private static final int ROUNDS = 10;

    @TempDir
    Path root;

    @Override
    protected ObjectStore store() {
        return new DirectoryObjectStore(root);
    }

    /** Leaves the unfinished file of a writer that was killed in the middle of it. */
    @Override
    protected void cutWrite(String key, byte[] bytes) throws IOException {
        Path file = root.resolve(key + ".new");
        Files.createDirectories(file.getParent());
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length / 2));
    }

    @Override
    protected ObjectStore afterCrash() {
        return store();
    }

    @Test
    void keysArePathsAndNothingElseRemains() throws IOException {
        store().putIfAbsent("__cluster/state.json", new byte[] {1});
        StoredObject state = Objects.requireNonNull(store().get("__cluster/state.json"));
        store().putIfMatch("__cluster/state.json", state.version(), new byte[] {2});
        assertThat(Files.readAllBytes(root.resolve("__cluster/state.json"))).containsExactly(2);
        try (var files = Files.walk(root)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> root.relativize(file).toString()))
                    .containsExactlyInAnyOrder("__cluster/state.json", "__cluster/lock.turn");
        }
        assertThat(store().location()).isEqualTo("file://" + root.toRealPath());
    }

    /**
     * A process that is killed while it writes leaves the last object that it announced, or the one after it, whole.
     */
    @Test
    void aKilledWriterLeavesWholeObjectsAndNoLock() throws Exception {
        for (int round = 0; round < 3; round++) {
            int announced = 0;
            try (ChildJvm child = ChildJvm.start(Counter.class, root.toString())) {
                for (int i = 0; i < 5; i++) {
                    announced = Integer.parseInt(child.await("wrote "));
                }
                child.kill();
            }
            int found = Counter.read(Objects.requireNonNull(store().get("counter")));
            assertThat(found).isGreaterThanOrEqualTo(announced);
            Counter.addOne(store());
            assertThat(Counter.read(Objects.requireNonNull(store().get("counter"))))
                    .isEqualTo(found + 1);
        }
    }

    /** Two processes count in one object; every increment is in the result. */
    @Test
    void writersOfTwoProcessesExcludeEachOther() throws Exception {
        int mine = 0;
        int theirs = 0;
        try (ChildJvm child = ChildJvm.start(Counter.class, root.toString(), String.valueOf(ROUNDS))) {
            while (theirs < ROUNDS) {
                Counter.addOne(store());
                mine++;
                child.await("wrote ");
                theirs++;
            }
        }
        assertThat(Counter.read(Objects.requireNonNull(store().get("counter")))).isEqualTo(mine + theirs);
    }

    /** Adds one to an object of 64 KiB that repeats its number, and prints each number that it has made durable. */
    static final class Counter {
        private static final int LINES = 8_192;

        private Counter() {}

        public static void main(String[] arguments) {
            ObjectStore store = new DirectoryObjectStore(Path.of(arguments[0]));
            int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : Integer.MAX_VALUE;
            for (int round = 0; round < rounds; round++) {
                System.out.println("wrote " + addOne(store));
            }
        }

        static int addOne(ObjectStore store) {
            while (true) {
                StoredObject present = store.get("counter");
                int next = present == null ? 1 : read(present) + 1;
                byte[] bytes = "%07d\n".formatted(next).repeat(LINES).getBytes(StandardCharsets.UTF_8);
                if (present == null
                        ? store.putIfAbsent("counter", bytes)
                        : store.putIfMatch("counter", present.version(), bytes)) {
                    return next;
                }
            }
        }

        /** The number; fails when the object is not whole. */
        static int read(StoredObject counter) {
            String text = new String(counter.bytes(), StandardCharsets.UTF_8);
            String line = text.substring(0, 8);
            assertThat(text.equals(line.repeat(LINES)))
                    .as("the object is whole")
                    .isTrue();
            return Integer.parseInt(line.strip());
        }
    }
}
