package service.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The task without a worker, against the packed server. Tests that do not stop it have a branch each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GraphSourceTaskTest {
    private GraphServer server;

    @BeforeAll
    void serve(@TempDir Path folder) throws IOException {
        server = new GraphServer(folder, Samples.SCHEMA);
        server.load(Samples.RECORDS);
    }

    @AfterAll
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>();
        settings.put("server.url", server.url());
        settings.put("graph", "g");
        settings.put("topic.prefix", "p");
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private String branch(String name) {
        server.post("branches", "{\"name\":\"" + name + "\"}");
        return name;
    }

    private void load(String branch, String... records) {
        List<String> lines = new ArrayList<>();
        for (String record : records) {
            lines.add(record.replace('\'', '"'));
        }
        server.load(branch, lines);
    }

    private void mutate(String branch, String gq) {
        server.mutate(branch, "query q() { " + gq + " }");
    }

    /** A task with a stored offset; null for none. */
    private static GraphSourceTask task(Map<String, String> settings, Map<String, ?> offset) {
        GraphSourceTask task = new GraphSourceTask();
        task.initialize(new SourceTaskContext() {
            @Override
            public Map<String, String> configs() {
                return settings;
            }

            @Override
            public OffsetStorageReader offsetStorageReader() {
                return new OffsetStorageReader() {
                    @Override
                    @SuppressWarnings("unchecked")
                    public <T> Map<String, Object> offset(Map<String, T> partition) {
                        return (Map<String, Object>) offset;
                    }

                    @Override
                    public <T> Map<Map<String, T>, Map<String, Object>> offsets(Collection<Map<String, T>> partitions) {
                        throw new UnsupportedOperationException();
                    }
                };
            }
        });
        task.start(settings);
        return task;
    }

    /** What a task makes up to the head of its branch. */
    private List<GraphRecord> all(GraphSourceTask task, String branch) {
        String head = server.get("branches/" + branch).path("head_commit_id").asText();
        List<GraphRecord> records = new ArrayList<>();
        while (records.isEmpty() || !isEnd(records.get(records.size() - 1), head)) {
            List<SourceRecord> next = task.poll();
            if (next != null) {
                next.forEach(record -> records.add((GraphRecord) record));
                next.forEach(record -> task.commitRecord(record, null));
            }
        }
        return records;
    }

    private static boolean isEnd(GraphRecord record, String head) {
        return record.isLast() && record.from().id().equals(head);
    }

    private List<GraphRecord> run(Map<String, String> settings, Map<String, ?> offset) {
        GraphSourceTask task = task(settings, offset);
        try {
            return all(task, settings.getOrDefault("branch", "main"));
        } finally {
            task.stop();
        }
    }

    private static List<Replay.Seen> seen(List<GraphRecord> records) {
        return records.stream()
                .map(record -> new Replay.Seen(
                        record.topic(),
                        Values.json(record.keySchema(), record.key()),
                        record.value() == null ? null : Values.json(record.valueSchema(), record.value())))
                .toList();
    }

    private void requireSame(List<GraphRecord> records, String branch) {
        JsonNode catalog = server.get("catalog?branch=" + branch);
        assertThat(new Replay(seen(records)).entities(catalog))
                .isEqualTo(Replay.exported(server.export(branch), catalog));
    }

    private static String shown(GraphRecord record) {
        JsonNode value = record.value() == null ? null : Values.json(record.valueSchema(), record.value());
        return record.topic() + " " + Values.json(record.keySchema(), record.key()) + " "
                + (value == null ? "-" : value.path("op").asText() + value.at("/transaction/total_order"))
                + " " + record.from().id();
    }

    @Test
    void recordsAreTheGraphWhereverTheTaskContinues() {
        String branch = branch("continue");
        Map<String, String> settings = settings("branch", branch, "page.changes", "3");
        GraphSourceTask task = task(settings, null);
        List<GraphRecord> records = all(task, branch);
        load(
                branch,
                "{'type':'Thing','data':{'key':'a','data':'base64:AQID'}}",
                "{'type':'Thing','data':{'key':'b'}}",
                "{'type':'Place','data':{'name':'c'}}",
                "{'edge':'Near','from':'a','to':'b','data':{'id':'n3'}}",
                "{'edge':'At','from':'a','to':{'type':'Place','id':'c'},'data':{'id':'a3'}}",
                "{'type':'Thing','data':{'key':'least','small':5}}",
                "{'edge':'Near','from':'least','to':'a','data':{'id':'n1','since':'1833-06-05'}}");
        mutate(branch, "delete Thing where key = \"most\"");
        mutate(branch, "update Thing set { count: 9 } where key = \"nothing\"");
        records.addAll(all(task, branch));
        task.stop();
        requireSame(records, branch);
        new Replay(seen(records)).requireOnce(server);

        for (int i = 0; i < records.size(); i++) {
            int rest = i + 1;
            while (rest > 0 && !records.get(rest - 1).isLast()) {
                rest--;
            }
            if (rest == 0 || rest == records.size()) {
                // The baseline, which is taken again; the end.
                continue;
            }
            assertThat(run(settings, records.get(i).sourceOffset()).stream().map(GraphSourceTaskTest::shown))
                    .as("after record %d", i)
                    .containsExactlyElementsOf(records.subList(rest, records.size()).stream()
                            .map(GraphSourceTaskTest::shown)
                            .toList());
        }
    }

    @Test
    void aLargeCommitIsHeldInPieces() {
        String branch = branch("large");
        GraphSourceTask task = task(settings("branch", branch, "snapshot.mode", "no_data"), null);
        assertThat(all(task, branch))
                .singleElement()
                .satisfies(record -> assertThat(record.topic()).isEqualTo("p.g.schema"));
        load(
                branch,
                IntStream.range(0, 10_000)
                        .mapToObj(i -> "{'type':'Place','data':{'name':'large " + i + "'}}")
                        .toArray(String[]::new));
        int most = 0;
        int last = 0;
        int count = 0;
        while (count < 10_000) {
            List<SourceRecord> next = task.poll();
            if (next != null) {
                most = Math.max(most, next.size());
                count += next.size();
                last += (int) next.stream()
                        .filter(record -> ((GraphRecord) record).isLast())
                        .count();
            }
        }
        task.stop();
        assertThat(most).isLessThanOrEqualTo(1_001);
        assertThat(last).isEqualTo(1);
    }

    @Test
    void filtersDropEntitiesAndTheHeartbeatKeepsThePlace() {
        String branch = branch("filtered");
        Map<String, String> settings = settings(
                "branch", branch, "include.types", "Place,Near", "kinds", "node", "heartbeat.interval.ms", "1");
        GraphSourceTask task = task(settings, null);
        List<GraphRecord> records = all(task, branch);
        load(branch, "{'type':'Thing','data':{'key':'not sent'}}");
        List<GraphRecord> mark = all(task, branch);
        task.stop();
        assertThat(records.stream().map(GraphRecord::topic).distinct()).containsExactly("p.g.schema", "p.g.Place");
        assertThat(seen(mark))
                .singleElement()
                .satisfies(
                        record -> assertThat(record.value().path("op").asText()).isEqualTo("m"));
        load(branch, "{'type':'Place','data':{'name':'sent'}}");
        assertThat(run(settings, mark.get(0).sourceOffset())).hasSize(1);
    }

    /** A graph that was deleted answers as one that never was. */
    @Test
    void aRefusalThatStaysEndsTheTaskAndNamesTheSetting() {
        String branch = branch("ended");
        Map<String, String> settings = settings("branch", branch);
        GraphSourceTask task = task(settings, null);
        List<GraphRecord> records = all(task, branch);
        Map<String, ?> offset = records.get(records.size() - 1).sourceOffset();
        server.delete("branches/" + branch);
        assertThatThrownBy(task::poll)
                .isInstanceOf(ConnectException.class)
                .hasMessageMatching(".*branch.*ended.*\\(404\\): check `branch`");
        task.stop();
        settings.put("graph", "deleted");
        GraphSourceTask other = task(settings, offset);
        assertThatThrownBy(other::poll)
                .isInstanceOf(ConnectException.class)
                .hasMessageMatching(server.url() + ": .*graph.*\\(404\\): check `graph`");
        other.stop();
    }

    @Test
    void oneTopicHasTheTypeInItsKeys() {
        String branch = branch("one");
        List<GraphRecord> records =
                run(settings("branch", branch, "topic", "all", "tombstones.on.delete", "false"), null);
        assertThat(records.stream().map(GraphRecord::topic).distinct()).containsExactly("p.g.schema", "all");
        requireSame(records, branch);
    }

    @Test
    void theServerComesAndGoesAndTheSchemaChanges() throws Exception {
        Map<String, String> settings = settings("retry.backoff.max.ms", "200");
        GraphSourceTask task = task(settings, null);
        List<GraphRecord> records = all(task, "main");
        assertThat(task.poll()).isNull();
        ObjectName name =
                new ObjectName("service.graph:type=connector-metrics,server=\"p\",graph=\"g\",branch=\"main\"");
        assertThat(attribute(name, "LagInCommits")).isEqualTo(0L);
        assertThat(attribute(name, "LagInSeconds")).isEqualTo(0.0);

        server.kill();
        assertThat(task.poll()).isNull();
        assertThat(attribute(name, "Connected")).isEqualTo(false);
        assertThat((String) attribute(name, "LastError")).isNotEmpty();
        server.apply(Samples.LATER);
        server.start();
        load(
                "main",
                "{'type':'Thing','data':{'key':'most','sign':false,'extra':'new'}}",
                "{'type':'Added','data':{'name':'x'}}");
        for (List<SourceRecord> next = null; next == null; next = task.poll()) {
            assertThat(attribute(name, "Retries")).isNotEqualTo(0L);
        }
        task.stop();
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                .isFalse();
        records.addAll(run(settings, records.get(records.size() - 1).sourceOffset()));
        requireSame(records, "main");
        assertThat(records.stream()
                        .filter(record -> record.topic().equals("p.g.Thing"))
                        .map(record -> record.valueSchema().version())
                        .distinct())
                .containsExactly(1, 2);

        for (int i = 0; i < 3; i++) {
            mutate("main", "update Thing set { count: " + i + " } where key = \"most\"");
        }
        mutate("main", "delete Place where name = \"nothing\"");
        Map<String, Map<String, String>> exported =
                Replay.exported(server.export("main"), server.get("catalog?branch=main"));
        server.kill();
        server.cleanup(1);
        server.start();
        Map<String, ?> old = records.get(records.size() - 1).sourceOffset();
        assertThatThrownBy(() -> run(settings, old))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("`when_needed`");
        settings.put("snapshot.mode", "when_needed");
        List<GraphRecord> again = run(settings, old);
        assertThat(seen(again).get(0).value().path("op").asText()).isEqualTo("r");
        records.addAll(again);
        assertThat(new Replay(seen(records)).entities(server.get("catalog?branch=main")))
                .isEqualTo(exported);
    }

    private static Object attribute(ObjectName name, String attribute) throws Exception {
        return ManagementFactory.getPlatformMBeanServer().getAttribute(name, attribute);
    }

    @Test
    void aWrongSettingIsNamed() {
        branch("checked");
        assertThat(errors()).isEmpty();
        assertThat(errors("server.url", "ftp://x")).containsOnlyKeys("server.url");
        assertThat(errors("server.url", "http://127.0.0.1:1")).containsOnlyKeys("server.url");
        assertThat(errors("graph", "h")).containsOnlyKeys("graph");
        assertThat(errors("branch", "none")).containsOnlyKeys("branch");
        assertThat(errors("include.types", "Place,Plaice").get("include.types")).contains("`Plaice`", "Place");
        assertThat(errors("snapshot.mode", "sometimes")).containsOnlyKeys("snapshot.mode");
        assertThat(errors("topic.prefix", "a b")).containsOnlyKeys("topic.prefix");
        assertThat(errors("kinds", "nodes")).containsOnlyKeys("kinds");
    }

    private Map<String, String> errors(String... settings) {
        List<ConfigValue> values =
                new GraphSourceConnector().validate(settings(settings)).configValues();
        return values.stream()
                .filter(value -> !value.errorMessages().isEmpty())
                .collect(Collectors.toMap(
                        ConfigValue::name, value -> value.errorMessages().toString()));
    }
}
