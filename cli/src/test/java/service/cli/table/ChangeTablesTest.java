package service.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.json.Json;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** The bounds of open files and of the rows that they hold together. */
final class ChangeTablesTest {
    private static final int TYPES = 65;
    private static final Catalog CATALOG = SchemaCompiler.compile(IntStream.range(0, TYPES)
            .mapToObj(i -> "node T" + i + " { text: String? }\n")
            .collect(Collectors.joining()));

    private static ChangeTables into(ExportPlace place) {
        return new ChangeTables(
                place, TableExport.Format.parquet, CATALOG, (blob, change, property, commit) -> "no blob");
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
    void theSixtyFifthTypeEndsTheFileThatWasWrittenLeastRecently(@TempDir Path folder) throws IOException {
        try (ExportPlace place = ExportPlace.directory(folder.resolve("out"));
                ChangeTables tables = into(place)) {
            for (int i = 0; i < TYPES - 1; i++) {
                tables.take(block(i, "a"), 1L);
            }
            assertThat(tables.files()).isEmpty();
            tables.take(block(0, "b"), 2L);
            tables.take(block(TYPES - 1, "a"), 3L);
            assertThat(tables.files()).hasSize(1);
            assertThat(tables.files().get(0).path("path").asText()).isEqualTo("changes/T1.parquet");
            tables.take(block(1, "b"), 4L);
            tables.finish(List.of());
            assertThat(tables.files().findValuesAsText("path"))
                    .hasSize(TYPES + 1)
                    .doesNotHaveDuplicates()
                    .contains("changes/T1.parquet", "changes/T1-00001.parquet");
            int rows = 0;
            for (JsonNode file : tables.files()) {
                rows += file.path("rows").asInt();
            }
            assertThat(rows).isEqualTo(TYPES + 2);
        }
    }

    @Test
    void rowsAreWrittenWhenTheFilesHoldTooMany(@TempDir Path folder) throws IOException {
        byte[] bytes = new byte[3 << 19];
        new Random(1).nextBytes(bytes);
        String text = Base64.getEncoder().encodeToString(bytes); // 2 MiB
        try (ExportPlace place = ExportPlace.directory(folder.resolve("out"));
                ChangeTables tables = into(place)) {
            for (int i = 0; i < 30; i++) {
                tables.take(block(i, text), 1L);
            }
            assertThat(written(folder)).isLessThan(1 << 20);
            for (int i = 30; i < 34; i++) {
                tables.take(block(i, text), 1L);
            }
            assertThat(written(folder)).isGreaterThan(16 << 20);
        }
    }

    private static long written(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
