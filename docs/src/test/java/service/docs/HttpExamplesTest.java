package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs each example of {@code docs/http.md} with a shell and curl, from top to bottom, against the server of
 * {@code service quickstart}. Needs the programs {@code bash} and {@code curl}, as a reader of the page does.
 */
final class HttpExamplesTest {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final String PRINTED = "127.0.0.1:8080";
    private static final String LISTENS = "SERVICE_LISTEN_ADDR=";

    /** What a server without identities answers, as the page says of these routes; all others succeed. */
    private static final Map<String, Integer> REFUSED = Map.of(
            "/graphs/discovery", 401,
            "/.well-known/oauth-protected-resource", 404,
            "/.well-known/oauth-protected-resource/mcp", 404,
            "/schema/apply", 409,
            "/embed", 400,
            "/mcp", 404);

    @TempDir
    private Path folder;

    @Test
    void eachExampleAnswersAsThePageSays() throws IOException, InterruptedException {
        ProcessBuilder quickstart = new ProcessBuilder(
                        "bin/service",
                        "quickstart",
                        "--bind",
                        "127.0.0.1:0",
                        "--dir",
                        folder.resolve("pioneers").toString())
                .directory(ROOT.toFile())
                .redirectErrorStream(true);
        // It ends before C2 pays.
        quickstart.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
        Process server = quickstart.start();
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            String address = null;
            for (String line = lines.readLine(); line != null && address == null; line = lines.readLine()) {
                address = line.startsWith(LISTENS) ? line.substring(LISTENS.length()) : null;
            }
            assertThat(address).isNotNull();
            List<Page.Block> examples = Page.read("http.md").blocks().stream()
                    .filter(block -> block.text().contains("curl "))
                    .toList();
            for (Page.Block example : examples) {
                String url = example.text().substring(example.text().lastIndexOf(PRINTED) + PRINTED.length());
                int expected = REFUSED.entrySet().stream()
                        .filter(refused -> url.strip().endsWith(refused.getKey()))
                        .findFirst()
                        .map(Map.Entry::getValue)
                        .orElse(200);
                run(example, address, expected);
            }
            assertThat(examples).hasSizeGreaterThan(30);
        } finally {
            server.destroy();
            server.waitFor(30, TimeUnit.SECONDS);
            server.destroyForcibly();
        }
    }

    /** Runs the block as it is printed. The status of the last answer is the last line of its errors. */
    private void run(Page.Block example, String address, int expected) throws IOException, InterruptedException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.writeString(home.resolve(".curlrc"), "write-out = \"%{stderr}%{http_code}\\n\"\nmax-time = 30\n");
        Path out = folder.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", "-e", "-u", "-c", example.text().replace(PRINTED, address))
                .directory(folder.toFile())
                .redirectOutput(out.toFile());
        builder.environment().put("CURL_HOME", home.toString());
        builder.environment().put("HOME", home.toString());
        Process shell = builder.start();
        String errors;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(shell.getErrorStream(), StandardCharsets.UTF_8))) {
            errors = String.join("\n", lines.lines().toList());
        }
        String shown = "docs/http.md line %d:%n%s%n%s%n%s"
                .formatted(example.first(), example.text(), errors, Files.readString(out, StandardCharsets.ISO_8859_1));
        assertThat(shell.waitFor()).as(shown).isZero();
        String status = errors.substring(errors.lastIndexOf('\n') + 1);
        if (expected == 200) {
            assertThat(status).as(shown).isIn("200", "201");
        } else {
            assertThat(status).as(shown).isEqualTo(Integer.toString(expected));
        }
    }
}
