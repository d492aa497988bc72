package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.util.Properties;
import java.util.TreeMap;

/**
 * A broker and a distributed worker in processes, of the jars in the folder that {@code -Dservice.kafka} names, with
 * their files in a folder of the test. {@code -Dservice.kafka.java=DIR} names a Java for both; Kafka's images have 17.
 */
final class Kafka implements AutoCloseable {
    private static final Path ROOT = Path.of(System.getProperty("service.root"));
    private static final Path PLUGIN = ROOT.resolve("clients/kafka-connect/target/plugin");

    private final Path jars;
    private final Path folder;
    private final int port = Processes.freePort();
    private final int controllerPort = Processes.freePort();
    private final int restPort = Processes.freePort();
    private final HttpClient http = HttpClient.newHttpClient();
    private Process broker;
    private Process worker;

    /** Starts nothing yet; ends the test where Kafka or the packed connector is missing. */
    Kafka(Path folder) throws IOException {
        jars = Path.of(System.getProperty("service.kafka", "")).toAbsolutePath();
        if (System.getProperty("service.kafka") == null || !Files.isDirectory(jars)) {
            Processes.missing(
                    "Kafka is not installed",
                    "./mvnw -f clients/kafka-connect/src/test/kafka/pom.xml dependency:copy-dependencies"
                            + " -DoutputDirectory=DIR` and run with `-Dservice.kafka=DIR");
        }
        if (!Files.isDirectory(PLUGIN)) {
            Processes.missing("the connector is not packed", "./mvnw -pl clients/kafka-connect verify");
        }
        this.folder = folder;
        Files.createDirectories(folder.resolve("broker"));
        // What `kafka-storage format` writes.
        Properties meta = new Properties();
        meta.putAll(Map.of("version", "1", "cluster.id", "MkU3OEVBNTcwNTJENDM2Qg", "node.id", "1"));
        meta.put("directory.id", "WwGHNm5vS4aLhGkPyX7JzA");
        write(folder.resolve("broker/meta.properties"), meta);
    }

    private static void write(Path file, Map<?, ?> settings) throws IOException {
        List<String> lines = new ArrayList<>();
        settings.forEach((name, value) -> lines.add(name + "=" + value));
        Files.write(file, lines);
    }

    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    void startBroker() throws IOException {
        Map<String, String> settings = new TreeMap<>();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        settings.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("controller.listener.names", "CONTROLLER");
        settings.put("log.dirs", folder.resolve("broker").toString());
        settings.put("num.partitions", "1");
        settings.put("offsets.topic.num.partitions", "1");
        settings.put("offsets.topic.replication.factor", "1");
        settings.put("transaction.state.log.num.partitions", "1");
        settings.put("transaction.state.log.replication.factor", "1");
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.put("group.min.session.timeout.ms", "1000");
        settings.put("broker.session.timeout.ms", "3000");
        settings.put("broker.heartbeat.interval.ms", "500");
        settings.put("log.cleaner.enable", "false");
        Path file = folder.resolve("broker.properties");
        write(file, settings);
        broker = java("kafka.Kafka", file, "broker.log");
    }

    void startWorker() throws IOException {
        Map<String, String> settings = new TreeMap<>();
        settings.put("bootstrap.servers", bootstrap());
        settings.put("group.id", "workers");
        settings.put("key.converter", "org.apache.kafka.connect.json.JsonConverter");
        settings.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
        settings.put("key.converter.schemas.enable", "false");
        settings.put("value.converter.schemas.enable", "false");
        settings.put("value.converter.decimal.format", "NUMERIC");
        for (String topic : List.of("config", "offset", "status")) {
            settings.put(topic + ".storage.topic", "connect-" + topic);
            settings.put(topic + ".storage.replication.factor", "1");
        }
        settings.put("offset.storage.partitions", "1");
        settings.put("status.storage.partitions", "1");
        settings.put("offset.flush.interval.ms", "500");
        settings.put("exactly.once.source.support", "enabled");
        settings.put("listeners", "http://127.0.0.1:" + restPort);
        settings.put("plugin.path", PLUGIN.toString());
        settings.put("plugin.discovery", "service_load");
        settings.put("config.providers", "file");
        settings.put("config.providers.file.class", "org.apache.kafka.common.config.provider.FileConfigProvider");
        settings.put("session.timeout.ms", "2000");
        settings.put("heartbeat.interval.ms", "500");
        settings.put("scheduled.rebalance.max.delay.ms", "0");
        Path file = folder.resolve("worker.properties");
        write(file, settings);
        worker = java("org.apache.kafka.connect.cli.ConnectDistributed", file, "worker.log");
    }

    private Process java(String main, Path settings, String log) throws IOException {
        return new ProcessBuilder(
                        Path.of(
                                        System.getProperty("service.kafka.java", System.getProperty("java.home")),
                                        "bin",
                                        "java")
                                .toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        jars + "/*",
                        main,
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve(log).toFile()))
                .start();
    }

    /** Starts a worker again that has ended, as a supervisor would: one that finds no broker at its start does that. */
    void superviseWorker() throws IOException {
        if (!worker.isAlive()) {
            startWorker();
        }
    }

    void killBroker() {
        Processes.kill(broker);
    }

    void killWorker() {
        Processes.kill(worker);
    }

    /** An answer of the worker; status 0 while it is away. */
    record Answer(int status, JsonNode body) {}

    /** Sends a request to the worker. */
    Answer worker(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + restPort + path))
                .header("Content-Type", "application/json")
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            // A worker that starts answers with a page.
            boolean isJson = answer.body().startsWith("{");
            return new Answer(answer.statusCode(), GraphServer.json(isJson ? answer.body() : "{}"));
        } catch (IOException e) {
            return new Answer(0, GraphClient.JSON.nullNode());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The ends of the logs of broker and worker, for the messages of failures. */
    String describe() {
        StringBuilder text = new StringBuilder();
        for (String log : List.of("broker.log", "worker.log")) {
            try {
                List<String> lines = Files.readAllLines(folder.resolve(log));
                lines.subList(Math.max(0, lines.size() - 60), lines.size())
                        .forEach(line ->
                                text.append(log).append(": ").append(line).append('\n'));
            } catch (IOException e) {
                text.append(e);
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        killWorker();
        killBroker();
    }
}
