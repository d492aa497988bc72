package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import service.cli.command.CommandLines;

/**
 * Runs the tutorial of {@code docs/cluster.md} from top to bottom. A comment {@code <!-- file: NAME -->} before a block
 * says that the block is a file. Each line of a block of {@code sh} is a command, which exits with 0, or with the code
 * of a comment {@code <!-- exit: N -->}; the block of {@code text} after it is what the commands print, apart from ids,
 * times, digests and progress. With {@code SERVICE_DOCS_WRITE} in the environment the page is rewritten with what comes
 * out now.
 */
final class ClusterPageTest {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @TempDir
    private Path folder;

    @Test
    void everyCommandPrintsWhatThePageSays() throws IOException {
        Page page = Page.read("cluster.md");
        List<String> now = new ArrayList<>();
        String printed = null;
        int ran = 0;
        for (Page.Block block : page.blocks()) {
            String content = block.text();
            if (block.note().startsWith("<!-- file:")) {
                Path file = folder.resolve(note(block, "file"));
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.text() + "\n");
                printed = null;
            } else if (block.language().equals("sh")) {
                printed = run(block);
                ran++;
            } else if (block.language().equals("text") && printed != null) {
                content = printed;
                printed = null;
            }
            now.add(content);
        }
        if (System.getenv("SERVICE_DOCS_WRITE") != null) {
            page.rewrite(now);
            return;
        }
        for (int i = 0; i < now.size(); i++) {
            Page.Block block = page.blocks().get(i);
            assertThat(masked(block.text()))
                    .as("docs/cluster.md from line " + block.first())
                    .isEqualTo(masked(now.get(i)));
        }
        assertThat(ran).isGreaterThanOrEqualTo(10);
    }

    private static String note(Page.Block block, String name) {
        return block.note().replace("<!-- " + name + ":", "").replace("-->", "").strip();
    }

    private String run(Page.Block block) {
        int expected = block.note().startsWith("<!-- exit:") ? Integer.parseInt(note(block, "exit")) : 0;
        StringWriter printed = new StringWriter();
        for (String command : block.lines()) {
            List<String> words = new ArrayList<>();
            Matcher word = WORD.matcher(command);
            while (word.find()) {
                String text = word.group(1) == null ? word.group(2) : word.group(1);
                words.add(text.startsWith("company") ? folder.resolve(text).toString() : text);
            }
            assertThat(words.getFirst()).isEqualTo("service");
            PrintWriter out = new PrintWriter(printed);
            CommandLine line = CommandLines.service();
            line.setOut(out).setErr(out);
            int code = line.execute(words.subList(1, words.size()).toArray(String[]::new));
            assertThat(code).as("%s%n%s", command, printed).isEqualTo(expected);
        }
        return printed.toString()
                .replaceAll("(?m)^(applying|planning) … [0-9]+ s\\n", "")
                .replace(folder.toUri().toString(), "file:///home/ada/")
                .replace(folder + "/", "")
                .stripTrailing();
    }

    /** The text with one id, time and digest for all. */
    private static String masked(String text) {
        return text.replaceAll("\\b[0-9A-HJKMNP-TV-Z]{26}\\b", "ID")
                .replaceAll("\\b[0-9a-f]{64}\\b", "DIGEST")
                .replaceAll("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]{1,6})?Z", "TIME");
    }
}
