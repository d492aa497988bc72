package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.graph.GraphAccess;
import service.core.graph.request.ReadTarget;
import service.core.json.Int64Form;
import service.core.port.RetentionPolicy;
import service.core.port.WriteCommand;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.projection.TestEngine;

/** The files do not grow while a reader of an export stalls and others write and clean up. */
class StalledReaderTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("node Note { text: String? }");
    private static final EntityType NOTE = java.util.Objects.requireNonNull(CATALOG.node("Note"));
    private static final int ROUNDS = 10;
    private static final int COMMITS_A_ROUND = 20;
    private static final int TEXT_CHARS = 16 << 10;

    @TempDir
    Path directory;

    private final Random random = new Random(1);
    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private @Nullable Image last;
    private long before;
    private long after;

    @Test
    void freedPagesAreUsedAgainWhileAReaderStalls() throws IOException {
        SchemaChange schema = TestEngine.schema(CATALOG);
        StorageOptions options =
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0);
        storage = LmdbGraphStorage.create(directory.resolve("graph"), options, schema, "tester");
        try {
            graph = TestEngine.graph(storage);
            for (int i = 0; i < 30; i++) {
                put("still" + i, null);
            }
            graph.createBranch("still", "main", null).join();
            long records = exported();
            assertThat(records).isEqualTo(30);
            assertThat(before).isPositive();
            assertThat(after)
                    .as("bytes after %d rounds, %d before them", ROUNDS, before)
                    .isLessThan(2 * before);
        } finally {
            storage.close();
        }
    }

    /** Exports {@code still}; after its first bytes the reader stalls until many writes are done. */
    private long exported() {
        long[] lines = new long[1];
        graph.export(
                new ReadTarget.AtBranch("still"), List.of(), Int64Form.NUMBER, TestEngine.ample(), new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new UnsupportedOperationException("one byte at a time");
                    }

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        if (lines[0] == 0) {
                            stall();
                        }
                        for (int i = offset; i < offset + length; i++) {
                            lines[0] += bytes[i] == '\n' ? 1 : 0;
                        }
                    }
                });
        return lines[0];
    }

    private void stall() {
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < COMMITS_A_ROUND; i++) {
                last = put("busy", last);
            }
            storage.cleanup().run(new RetentionPolicy(1L, null), Duration.ZERO);
            before = round == 2 ? bytes() : before;
        }
        after = bytes();
    }

    private Image put(String id, @Nullable Image was) {
        StringBuilder text = new StringBuilder();
        while (text.length() < TEXT_CHARS) {
            text.append(Long.toHexString(random.nextLong()));
        }
        int property = NOTE.properties().getFirst().identity();
        Image is = Image.ofNode(PropertyRow.of(Map.of(property, new Value.Text(text.toString()))));
        SmallGraph.write(
                storage.log(),
                new WriteCommand.Draft.Commit(
                        CommitKind.MUTATION,
                        SmallGraph.branch(storage, "main"),
                        null,
                        Origin.of("tester"),
                        null,
                        null,
                        ChangeBlock.of(List.of(new EntityChange(EntityKind.NODE, NOTE.identity(), id, was, is)))));
        return is;
    }

    private long bytes() {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".zst"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
