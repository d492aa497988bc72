package service.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** The number of files, and the bound of the rows that they hold together. */
final class ChangeTablesTest {
    private static final int TYPES = 65;
    private static final int HELD = 1 << 16;
    private static final Catalog CATALOG = SchemaCompiler.compile(IntStream.range(0, TYPES)
            .mapToObj(i -> "node T" + i + " { text: String? }\n")
            .collect(Collectors.joining()));

    private static ChangeTables into(ExportPlace place, long heldBytesMax) {
        return new ChangeTables(
                place,
                TableExport.Format.parquet,
                CATALOG,
                (blob, change, property, commit) -> "no blob",
                heldBytesMax);
    }

    private static JsonNode block(int type, String text) {
        ObjectNode block = Json.object();
        block.putObject("cause").put("graph_commit_id", "c").put("authored_at", "2026-01-01T00:00:00Z");
        ObjectNode change = block.putArray("changes").addObject();
        change.put("kind", "node").put("id", "x").put("op", "insert");
        change.putObject("type").put("name", "T" + type);
        change.putObject("after").putObject("properties").put("text", text);
        return block;
    }

    @Test
    void typesThatTakeTurnsHaveOneFileEach(@TempDir Path folder) throws IOException {
        try (ExportPlace place = ExportPlace.directory(folder.resolve("out"));
                ChangeTables tables = into(place, 1 << 20)) {
            for (int turn = 0; turn < 3; turn++) {
                for (int i = 0; i < TYPES; i++) {
                    tables.take(block(i, "a"), 1L);
                }
            }
            assertThat(tables.files()).isEmpty();
            tables.finish(List.of());
            assertThat(tables.files())
                    .hasSize(TYPES)
                    .allMatch(file -> file.path("rows").asInt() == 3);
        }
    }

    /** A turn is over the bound, so that each file is written in pieces. */
    @Test
    void rowsAreWrittenWhenTheFilesHoldTooMany(@TempDir Path folder) throws IOException {
        byte[] bytes = new byte[3 << 9];
        Path out = folder.resolve("out");
        Map<String, List<String>> given = new HashMap<>();
        try (ExportPlace place = ExportPlace.directory(out);
                ChangeTables tables = into(place, HELD)) {
            Random random = new Random(1);
            int taken = 0;
            for (int turn = 0; turn < 3; turn++) {
                for (int i = 0; i < TYPES; i++) {
                    random.nextBytes(bytes);
                    String text = Base64.getEncoder().encodeToString(bytes); // 2 KiB
                    given.computeIfAbsent("T" + i, type -> new ArrayList<>()).add(text);
                    tables.take(block(i, text), 1L);
                    taken += bytes.length;
                    assertThat(written(out)).isGreaterThan(taken - HELD);
                }
                assertThat(written(out)).isLessThan(2L * taken);
            }
            tables.finish(List.of());
            for (JsonNode file : tables.files()) {
                assertThat(file.path("rows").asInt()).isEqualTo(3);
                assertThat(texts(out.resolve(file.path("path").asText())))
                        .isEqualTo(given.get(file.path("type").asText()));
            }
        }
    }

    private static List<String> texts(Path file) throws IOException {
        List<String> texts = new ArrayList<>();
        try (ParquetTable table = new ParquetTable(file, ParquetTable.PATIENCE)) {
            int column = table.columns().indexOf("after_text");
            while (table.next()) {
                texts.add(table.shown(column));
            }
        }
        return texts;
    }

    private static long written(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
