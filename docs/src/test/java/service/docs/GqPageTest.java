package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import service.cli.command.CommandLines;

/**
 * Runs {@code docs/gq.md} from top to bottom on the graph of the quickstart: every block of GQ,
 * with what the page says comes out. With {@code SERVICE_DOCS_WRITE} in the environment the page
 * is rewritten with what comes out now.
 *
 * <p>A block of {@code gq} is run by {@code service query}, or {@code mutate} where it writes; the
 * words of a comment {@code <!-- run: -p name=Ada -->} before it are passed along. The block of
 * {@code text} behind it is what is printed; without one it must succeed. {@code <!-- plan: … -->}
 * belongs to the plans on WordNet, which another test runs.
 */
final class GqPageTest {
    @TempDir private Path folder;
    private Path store = Path.of(".");

    @BeforeEach
    void makeTheGraphOfTheQuickstart() throws IOException {
        store = folder.resolve("pioneers");
        Path schema = resource("pioneers.pg");
        assertThat(service("init", "--schema", schema.toString(), store.toString()))
                .startsWith("made");
        service(
                "load",
                "--store",
                store.toString(),
                "--data",
                resource("pioneers.ndjson").toString(),
                "--mode",
                "merge");
    }

    private Path resource(String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream content =
                CommandLines.class.getResourceAsStream("/service/cli/quickstart/" + name)) {
            Files.copy(content, file);
        }
        return file;
    }

    /** What a command prints, on both streams. */
    private static String service(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = CommandLines.service();
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        line.execute(arguments);
        return out.toString();
    }

    @Test
    void everySampleAnswersAsThePageSays() {
        Page page = Page.read("gq.md");
        List<Page.Block> blocks = page.blocks();
        List<String> now = new ArrayList<>();
        List<Integer> wrong = new ArrayList<>();
        String printed = null;
        int ran = 0;
        for (Page.Block block : blocks) {
            String content = block.text();
            if (block.language().equals("gq") && !block.note().startsWith("<!-- plan:")) {
                printed = run(block);
                ran++;
            } else if (block.language().equals("text") && printed != null) {
                content = printed;
                printed = null;
            } else {
                printed = null;
            }
            if (!content.equals(block.text())) {
                wrong.add(now.size());
            }
            now.add(content);
        }
        if (System.getenv("SERVICE_DOCS_WRITE") != null) {
            page.rewrite(now);
            return;
        }
        for (int i : wrong) {
            assertThat(blocks.get(i).text())
                    .as("docs/gq.md from line " + blocks.get(i).first())
                    .isEqualTo(now.get(i));
        }
        assertThat(ran).isGreaterThan(40);
    }

    private String run(Page.Block block) {
        String source = block.text();
        boolean writes =
                source.lines().anyMatch(each -> each.matches("\\s*(insert|update|delete) [A-Z].*"));
        List<String> words = new ArrayList<>(List.of(writes ? "mutate" : "query"));
        words.addAll(List.of("--store", store.toString(), "-e", source));
        if (block.note().startsWith("<!-- run:")) {
            String more = block.note().replaceAll("<!-- run:|-->", "").strip();
            words.addAll(List.of(more.split("\\s+")));
        }
        String printed = service(words.toArray(String[]::new));
        return printed.lines()
                .filter(line -> !line.startsWith("commit "))
                .reduce((a, b) -> a + "\n" + b)
                .orElse("");
    }

    /** The schema on the page is the schema that the samples run on. */
    @Test
    void theSchemaIsTheQuickstarts() throws IOException {
        String shown =
                Page.read("gq.md").blocks().stream()
                        .filter(block -> block.language().equals("pg"))
                        .findFirst()
                        .orElseThrow()
                        .text();
        assertThat(Files.readString(folder.resolve("pioneers.pg")).strip()).endsWith(shown);
    }
}
