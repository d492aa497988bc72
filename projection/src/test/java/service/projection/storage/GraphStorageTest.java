package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.*;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.IdempotencyKey;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Draft;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.projection.TestGraph;

class GraphStorageTest {
    @TempDir
    Path temporary;

    private Path directory;
    private final StorageOptions options = TestGraph.options();

    @BeforeEach
    void name() {
        directory = temporary.resolve("graph");
    }

    private LmdbGraphStorage create() {
        return LmdbGraphStorage.create(directory, options, SCHEMA, "tester");
    }

    private static EntityChange person(String id, long age) {
        Image after = Image.ofNode(PropertyRow.of(Map.of(NAME, new Value.Text(id), AGE, new Value.Int(age))));
        return new EntityChange(EntityKind.NODE, PERSON, id, null, after);
    }

    private static List<EntityChange> people(String prefix, int n) {
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            changes.add(person(prefix + i, i % 50));
        }
        return changes;
    }

    private static Branch main(GraphStorage storage) {
        try (GraphSession session = storage.session()) {
            return java.util.Objects.requireNonNull(session.branch("main"));
        }
    }

    private static long count(GraphStorage storage) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(main(storage).headPoint())) {
            return view.count(PERSON);
        }
    }

    private static void assertSound(Path directory, StorageOptions options, Path scratch) {
        GraphVerification.Report report = GraphVerification.run(directory, options, scratch);
        assertThat(report.findings()).isEmpty();
        assertThat(report.applied()).isEqualTo(report.events() - 1);
    }

    @Test
    void genesisIsTheFirstCommitOfMain() {
        try (LmdbGraphStorage storage = create();
                GraphSession session = storage.session()) {
            Branch main = main(storage);
            assertThat(main.historyLength()).isEqualTo(1);
            assertThat(session.appliedOffset()).isZero();
            assertThat(session.header(session.history(0, 0)).kind()).isEqualTo(CommitKind.GENESIS);
            assertThat(session.position(main.head())).isEqualTo(new service.core.port.CommitPosition(0, 0));
            assertThatThrownBy(() -> LmdbGraphStorage.open(directory, options))
                    .isInstanceOfSatisfying(
                            ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
        }
    }

    @Test
    void aWriteSessionSeesTheCommandsBeforeIt() throws Exception {
        try (LmdbGraphStorage storage = create()) {
            Branch main = main(storage);
            List<java.util.concurrent.CompletableFuture<Long>> seen = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                int n = i;
                seen.add(storage.log().submit(session -> {
                    Branch head = java.util.Objects.requireNonNull(session.branch("main"));
                    long before;
                    try (GraphView view = session.view(head.headPoint())) {
                        before = view.count(PERSON);
                        assertThat(view.lookup(PERSON, "p" + (n - 1))).isEqualTo(n - 1);
                    }
                    return new WriteCommand.Decision.Append<>(
                            new Draft.Commit(
                                    CommitKind.MUTATION,
                                    head,
                                    null,
                                    Origin.NONE,
                                    null,
                                    null,
                                    ChangeBlock.of(List.of(person("p" + n, n)))),
                            any -> before);
                }));
            }
            for (int i = 0; i < 20; i++) {
                assertThat(seen.get(i).get(10, TimeUnit.SECONDS)).isEqualTo(i);
            }
            assertThat(main.historyLength()).isEqualTo(1);
            assertThat(main(storage).historyLength()).isEqualTo(21);
        }
    }

    @Test
    void aKeyIsRememberedAndAFastForwardExtendsTheHistory() {
        try (LmdbGraphStorage storage = create()) {
            byte[] digest = new byte[32];
            digest[0] = 7;
            write(
                    storage.log(),
                    new Draft.Remember(main(storage), Origin.of("ada"), new IdempotencyKey("k", digest, "{}")));
            write(storage.log(), new Draft.CreateBranch("side", main(storage), Origin.NONE));
            Branch side;
            try (GraphSession session = storage.session()) {
                side = java.util.Objects.requireNonNull(session.branch("side"));
            }
            for (int i = 0; i < 3; i++) {
                Event event = commit(storage.log(), side, List.of(person("s" + i, i)));
                assertThat(event.offset()).isEqualTo(3 + i);
            }
            try (GraphSession session = storage.session()) {
                side = java.util.Objects.requireNonNull(session.branch("side"));
            }
            ChangeBlock net = ChangeBlock.of(List.of(person("s0", 0), person("s1", 1), person("s2", 2)));
            write(storage.log(), new Draft.FastForward(main(storage), side, Origin.NONE, null, net));
            try (GraphSession session = storage.session()) {
                Branch main = main(storage);
                assertThat(main.head()).isEqualTo(side.head());
                assertThat(main.historyLength()).isEqualTo(4);
                assertThat(List.of(
                                session.history(0, 0),
                                session.history(0, 1),
                                session.history(0, 2),
                                session.history(0, 3)))
                        .containsExactly(0L, 3L, 4L, 5L);
                assertThat(session.history(side.incarnation(), 0)).isZero();
                assertThat(java.util.Objects.requireNonNull(session.remembered("ada", "k"))
                                .requestDigest())
                        .isEqualTo(digest);
                assertThat(session.remembered(null, "k")).isNull();
                assertThat(session.remembered("ada", "other")).isNull();
            }
        }
    }

    @Test
    void tablesFilledByASortedLoadEqualTheirReplay() {
        try (LmdbGraphStorage storage = create()) {
            commit(storage.log(), main(storage), people("p", 5_000));
            commit(storage.log(), main(storage), people("q", 3));
            assertThat(count(storage)).isEqualTo(5_003);
            List<String> findings = new ArrayList<>();
            GraphVerification.compare(storage.events(), storage.environment(), options, temporary, findings);
            assertThat(findings).isEmpty();
            assertThat(storage.statistics().entities()).containsEntry("Person", 5_003L);
        }
    }

    @Test
    void verifyFindsAChangedTable() {
        try (LmdbGraphStorage storage = create()) {
            commit(storage.log(), main(storage), people("p", 3));
        }
        assertSound(directory, options, temporary);
        try (var tables = service.projection.table.ProjectionEnvironment.open(
                        directory.resolve(LmdbGraphStorage.PROJECTION),
                        options.projection(),
                        service.log.lmdb.CommitHook.NONE);
                var write = tables.environment().write()) {
            var access = tables.access(write);
            var key = access.key().putInt(PERSON).putInt(0);
            access.delete(service.projection.table.ProjectionTable.ORDINALS, key);
            write.commit();
        }
        assertThat(GraphVerification.run(directory, options, temporary).findings())
                .singleElement()
                .asString()
                .contains("ordinals");
        LmdbGraphStorage.rebuild(directory, options, offset -> {});
        assertSound(directory, options, temporary);
    }

    @Test
    void tablesOfAnotherBootAreRebuiltFromTheCheckpoint() throws IOException {
        StorageOptions first = options.withBoot(() -> "boot-1");
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(directory, first, SCHEMA, null)) {
            commit(storage.log(), main(storage), people("p", 10));
            storage.checkpoint();
            commit(storage.log(), main(storage), people("q", 10));
            copyAsIfKilled(directory, temporary.resolve("copy"));
        }
        Path copy = temporary.resolve("copy");
        damage(copy.resolve(LmdbGraphStorage.PROJECTION).resolve("data.mdb"));
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(copy, options.withBoot(() -> "boot-2"))) {
            assertThat(count(storage)).isEqualTo(20);
        }
        assertSound(copy, options, temporary);
    }

    /** LMDB reports pages that it did not write by several codes, and every step after the first one by another. */
    @Test
    void pagesThatAreZeroedUnderAnOpenGraphAreDamage() throws IOException {
        try (LmdbGraphStorage storage = create()) {
            commit(storage.log(), main(storage), people("p", 3_000));
            Branch main = main(storage);
            Path tables = directory.resolve(LmdbGraphStorage.PROJECTION).resolve("data.mdb");
            byte[] sound = Files.readAllBytes(tables);
            int from = 16 << 10;
            List<RuntimeException> failures = new ArrayList<>();
            try (FileChannel file = FileChannel.open(tables, StandardOpenOption.WRITE)) {
                file.write(ByteBuffer.allocate(sound.length - from), from);
                for (Consumer<GraphSession> read : List.<Consumer<GraphSession>>of(
                        GraphSession::branches,
                        session -> session.branch("main"),
                        session -> session.branch("other"),
                        session -> session.position(main.head()),
                        session -> session.history(main.incarnation(), 0),
                        session -> session.branchNamesAround("m", 3))) {
                    try (GraphSession session = storage.session()) {
                        read.accept(session);
                    } catch (RuntimeException e) {
                        failures.add(e);
                    }
                }
                file.write(ByteBuffer.wrap(sound, from, sound.length - from), from);
            }
            assertThat(failures).isNotEmpty();
            assertThat(failures)
                    .allSatisfy(e -> assertThat(storage.damageIn(e)).as("%s", e).contains("damaged"));
            assertThat(count(storage)).isEqualTo(3_000);
        }
    }

    @Test
    void aDamagedCheckpointIsIgnored() throws IOException {
        StorageOptions first = options.withBoot(() -> "boot-1");
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(directory, first, SCHEMA, null)) {
            commit(storage.log(), main(storage), people("p", 10));
            storage.checkpoint();
            copyAsIfKilled(directory, temporary.resolve("copy"));
        }
        Path copy = temporary.resolve("copy");
        try (Stream<Path> files = Files.list(copy.resolve(Checkpoints.DIRECTORY))) {
            damage(files.findFirst().orElseThrow());
        }
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(copy, options.withBoot(() -> "boot-2"))) {
            assertThat(count(storage)).isEqualTo(10);
        }
    }

    @Test
    void checkpointsAreMadeInTheBackgroundAndOlderOnesRemoved() {
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory, options.withCheckpointEvents(5), SCHEMA, null)) {
            for (int i = 0; i < 30; i++) {
                commit(storage.log(), main(storage), List.of(person("p" + i, i)));
            }
            Checkpoints checkpoints = new Checkpoints(directory);
            org.awaitility.Awaitility.await()
                    .untilAsserted(() -> assertThat(checkpoints.newestOffset()).isGreaterThanOrEqualTo(5));
        }
        assertThat(new Checkpoints(directory).newestOffset()).isGreaterThanOrEqualTo(5);
        assertThat(directory.resolve(Checkpoints.DIRECTORY)).isDirectoryContaining("glob:**.zst");
        try (Stream<Path> files = Files.list(directory.resolve(Checkpoints.DIRECTORY))) {
            assertThat(files.filter(file -> file.toString().endsWith(".zst"))).hasSize(1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void anInsertBeyondTheOrdinalsOfItsTypeIsRefused() {
        try (LmdbGraphStorage storage = LmdbGraphStorage.create(directory, options.withOrdinalsMax(5), SCHEMA, null)) {
            commit(storage.log(), main(storage), people("p", 4));
            assertThatThrownBy(() -> commit(storage.log(), main(storage), people("q", 2)))
                    .hasMessageContaining("type `Person` has had 5 entities, deleted ones included")
                    .hasMessageContaining("`service rebuild`")
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
            assertThat(count(storage)).isEqualTo(4);
            commit(storage.log(), main(storage), people("r", 1));
            assertThat(count(storage)).isEqualTo(5);
        }
        assertSound(directory, options, temporary);
    }

    @Test
    void aSecondProcessReadsWhileTheFirstWrites() throws Exception {
        try (LmdbGraphStorage storage = create()) {
            commit(storage.log(), main(storage), people("p", 4));
            assertThat(ChildJvm.run(Reader.class, directory.toString())).contains("people 4");
            commit(storage.log(), main(storage), people("q", 4));
            assertThat(count(storage)).isEqualTo(8);
        }
    }

    /** Run in a separate process. */
    public static final class Reader {
        private Reader() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] arguments) {
            try (ReadOnlyGraphStorage storage = ReadOnlyGraphStorage.open(Path.of(arguments[0]), TestGraph.options())) {
                System.out.println("people " + count(storage));
            }
        }
    }

    @Test
    void aKilledProcessLeavesTablesThatAreTrustedAndCaughtUp() throws Exception {
        create().close();
        Process killed = ChildJvm.start(Committer.class, directory.toString());
        List<String> acknowledged = new ArrayList<>();
        try (var output = killed.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                acknowledged.add(line);
                if (acknowledged.size() == 200) {
                    killed.toHandle().destroyForcibly();
                }
            }
        }
        killed.waitFor();
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(200);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory, options);
                GraphSession session = storage.session();
                GraphView view = session.view(main(storage).headPoint())) {
            for (String id : acknowledged) {
                assertThat(view.lookup(PERSON, id)).as(id).isNotNegative();
            }
        }
        assertSound(directory, options, temporary);
    }

    /** Run in a separate process: writes until it is killed, and prints each acknowledged commit. */
    public static final class Committer {
        private Committer() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] arguments) {
            LmdbGraphStorage storage = LmdbGraphStorage.open(Path.of(arguments[0]), TestGraph.options());
            for (int i = 0; i < 1_000_000; i++) {
                commit(storage.log(), GraphStorageTest.main(storage), List.of(person("p" + i, i)));
                System.out.println("p" + i);
            }
        }
    }

    /** Copies the files of an open graph: the state in which a process killed now leaves them. */
    static void copyAsIfKilled(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void damage(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 8_192; i < bytes.length; i += 512) {
            bytes[i] ^= 0x5A;
        }
        Files.write(file, bytes);
    }
}
