package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.cli.boot.GraphAddress;
import service.cli.boot.StoreTransport;
import service.cli.client.GraphClient;
import service.cli.command.CommandLines;
import service.cli.render.MutationAnswer;
import service.cli.render.Rows;
import service.cli.render.Screen;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.schema.SchemaCompiler;

/**
 * Runs {@code docs/gq.md} and {@code docs/gq-from-cypher.md}, each from top to bottom on the graph of the quickstart:
 * every block of GQ, with what the page says comes out. With {@code SERVICE_DOCS_WRITE} in the environment the page is
 * rewritten with what comes out now.
 *
 * <p>A block of {@code gq} is run as by {@code service query}, or {@code mutate} where it writes; a comment {@code <!--
 * params: {…} -->} before it holds its parameters. The block of {@code text} after it holds the expected output;
 * without one the command must succeed. {@code <!-- plan: … -->} belongs to the plans on WordNet, which another test
 * runs.
 */
final class GqPageTest {
    private static final Pattern WRITES = Pattern.compile("\\b(insert|update|delete) [A-Z$]");

    @TempDir
    private Path folder;

    private GraphClient graph;

    @BeforeEach
    void makeTheGraphOfTheQuickstart() throws IOException {
        Path store = folder.resolve("pioneers");
        String schema = Files.readString(resource("pioneers.pg"));
        GraphAddress.createStore(store, SchemaCompiler.compile(schema), null);
        graph = StoreTransport.writing(GraphAddress.ofStore(store), null);
        try (InputStream records = Files.newInputStream(resource("pioneers.ndjson"))) {
            graph.load(new GraphClient.LoadTerms(null, null, "merge", null, null), GraphClient.Records.of(records));
        }
    }

    @AfterEach
    void close() {
        graph.close();
    }

    private Path resource(String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream content = CommandLines.class.getResourceAsStream("/service/cli/quickstart/" + name)) {
            Files.copy(content, file);
        }
        return file;
    }

    @ParameterizedTest
    @CsvSource({"gq.md, 40", "gq-from-cypher.md, 60"})
    void everySampleAnswersAsThePageSays(String name, int least) {
        Page page = Page.read(name);
        List<Page.Block> blocks = page.blocks();
        List<String> now = new ArrayList<>();
        List<Integer> wrong = new ArrayList<>();
        String printed = null;
        int ran = 0;
        for (Page.Block block : blocks) {
            String content = block.text();
            if (block.language().equals("text") && printed != null) {
                content = printed;
            } else {
                mustHaveSucceeded(printed);
            }
            printed = null;
            if (block.language().equals("gq") && !block.note().startsWith("<!-- plan:")) {
                printed = run(block);
                ran++;
            }
            if (!content.equals(block.text())) {
                wrong.add(now.size());
            }
            now.add(content);
        }
        mustHaveSucceeded(printed);
        if (System.getenv("SERVICE_DOCS_WRITE") != null) {
            page.rewrite(now);
            return;
        }
        for (int i : wrong) {
            assertThat(blocks.get(i).text())
                    .as("docs/" + name + " from line " + blocks.get(i).first())
                    .isEqualTo(now.get(i));
        }
        assertThat(ran).isGreaterThanOrEqualTo(least);
    }

    /** A sample whose output the page does not show is no example of a mistake. */
    private static void mustHaveSucceeded(@Nullable String printed) {
        assertThat(printed == null ? "" : printed).doesNotStartWith("error:");
    }

    /** What {@code service query} prints, or {@code service mutate}, without the commit's id. */
    private String run(Page.Block block) {
        String source = block.text();
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("query", source);
        if (block.note().startsWith("<!-- params:")) {
            String params = block.note().replaceAll("<!-- params:|-->", "");
            body.set("params", Json.readObject(params.getBytes(StandardCharsets.UTF_8), "params"));
        }
        boolean writes = !source.startsWith("explain") && WRITES.matcher(source).find();
        StringWriter printed = new StringWriter();
        PrintWriter out = new PrintWriter(printed);
        try {
            if (writes) {
                ObjectNode answer = graph.mutate(body, null, null);
                if (answer.has("rows")) {
                    Rows.print(answer, Rows.Format.table, out, Screen.NONE);
                }
                MutationAnswer.print(answer, out);
            } else {
                Rows.print(graph.query(body), Rows.Format.table, out, Screen.NONE);
            }
        } catch (ServiceException e) {
            out.println("error: " + e.getMessage());
        }
        return printed.toString()
                .lines()
                .filter(line -> !line.startsWith("commit "))
                .collect(Collectors.joining("\n"));
    }

    /** The schema on the page is the schema that the samples run on. */
    @Test
    void theSchemaIsTheQuickstarts() throws IOException {
        String shown = Page.read("gq.md").blocks().stream()
                .filter(block -> block.language().equals("pg"))
                .findFirst()
                .orElseThrow()
                .text();
        assertThat(Files.readString(folder.resolve("pioneers.pg")).strip()).endsWith(shown);
    }
}
