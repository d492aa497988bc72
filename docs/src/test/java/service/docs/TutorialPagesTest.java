package service.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import service.cli.boot.Server;
import service.cli.boot.ServiceConfig;
import service.cli.command.CommandLines;

/**
 * Runs the tutorials from top to bottom. A comment {@code <!-- file: NAME -->} before a block says that the block is a
 * file. Each line of a block of {@code sh} is a command, which exits with 0, or with the code of a comment {@code <!--
 * exit: N -->}; the block of {@code text} after it is what the commands print, apart from ids, times, digests and
 * progress. Commands are {@code service}, whose {@code quickstart} serves nothing, {@code service-server}, which runs
 * until the page starts another one, {@code curl} with the options of {@link #curl}, {@code cp} of a file of the
 * project, and {@code export NAME=VALUE} before a server. With {@code SERVICE_DOCS_WRITE} in the environment the page
 * is rewritten with what comes out now.
 */
final class TutorialPagesTest {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final String ADDRESS = "http://127.0.0.1:8080";

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<String, String> environment = new HashMap<>();
    private Server.@Nullable Running server;

    /** The first word of each path that the page uses. */
    private String root = "";

    @AfterEach
    void stop() {
        stopServer();
        http.close();
    }

    private void stopServer() {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cluster.md",
                "policies.md",
                "getting-started.md",
                "branches.md",
                "time-travel.md",
                "rescue.md",
                "search.md"
            })
    void everyCommandPrintsWhatThePageSays(String name) throws Exception {
        Page page = Page.read(name);
        List<String> now = new ArrayList<>();
        String printed = null;
        int ran = 0;
        for (Page.Block block : page.blocks()) {
            String content = block.text();
            if (block.note().startsWith("<!-- file:")) {
                Path file = folder.resolve(note(block, "file"));
                root = file.getName(folder.getNameCount()).toString();
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
                    .as("docs/" + name + " from line " + block.first())
                    .isEqualTo(masked(now.get(i)));
        }
        assertThat(ran).isGreaterThanOrEqualTo(4);
    }

    private static String note(Page.Block block, String name) {
        return block.note().replace("<!-- " + name + ":", "").replace("-->", "").strip();
    }

    private String run(Page.Block block) throws Exception {
        int expected = block.note().startsWith("<!-- exit:") ? Integer.parseInt(note(block, "exit")) : 0;
        StringWriter printed = new StringWriter();
        PrintWriter out = new PrintWriter(printed);
        for (String command : block.text().replace("\\\n", "").lines().toList()) {
            List<String> words = words(command);
            switch (words.getFirst()) {
                case "service" -> {
                    if (words.contains("--cluster") || words.contains("--config")) {
                        // A reader beside the server is another process; within this one the graph is open once.
                        stopServer();
                    }
                    if (words.get(1).equals("quickstart")) {
                        quickstart(words.get(words.indexOf("--dir") + 1));
                        continue;
                    }
                    CommandLine line = CommandLines.service();
                    line.setOut(out).setErr(out);
                    int code = line.execute(words.subList(1, words.size()).toArray(String[]::new));
                    assertThat(code).as("%s%n%s", command, printed).isEqualTo(expected);
                }
                case "service-server" -> serve(words);
                case "export" -> {
                    String[] variable = words.get(1).split("=", 2);
                    environment.put(variable[0], variable[1].replace("'", ""));
                }
                case "curl" -> out.print(curl(words));
                case "cp" -> Files.copy(ROOT.resolve(words.get(1)), Path.of(words.get(2)));
                default -> throw new AssertionError("the page runs " + command);
            }
        }
        return printed.toString()
                .replaceAll("(?m)^[a-z ]+ … [0-9]+ s\\n", "")
                .replaceAll("(?m)^[0-9]+ rows?, [0-9.]+ ms$", "")
                .replace(folder.toUri().toString(), "file:///home/ada/")
                .replace(folder + "/", "")
                .replace(base(), ADDRESS)
                .stripTrailing();
    }

    /** Makes the cluster of the quickstart and does not serve it, as if the reader had stopped it again. */
    private void quickstart(String name) throws IOException {
        root = name;
        Path directory = folder.resolve(name);
        Files.createDirectories(directory.resolve("queries"));
        for (String file :
                List.of("cluster.yaml", "pioneers.pg", "languages.pg", "queries/pioneers.gq", "pioneers.ndjson")) {
            try (InputStream content = CommandLines.class.getResourceAsStream("/service/cli/quickstart/" + file)) {
                Files.copy(Objects.requireNonNull(content, file), directory.resolve(file));
            }
        }
        String cluster = directory.toString();
        String data = directory.resolve("pioneers.ndjson").toString();
        for (String[] command : new String[][] {
            {"cluster", "apply", "--config", cluster},
            {"load", "--cluster", cluster, "--graph", "pioneers", "--mode", "append", "--data", data}
        }) {
            CommandLine line = CommandLines.service();
            line.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(new StringWriter()));
            assertThat(line.execute(command)).isZero();
        }
    }

    private List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            boolean quoted = word.group(1) != null;
            String text = quoted ? word.group(1) : word.group(2);
            boolean path = !quoted && !root.isEmpty() && text.startsWith(root);
            words.add(path ? folder.resolve(text).toString() : text.replace(ADDRESS, base()));
        }
        return words;
    }

    private String base() {
        return server == null ? ADDRESS : "http://127.0.0.1:" + server.address().getPort();
    }

    /** {@code service-server --cluster DIR [--unauthenticated] [--list-graphs]}; the server before it stops. */
    private void serve(List<String> words) {
        stopServer();
        Map<String, String> variables = new HashMap<>(environment);
        variables.put("SERVICE_CLUSTER", words.get(words.indexOf("--cluster") + 1));
        variables.put("SERVICE_BIND", "127.0.0.1:0");
        if (words.contains("--unauthenticated")) {
            variables.put("SERVICE_UNAUTHENTICATED", "1");
        }
        if (words.contains("--list-graphs")) {
            variables.put("SERVICE_LIST_GRAPHS", "1");
        }
        ServiceConfig config = ServiceConfig.of(variables);
        server = new Server(config, Server.credentials(variables, config), "test").start();
    }

    /** {@code curl [-s] [-X METHOD] [-H HEADER]… [-d BODY] URL}; the body of the answer and a line break. */
    private String curl(List<String> words) throws Exception {
        String method = words.contains("-d") ? "POST" : "GET";
        String body = "";
        HttpRequest.Builder request = HttpRequest.newBuilder();
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-s" -> {
                    // There is no progress to hide.
                }
                case "-X" -> method = words.get(++i);
                case "-d" -> body = words.get(++i);
                case "-H" -> {
                    String[] header = words.get(++i).split(": ", 2);
                    request.header(header[0], header[1]);
                }
                default -> request.uri(URI.create(words.get(i)));
            }
        }
        request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString()).body() + "\n";
    }

    /** The text with one id, time, cursor and digest for all. */
    private static String masked(String text) {
        return text.replaceAll("\\b[0-9A-HJKMNP-TV-Z]{26}\\b", "ID")
                .replaceAll("\\b[0-9a-f]{64}\\b", "DIGEST")
                .replaceAll("\\b[A-Za-z0-9_-]{60,}", "CURSOR")
                .replaceAll("just now|[0-9]+ (seconds?|minutes?) ago", "AGO")
                .replaceAll(" +", " ")
                .replaceAll("[0-9,.]+ (bytes|KiB|MiB|KB|MB)", "SIZE")
                .replaceAll("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\\.[0-9]{1,6})?Z", "TIME");
    }
}
