package service.connect;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
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
 * killed while commits are made; the first worker in the middle of a transaction. The token comes from a file.
 * {@code -Dservice.connect.kills=N} lets it run longer.
 */
final class GraphConnectorTest {
    private static final int USUAL = 2;
    private static final int KILLS = Integer.getInteger("service.connect.kills", USUAL);
    private static final long SEED = Long.getLong("service.seed", System.nanoTime());
    private static final Duration PATIENCE = Duration.ofMinutes(KILLS > USUAL ? 5 : 2);
    private static final int LARGE = 120;
    private static final int BASELINE = 30_000;

    /** Commits that are made around a kill. */
    private static final int AROUND = 15;

    /** Pages of the feed in a commit that takes long enough to be killed. */
    private static final int PAGES = 100;

    private static final int PAGE = 50;
    private static final String TOKEN = "a-token-of-the-graph";

    private final Random random = new Random(SEED);
    private final AtomicBoolean isWriting = new AtomicBoolean(true);
    private final Semaphore allowed = new Semaphore(0);
    private final AtomicInteger commits = new AtomicInteger();
    private GraphServer server;
    private Kafka kafka;

    @AfterEach
    void close() {
        endWriting();
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
        server = new GraphServer(folder.resolve("cluster"), Samples.SCHEMA, TOKEN);
        server.load(Samples.RECORDS);
        if (KILLS > USUAL) {
            // A baseline that takes long enough to be killed.
            server.load(IntStream.range(0, BASELINE)
                    .mapToObj(i -> "{\"type\":\"Place\",\"data\":{\"name\":\"b" + i + "\"}}")
                    .toList());
        }

        Thread writer = new Thread(this::write);
        writer.start();
        create(folder);
        killWithinATransaction();
        List<String> victims = List.of("broker", "server", "worker");
        for (int i = 0; i < KILLS; i++) {
            awaitCommits(random.nextInt(1, AROUND));
            kill(victims.get(KILLS > USUAL ? random.nextInt(victims.size()) : i), i == KILLS - 1);
        }
        awaitCommits(5);
        endWriting();
        writer.join();
        await().atMost(PATIENCE).untilAsserted(this::requireSame);

        if (KILLS > USUAL) {
            // GraphSourceTaskTest leaves one, too.
            leaveAGap();
            await().atMost(PATIENCE).untilAsserted(this::requireSame);
        }
        List<Replay.Seen> committed = read();
        new Replay(committed).requireOnce(server);
        assertThat(read("read_uncommitted")).as("the aborted transaction").hasSizeGreaterThan(committed.size());
    }

    /** Kills the worker when it has sent a part of a commit, of which a consumer then sees nothing. */
    private void killWithinATransaction() throws Exception {
        TopicPartition places = new TopicPartition("p.g.Place", 0);
        try (KafkaConsumer<byte[], byte[]> all = consumer("read_uncommitted");
                KafkaConsumer<byte[], byte[]> whole = consumer("read_committed")) {
            await().atMost(PATIENCE).until(() -> end(whole, places) > 0);
            server.load(IntStream.range(0, PAGES * PAGE)
                    .mapToObj(i -> "{\"type\":\"Place\",\"data\":{\"name\":\"long " + i + "\"}}")
                    .toList());
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> end(all, places) > end(whole, places) + PAGE);
            kafka.killWorker();
            assertThat(end(all, places)).as("the end of an open transaction").isGreaterThan(end(whole, places));
        }
        kafka.startWorker();
    }

    /** Where a partition ends for a consumer. */
    private static long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
        return consumer.endOffsets(List.of(partition)).get(partition);
    }

    private void create(Path folder) throws IOException {
        Path secrets = Files.writeString(folder.resolve("secrets.properties"), "graph_token=" + TOKEN + "\n");
        Map<String, String> settings = new HashMap<>();
        settings.put("connector.class", GraphSourceConnector.class.getName());
        settings.put("server.url", server.url());
        settings.put("graph", "g");
        settings.put("topic.prefix", "p");
        settings.put("snapshot.mode", "when_needed");
        settings.put("page.changes", String.valueOf(PAGE));
        settings.put("retry.backoff.max.ms", "500");
        settings.put("exactly.once.support", "required");
        settings.put("transaction.boundary", "connector");
        settings.put("tasks.max", "1");
        settings.put("token", "another");
        await().atMost(PATIENCE).untilAsserted(() -> {
            Kafka.Answer answer = configure(settings);
            assertThat(answer.status()).as(answer.body().toString()).isEqualTo(400);
            assertThat(answer.body().path("message").asText()).contains("`token`");
        });
        settings.put("token", "${file:" + secrets + ":graph_token}");
        Kafka.Answer answer = configure(settings);
        assertThat(answer.status()).as(answer.body().toString()).isBetween(200, 201);
    }

    private Kafka.Answer configure(Map<String, String> settings) {
        return kafka.worker(
                "PUT",
                "/connectors/graph/config",
                GraphClient.JSON.valueToTree(settings).toString());
    }

    /** Makes commits of one to 120 changes, as many as are allowed, until it is told to end. */
    private void write() {
        Random own = new Random(SEED + 1);
        for (allowed.acquireUninterruptibly(); isWriting.get(); allowed.acquireUninterruptibly()) {
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

    private void endWriting() {
        isWriting.set(false);
        allowed.release();
    }

    /** Waits for commits; others are made meanwhile. */
    private void awaitCommits(int count) {
        allowed.release(AROUND);
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

    private void requireSame() throws IOException {
        kafka.superviseWorker();
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
        return read("read_committed");
    }

    private List<Replay.Seen> read(String isolation) {
        List<Replay.Seen> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(isolation)) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (Map.Entry<String, List<PartitionInfo>> topic :
                    consumer.listTopics(PATIENCE).entrySet()) {
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

    private KafkaConsumer<byte[], byte[]> consumer(String isolation) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", kafka.bootstrap());
        settings.put("isolation.level", isolation);
        settings.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static JsonNode json(byte[] bytes) {
        return GraphServer.json(new String(bytes, UTF_8));
    }
}
