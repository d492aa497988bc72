package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.TestGraph;
import service.projection.table.ProjectionTable;
import service.projection.table.RecordTable;
import service.projection.table.TableAccess;

/**
 * What an earlier version left when it was killed in a cleanup: it deleted the entry of a deletion before the older
 * entries that it hides, so that the tables show the entity again.
 */
final class EarlierSweepTest {
    private static final int PHASE_AT = 4;
    private static final int PHASE_EARLIER = 1;

    @TempDir
    private Path folder;

    private Path graph;

    @BeforeEach
    void make() {
        graph = folder.resolve("graph");
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(graph, TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            commit(storage, change("ada", null, image("ada")), change("bob", null, image("bob")));
            commit(storage, change("ada", image("ada"), null));
            commit(storage, change("cy", null, image("cy")));
        }
    }

    private static Image image(String name) {
        return Image.ofNode(PropertyRow.of(Map.of(SmallGraph.NAME, new Value.Text(name))));
    }

    private static EntityChange change(
            String id,
            @org.jspecify.annotations.Nullable Image before,
            @org.jspecify.annotations.Nullable Image after) {
        return new EntityChange(EntityKind.NODE, SmallGraph.PERSON, id, before, after);
    }

    private static void commit(LmdbGraphStorage storage, EntityChange... changes) {
        SmallGraph.commit(storage.log(), SmallGraph.branch(storage, "main"), List.of(changes));
    }

    /** Sets the marks of a cleanup that keeps the head, and deletes the entry that says that ada is deleted. */
    private void kill(boolean earlier) {
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(graph, TestGraph.options())) {
            Branch main = SmallGraph.branch(storage, "main");
            Retention marked = Retention.NONE.marked(new long[] {main.headOffset()}, Map.of());
            storage.events().retain(earlier ? ofAnEarlierVersion(marked) : marked);
            try (WriteTransaction write = storage.environment().environment().write()) {
                TableAccess access = storage.environment().access(write);
                KeyBuffer key = access.key();
                RecordTable.member(key, SmallGraph.PERSON, 0);
                access.delete(ProjectionTable.RECORDS, key.putInt(~0).putLong(~(main.headOffset() - 1)));
                access.end();
                write.commit();
            }
            assertThat(people(storage)).as("the state that it left").isEqualTo(3);
        }
    }

    private static Retention ofAnEarlierVersion(Retention retention) {
        byte[] bytes = retention.encode();
        int end = bytes.length - Integer.BYTES;
        ByteBuffer buffer =
                ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(PHASE_AT, PHASE_EARLIER);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, end);
        buffer.putInt(end, (int) crc.getValue());
        Retention read = Retention.decode(bytes);
        assertThat(read.encode()).isEqualTo(bytes);
        return read;
    }

    private static int people(LmdbGraphStorage storage) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(
                        Objects.requireNonNull(session.branch("main")).headPoint())) {
            return (int) List.of("ada", "bob", "cy").stream()
                    .filter(name -> view.lookup(SmallGraph.PERSON, name) >= 0)
                    .count();
        }
    }

    private List<String> findings() {
        return GraphVerification.run(graph, TestGraph.options(), folder).findings();
    }

    private void isCleanedUp() {
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(graph, TestGraph.options())) {
            assertThat(people(storage)).isEqualTo(2);
            storage.cleanup().resume(Duration.ZERO);
            assertThat(storage.events().retention().phase()).isEqualTo(Retention.Phase.DONE);
            assertThat(people(storage)).isEqualTo(2);
        }
        assertThat(findings()).isEmpty();
    }

    @Test
    void verifyNamesItAndRebuildMendsIt() {
        kill(true);
        assertThat(findings())
                .containsExactly(
                        "table records has an entry of node Person `ada` that the log does not make: run rebuild");
        LmdbGraphStorage.rebuild(graph, TestGraph.options(), offset -> {});
        assertThat(findings()).isEmpty();
        isCleanedUp();
    }

    @Test
    void theNextVersionThatOpensItMakesTheTablesAgain() {
        kill(true);
        isCleanedUp();
    }

    /** The events that would tell have lost their changes. */
    @Test
    void whatTheEarlierVersionFinishedIsCounted() {
        kill(false);
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(graph, TestGraph.options())) {
            storage.cleanup().resume(Duration.ZERO);
        }
        assertThat(findings())
                .singleElement()
                .asString()
                .startsWith("main shows 3 nodes Person and counts 2")
                .contains("Restore a backup");
    }
}
