package service.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packed connector in a worker with exactly-once support, beside a broker and the packed server, each of which is
 * killed while commits are made. {@code -Dservice.connect.kills=N} lets it run longer.
 */
final class GraphConnectorTest {
    private static final int USUAL = 3;
    private static final int KILLS = Integer.getInteger("service.connect.kills", USUAL);
    private static final long SEED = Long.getLong("service.seed", System.nanoTime());
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int LARGE = 120;
    private static final int BASELINE = 30_000;

    private final Random random = new Random(SEED);
    private final AtomicBoolean isWriting = new AtomicBoolean(true);
    private final AtomicInteger commits = new AtomicInteger();
    private GraphServer server;
    private Kafka kafka;

    @AfterEach
    void close() {
        isWriting.set(false);
        if (kafka != null) {
            kafka.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void theTopicsAreTheGraphAndNoChangeIsThereTwice(@TempDir Path folder) throws Exception {
        kafka = new Kafka(folder);
        kafka.startBroker();
        kafka.startWorker();
        server = new GraphServer(folder.resolve("cluster"), Samples.SCHEMA);
        server.load(Samples.RECORDS);
        if (KILLS > USUAL) {
            // A baseline that takes long enough to be killed.
            server.load(IntStream.range(0, BASELINE)
                    .mapToObj(i -> "{\"type\":\"Place\",\"data\":{\"name\":\"b" + i + "\"}}")
                    .toList());
        }

        Thread writer = new Thread(this::write);
        writer.start();
        create();
        List<String> victims = List.of("worker", "broker", "server");
        for (int i = 0; i < KILLS; i++) {
            awaitCommits(random.nextInt(1, 15));
            kill(victims.get(KILLS > USUAL ? random.nextInt(victims.size()) : i), i == KILLS - 1);
        }
        awaitCommits(5);
        isWriting.set(false);
        writer.join();
        await().atMost(PATIENCE).untilAsserted(this::requireSame);

        if (KILLS > USUAL) {
            // GraphSourceTaskTest leaves one, too.
            leaveAGap();
            await().atMost(PATIENCE).untilAsserted(this::requireSame);
        }
        new Replay(read()).requireOnce(server);
    }

    private void create() {
        Map<String, String> settings = new HashMap<>();
        settings.put("connector.class", GraphSourceConnector.class.getName());
        settings.put("server.url", server.url());
        settings.put("graph", "g");
        settings.put("topic.prefix", "p");
        settings.put("snapshot.mode", "when_needed");
        settings.put("page.changes", "50");
        settings.put("retry.backoff.max.ms", "500");
        settings.put("exactly.once.support", "required");
        settings.put("transaction.boundary", "connector");
        settings.put("tasks.max", "1");
        String body = GraphClient.JSON.valueToTree(settings).toString();
        await().atMost(PATIENCE).untilAsserted(() -> {
            Kafka.Answer answer = kafka.worker("PUT", "/connectors/graph/config", body);
            assertThat(answer.status()).as(answer.body().toString()).isBetween(200, 201);
        });
    }

    /** Makes commits of one to 120 changes until it is told to end. */
    private void write() {
        Random own = new Random(SEED + 1);
        while (isWriting.get()) {
            String key = "k" + own.nextInt(40);
            int kind = own.nextInt(10);
            if (kind < 2) {
                server.mutate("main", "query q() { delete Thing where key = \"" + key + "\" }");
            } else {
                List<String> records = new ArrayList<>();
                for (int i = kind == 9 ? LARGE : own.nextInt(1, 4); i > 0; i--) {
                    String id = "k" + own.nextInt(40);
                    records.add(
                            "{\"type\":\"Thing\",\"data\":{\"key\":\"" + id + "\",\"big\":" + own.nextLong() + "}}");
                    records.add("{\"type\":\"Place\",\"data\":{\"name\":\"" + own.nextInt(1_000) + "\"}}");
                    records.add("{\"edge\":\"Near\",\"from\":\"" + id + "\",\"to\":\"nothing\",\"data\":{\"id\":\"e"
                            + own.nextInt(60) + "\"}}");
                }
                server.load(records);
            }
            commits.incrementAndGet();
        }
    }

    private void awaitCommits(int count) {
        int until = commits.get() + count;
        await().atMost(PATIENCE).until(() -> commits.get() >= until);
    }

    private void kill(String victim, boolean isLast) throws Exception {
        switch (victim) {
            case "worker" -> {
                kafka.killWorker();
                kafka.startWorker();
            }
            case "broker" -> {
                kafka.killBroker();
                kafka.startBroker();
            }
            default -> {
                server.kill();
                if (isLast) {
                    // In the long form the last victim may be another: then the schema stays.
                    server.apply(Samples.LATER);
                }
                server.start();
            }
        }
    }

    /** Lets cleanup take the commits that a stopped connector has not read. */
    private void leaveAGap() throws Exception {
        await().atMost(PATIENCE)
                .until(() -> kafka.worker("PUT", "/connectors/graph/stop", null).status() < 300);
        await().atMost(PATIENCE).until(() -> {
            JsonNode status =
                    kafka.worker("GET", "/connectors/graph/status", null).body();
            return status.at("/connector/state").asText().equals("STOPPED")
                    && status.path("tasks").isEmpty();
        });
        server.mutate("main", "query q() { delete Thing where key = \"most\" }");
        for (int i = 0; i < 3; i++) {
            server.load(List.of("{\"type\":\"Place\",\"data\":{\"name\":\"gap " + i + "\"}}"));
        }
        server.kill();
        server.cleanup(1);
        server.start();
        assertThat(kafka.worker("PUT", "/connectors/graph/resume", null).status())
                .isBetween(200, 202);
    }

    private void requireSame() {
        revive();
        JsonNode catalog = server.get("catalog?branch=main");
        assertThat(new Replay(read()).entities(catalog))
                .as("seed %d%n%s", SEED, kafka.describe())
                .isEqualTo(Replay.exported(server.export("main"), catalog));
    }

    /** Starts a task again that the worker has given up, as an operator would. */
    private void revive() {
        JsonNode status = kafka.worker("GET", "/connectors/graph/status", null).body();
        if (status.at("/tasks/0/state").asText().equals("FAILED")) {
            System.out.println(status.at("/tasks/0/trace").asText());
            kafka.worker("POST", "/connectors/graph/restart?includeTasks=true&onlyFailed=true", null);
        }
    }

    /** Everything that a consumer of whole transactions reads. */
    private List<Replay.Seen> read() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", kafka.bootstrap());
        settings.put("isolation.level", "read_committed");
        settings.put("auto.offset.reset", "earliest");
        List<Replay.Seen> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (Map.Entry<String, List<PartitionInfo>> topic :
                    consumer.listTopics(Duration.ofSeconds(10)).entrySet()) {
                if (topic.getKey().startsWith("p.")) {
                    topic.getValue()
                            .forEach(each -> partitions.add(new TopicPartition(each.topic(), each.partition())));
                }
            }
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            HashSet<TopicPartition> open = new HashSet<>(partitions);
            open.removeIf(partition -> ends.get(partition) == 0);
            while (!open.isEmpty()) {
                consumer.poll(Duration.ofMillis(200))
                        .forEach(record -> records.add(new Replay.Seen(
                                record.topic(),
                                json(record.key()),
                                record.value() == null ? null : json(record.value()))));
                open.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
            }
        }
        return records;
    }

    private static JsonNode json(byte[] bytes) {
        return GraphServer.json(new String(bytes, UTF_8));
    }
}
