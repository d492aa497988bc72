package service.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The packed server with one graph, in a process that is killed and started again on the same port. */
final class GraphServer implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final String ADDRESS = "SERVICE_LISTEN_ADDR=127.0.0.1:";

    private final Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private int port;
    private final String token;
    private Process process;

    /** Makes the graph and serves everyone; ends the test where the server is not packed. */
    GraphServer(Path folder, String schema) throws IOException {
        this(folder, schema, null);
    }

    /**
     * Makes the graph and serves it; ends the test where the server is not packed.
     *
     * @param token the only one that is served; null serves everyone
     */
    GraphServer(Path folder, String schema, String token) throws IOException {
        Path app = ROOT.resolve("cli/target/app");
        if (!Files.isDirectory(app) || !hasJar(app)) {
            Processes.missing("the server is not packed", "./mvnw -pl cli -am -DskipTests package");
        }
        this.folder = folder;
        this.token = token;
        apply(schema);
        start();
    }

    private static boolean hasJar(Path app) throws IOException {
        try (Stream<Path> files = Files.list(app)) {
            return files.anyMatch(file -> file.getFileName().toString().equals("service-cli.jar"));
        }
    }

    /** Makes this the schema; a running server does not know it. */
    void apply(String schema) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("schema.pg"), schema);
        Files.writeString(folder.resolve("policy.yaml"), """
                version: 1
                groups: { all: [default] }
                rules:
                  - id: all
                    allow: { actors: { group: all }, actions: [read, export, change] }
                """);
        Files.writeString(
                folder.resolve("cluster.yaml"),
                "version: 1\nmetadata: { name: connect }\ngraphs:\n  g: { schema: schema.pg }\n"
                        + (token == null ? "" : "policies: { all: { file: policy.yaml, applies_to: [g] } }\n"));
        service("cluster", "apply", "--config", folder.toString(), "--as", "connect");
    }

    /** Runs {@code bin/service}. */
    void service(String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("bin/service").toString());
        command.addAll(List.of(words));
        Process run = program(command).redirectErrorStream(true).start();
        String said = new String(run.getInputStream().readAllBytes(), UTF_8);
        assertThat(Processes.join(run)).as(said).isZero();
    }

    private ProcessBuilder program(List<String> command) {
        ProcessBuilder program = new ProcessBuilder(command);
        // The script does not look for changed sources then.
        program.environment().put("MAVEN_PROJECTBASEDIR", ROOT.toString());
        // Servers of tests end soon: compiling more costs them more than it gives.
        program.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        return program;
    }

    /** Serves on the port of the time before. */
    void start() throws IOException {
        String program = ROOT.resolve("bin/service-server").toString();
        if (token == null) {
            serve(program(List.of(program, "--unauthenticated")));
        } else {
            ProcessBuilder server = program(List.of(program));
            server.environment().put("SERVICE_SERVER_BEARER_TOKEN", token);
            serve(server);
        }
    }

    private void serve(ProcessBuilder program) throws IOException {
        List<String> command = new ArrayList<>(program.command());
        command.addAll(List.of("--cluster", folder.toString(), "--bind", "127.0.0.1:" + port));
        process = program.command(command)
                .redirectError(folder.resolve("server.err").toFile())
                .start();
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(ADDRESS)) {
                port = Integer.parseInt(line.substring(ADDRESS.length()));
                return;
            }
        }
        throw new IllegalStateException(Files.readString(folder.resolve("server.err")));
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** By SIGKILL. */
    void kill() {
        Processes.kill(process);
    }

    /** Reclaims all but the newest commits. The server must not run. */
    void cleanup(int keep) throws IOException {
        service(
                "cleanup",
                "--cluster",
                folder.toString(),
                "--graph",
                "g",
                "--keep",
                String.valueOf(keep),
                "--even-if-larger",
                "--confirm",
                "--yes");
    }

    /** Loads records as one commit on main; again while the server is away. */
    void load(List<String> records) {
        load("main", records);
    }

    /** Loads records as one commit; again while the server is away. */
    void load(String branch, List<String> records) {
        send("load/ndjson?branch=" + branch, "application/x-ndjson", String.join("\n", records) + "\n", once());
    }

    /** Runs a mutation as one commit; again while the server is away. */
    void mutate(String branch, String query) {
        String body = GraphClient.JSON
                .createObjectNode()
                .put("branch", branch)
                .put("query", query)
                .toString();
        send("mutate", "application/json", body, once());
    }

    private static Map<String, String> once() {
        return Map.of("Idempotency-Key", UUID.randomUUID().toString());
    }

    /** The lines of an export of a branch. */
    List<JsonNode> export(String branch) {
        String body = GraphClient.JSON.createObjectNode().put("branch", branch).toString();
        return send("export", "application/json", body, Map.of())
                .lines()
                .map(GraphServer::json)
                .toList();
    }

    JsonNode get(String path) {
        return json(send(path, "", null, Map.of()));
    }

    JsonNode post(String path, String body) {
        return json(send(path, "application/json", body, Map.of()));
    }

    static JsonNode json(String text) {
        try {
            return GraphClient.JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    void delete(String path) {
        send(path, request(path).DELETE());
    }

    private String send(String path, String mediaType, String body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path);
        headers.forEach(request::header);
        if (body != null) {
            request.header("Content-Type", mediaType).POST(BodyPublishers.ofString(body));
        }
        return send(path, request);
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url() + "/graphs/g/" + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    private String send(String path, HttpRequest.Builder request) {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            try {
                HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
                if (answer.statusCode() < 400) {
                    return answer.body();
                }
                if (answer.statusCode() != 503 && answer.statusCode() != 429) {
                    throw new IllegalStateException(path + ": " + answer.statusCode() + " " + answer.body());
                }
            } catch (IOException e) {
                // Killed.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        throw new IllegalStateException("no answer of " + url());
    }

    @Override
    public void close() {
        kill();
    }
}
