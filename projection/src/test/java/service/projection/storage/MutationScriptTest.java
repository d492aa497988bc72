package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.SchemaChange;
import service.core.graph.GraphAccess;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Int64Form;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.projection.TestEngine;
import service.projection.storage.MutationModel.State;

/**
 * Random mutation scripts, as text, over the real tables and over a model written only from the specification: the same
 * outcome, the same counts, the same graph.
 */
class MutationScriptTest {
    private static final int SCRIPTS = 800;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path directory;

    @Test
    void everyScriptDoesWhatTheModelDoes(@Seed long seed) {
        int scripts = Integer.getInteger("scripts", SCRIPTS);
        Random random = new Random(seed);
        Catalog catalog = SchemaCompiler.compile(MutationModel.SCHEMA);
        SchemaChange schema = TestEngine.schema(catalog);
        StorageOptions options =
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0);
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("graph"), options, schema, "tester")) {
            GraphAccess graph = TestEngine.graph(storage);
            State state = new State(List.of());
            int refused = 0;
            int unchanged = 0;
            for (int i = 0; i < scripts; i++) {
                MutationModel model = new MutationModel(random, state);
                String source = model.script();
                String where = "script " + i + ": " + source + "\non " + state;
                try {
                    MutationResult result = mutate(graph, source);
                    assertThat(model.violations()).as(where).isEmpty();
                    assertThat(result.affectedNodes()).as(where).isEqualTo(model.affected(false));
                    assertThat(result.affectedEdges()).as(where).isEqualTo(model.affected(true));
                    assertThat(answered(result)).as(where).isEqualTo(model.answered());
                    boolean changed = model.affected(false) + model.affected(true) > 0;
                    assertThat(result.commit() != null).as(where).isEqualTo(changed);
                    unchanged += changed ? 0 : 1;
                    List<JsonNode> lines = export(graph);
                    assertThat(MutationModel.lines(lines)).as(where).isEqualTo(model.lines());
                    state = State.of(lines);
                } catch (ServiceException e) {
                    assertThat(model.violations())
                            .as(where + "\n" + e.getMessage())
                            .contains(kind(e));
                    assertThat(MutationModel.lines(export(graph))).as(where).isEqualTo(state.lines());
                    refused++;
                }
            }
            // The generator must make scripts of every outcome.
            assertThat(refused).isBetween(scripts / 20, scripts / 2);
            assertThat(unchanged).isBetween(scripts / 50, scripts / 2);
        }
    }

    private static MutationResult mutate(GraphAccess graph, String source) {
        try {
            return graph.mutate(
                            WriteOptions.NONE,
                            new MutationCall("main", source, null, null),
                            Settings.DEFAULTS,
                            TestEngine.ample())
                    .join();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    /** The column of what a mutation returns, sorted; null where it returns nothing. */
    private static List<String> answered(MutationResult result) {
        if (result.answer() == null) {
            return null;
        }
        List<String> values = new ArrayList<>();
        parse(result.answer().numbers()).forEach(row -> values.add(row.get("p").asText()));
        values.sort(null);
        return values;
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The class of the status and the kind, as {@code docs/writes.md} names them. */
    private static String kind(ServiceException e) {
        if (e.getMessage().startsWith("R5")) {
            return MutationModel.TWO_VALUES;
        }
        return (e.code() == ErrorCode.CONFLICT ? "409" : "400")
                + " "
                + (e.detail() instanceof ErrorDetail.ConstraintViolation violation ? violation.kind() : e.getMessage());
    }

    private static List<JsonNode> export(GraphAccess graph) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(ReadTarget.MAIN, List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        List<JsonNode> lines = new ArrayList<>();
        for (String line : bytes.toString(StandardCharsets.UTF_8).lines().toList()) {
            lines.add(parse(line));
        }
        return lines;
    }
}
