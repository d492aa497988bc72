package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.GraphAccess;
import service.core.graph.branch.DiffSink;
import service.core.graph.branch.DiffStates;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.load.LoadMode;
import service.core.graph.request.MutationCall;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.MigrationResult;
import service.core.graph.schema.SchemaRequest;
import service.core.json.ByteChunks;
import service.core.json.Int64Form;
import service.core.port.RetentionPolicy;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.SchemaModel;
import service.core.testkit.SchemaScript;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.core.wire.QueryResponse;
import service.projection.TestEngine;
import service.projection.resident.ResidentMemory;

/**
 * Random sequences of schema changes with data written and old states cleaned up between, against {@link SchemaModel}.
 * A migration is applied or refused as the model says, and afterwards every state that was not cleaned up equals what
 * the model remembers of it: when it is read, after the graph was opened again, and after all tables were made again
 * from the log.
 */
final class MigrationModelTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final StorageOptions OPTIONS = StorageOptions.defaults()
            .withMapBytes(1L << 30, 4L << 30)
            .withCheckpointEvents(0)
            .withResident(new ResidentMemory(1 << 28, 0));
    private static final int ROUNDS = Integer.getInteger("service.migrations", 40);

    /** Pairs of states that are compared at a time. */
    private static final int PAIRS = 40;

    @TempDir
    Path folder;

    private Random random;
    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private SchemaModel model = new SchemaModel();
    private SchemaScript script;

    /** What each commit's state holds. */
    private final Map<String, Map<String, String>> states = new LinkedHashMap<>();

    private final Map<String, SchemaModel> models = new HashMap<>();
    private int differences;

    private final List<String> reclaimed = new ArrayList<>();

    private final List<String> story = new ArrayList<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @Test
    void everyStateReadsWithItsOwnSchema(@Seed long seed) throws Exception {
        random = new Random(seed);
        script = new SchemaScript(random);
        model = script.first();
        Catalog catalog = SchemaCompiler.compile(model.source());
        storage = LmdbGraphStorage.create(directory(), OPTIONS, TestEngine.schema(catalog), null);
        graph = TestEngine.graph(storage);
        // A first write that changes nothing leaves this commit for a migration to be compared with.
        remember(graph.snapshot(ReadTarget.MAIN).commitId().toString());
        try {
            for (int round = 0; round < ROUNDS; round++) {
                write();
                migrate();
                checkHead();
                if (round % 10 == 9) {
                    cleanUp();
                    storage.close();
                    verify();
                    storage = LmdbGraphStorage.open(directory(), OPTIONS);
                    graph = TestEngine.graph(storage);
                    checkAll();
                }
            }
            storage.close();
            LmdbGraphStorage.rebuild(directory(), OPTIONS, offset -> {});
            storage = LmdbGraphStorage.open(directory(), OPTIONS);
            graph = TestEngine.graph(storage);
            checkAll();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(String.join("\n", story.subList(Math.max(0, story.size() - 2), story.size())), e);
        } finally {
            storage.close();
        }
        System.out.println(
                "MigrationModelTest: %d states, %d reclaimed, %s".formatted(states.size(), reclaimed.size(), outcomes));
        assertThat(outcomes).containsKeys("applied");
        assertThat(reclaimed).isNotEmpty();
        assertThat(differences).isPositive();
        assertThat(outcomes.size()).as("%s", outcomes).isGreaterThan(2);
    }

    private Path directory() {
        return folder.resolve("graph");
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Applies a random change of schema, or sees it refused as the model says. */
    private void migrate() throws IOException {
        SchemaModel desired = model.copy();
        desired.entities.clear();
        int edits = 1 + random.nextInt(3);
        for (int i = 0; i < edits; i++) {
            script.edit(desired, model);
        }
        boolean approved = random.nextInt(3) == 0;
        Set<String> expected = model.refusals(desired, approved);
        story.add("approved " + approved + ", expects " + expected + ":\n" + desired.source() + "from\n"
                + model.source());
        SchemaRequest request = new SchemaRequest(
                desired.source(), approved ? DropApproval.every() : DropApproval.none("approve %s"), null);
        if (desired.source().equals(model.source())) {
            expected = Set.of();
        }
        SchemaModel beside = random.nextInt(8) == 0 ? model.copy() : null;
        if (beside != null) {
            graph.createBranch("side", "main", null).join();
        }
        migrate(desired, request, expected);
        if (beside != null) {
            ReadTarget side = new ReadTarget.AtBranch("side");
            assertThat(graph.schema(side).source()).isEqualTo(beside.source());
            assertThat(export(side)).isEqualTo(beside.export());
            graph.deleteBranch("side", null).join();
            count("branch");
        }
    }

    private void migrate(SchemaModel desired, SchemaRequest request, Set<String> expected) {
        String before = graph.snapshot(ReadTarget.MAIN).commitId().toString();
        try {
            MigrationResult result = graph.applySchema(request, TestEngine.ample());
            assertThat(expected).isEmpty();
            model = model.migrated(desired);
            count(result.commit() == null ? "nothing" : "applied");
            if (result.commit() != null) {
                remember(result.commit().id().toString());
                checkDiff(before, result.commit().id().toString());
                checkDiff(result.commit().id().toString(), before);
            }
        } catch (ServiceException e) {
            if (!(e.detail() instanceof ErrorDetail.SchemaRefusal refusal)) {
                throw new AssertionError("not a refusal: " + e.detail(), e);
            }
            assertThat(expected).as("%s", e.getMessage()).contains(refusal.code());
            expected.forEach(code -> assertThat(e.getMessage()).contains(code));
            count(refusal.code());
        }
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    /** The diff of two states is what the models of both say, whatever was migrated between them. */
    private void checkDiff(String from, String to) {
        SchemaModel one = Objects.requireNonNull(models.get(from));
        SchemaModel two = Objects.requireNonNull(models.get(to));
        Map<String, String> found = new TreeMap<>();
        graph.diff(
                DiffStates.between(from, to),
                null,
                new ChangeSelection(List.of(), List.of(), List.of()),
                Settings.DEFAULTS,
                TestEngine.ample(),
                new DiffSink() {
                    @Override
                    public void begin(@Nullable String digest, List<String> steps) {}

                    @Override
                    public boolean change(Catalog before, Catalog after, EntityChange change) {
                        int type = change.typeIdentity();
                        SchemaModel.Type was = type(one, before.type(type));
                        SchemaModel.Type is = type(two, after.type(type));
                        int label = (is == null ? Objects.requireNonNull(was) : is).label;
                        found.put(
                                label + "/" + change.id(),
                                shown(one, was, before.type(type), change.before()) + " -> "
                                        + shown(two, is, after.type(type), change.after()));
                        return true;
                    }
                });
        Map<String, String> expected = new TreeMap<>();
        Set<Integer> labels = new TreeSet<>(one.entities.keySet());
        labels.addAll(two.entities.keySet());
        for (int label : labels) {
            Set<String> ids = new TreeSet<>(one.entities(label).keySet());
            ids.addAll(two.entities(label).keySet());
            for (String id : ids) {
                SchemaModel.Entity was = one.entities(label).get(id);
                SchemaModel.Entity is = two.entities(label).get(id);
                if (!Objects.equals(was, is)) {
                    expected.put(label + "/" + id, was + " -> " + is);
                }
            }
        }
        assertThat(found).as("%s to %s", from, to).isEqualTo(expected);
        differences += expected.size();
    }

    private static SchemaModel.@Nullable Type type(SchemaModel model, @Nullable EntityType type) {
        return type == null
                ? null
                : model.types.values().stream()
                        .filter(known -> known.name.equals(type.name())
                                && known.isEdge() == (type instanceof EntityType.EdgeType))
                        .findFirst()
                        .orElse(null);
    }

    private static SchemaModel.@Nullable Entity shown(
            SchemaModel all, SchemaModel.@Nullable Type model, @Nullable EntityType type, @Nullable Image image) {
        if (image == null) {
            return null;
        }
        Map<Integer, Object> values = new TreeMap<>();
        for (SchemaModel.Prop prop : Objects.requireNonNull(model).props) {
            int identity = Objects.requireNonNull(Objects.requireNonNull(type).property(prop.name))
                    .identity();
            switch (image.properties().get(identity)) {
                case Value.Text text -> values.put(prop.label, text.value());
                case Value.Int number -> values.put(prop.label, (int) number.value());
                case null -> {}
                default -> throw new AssertionError(image);
            }
        }
        int toType = 0;
        if (type instanceof EntityType.EdgeType edge) {
            String end = edge.destination().name(edge.destination().type(image.toType()));
            toType = all.types.values().stream()
                    .filter(known -> !known.isEdge() && known.name.equals(end))
                    .findFirst()
                    .orElseThrow()
                    .label;
        }
        return new SchemaModel.Entity(image.from(), image.to(), toType, values);
    }

    /** Loads, changes and deletes entities. */
    private void write() throws IOException {
        for (int i = random.nextInt(3); i >= 0; i--) {
            SchemaModel next = model.copy();
            String text = script.load(next);
            run(
                    () -> graph.load(
                                    WriteOptions.NONE,
                                    "main",
                                    null,
                                    LoadMode.MERGE,
                                    new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                                    TestEngine.ample())
                            .join()
                            .commit(),
                    next);
        }
        SchemaModel.Type type = any(new ArrayList<>(model.types.values()));
        List<String> ids = new ArrayList<>(model.entities(type.label).keySet());
        if (!ids.isEmpty()) {
            String id = any(ids);
            if (random.nextBoolean()) {
                delete(type, id);
            } else {
                clear(type, id);
            }
        }
    }

    private void delete(SchemaModel.Type type, String id) {
        SchemaModel next = model.copy();
        next.delete(type, id);
        mutate("delete " + type.name + " where @id = \"" + id + "\"", next);
    }

    private void clear(SchemaModel.Type type, String id) {
        List<SchemaModel.Prop> nullable =
                type.props.stream().filter(prop -> prop.nullable).toList();
        if (!nullable.isEmpty()) {
            SchemaModel.Prop prop = any(nullable);
            SchemaModel next = model.copy();
            SchemaModel.Entity entity = next.entities(type.label).get(id);
            Map<Integer, Object> values = new TreeMap<>(entity.values());
            values.remove(prop.label);
            next.entities(type.label)
                    .put(id, new SchemaModel.Entity(entity.from(), entity.to(), entity.toType(), values));
            mutate("update " + type.name + " set { " + prop.name + ": null } where @id = \"" + id + "\"", next);
        }
    }

    private void mutate(String statement, SchemaModel next) {
        run(
                () -> graph.mutate(
                                WriteOptions.NONE,
                                new MutationCall("main", "query q() { " + statement + " }", null, null),
                                Settings.DEFAULTS,
                                TestEngine.ample())
                        .join()
                        .commit(),
                next);
    }

    /** Runs a write; a violated constraint leaves everything as it was. */
    private void run(
            java.util.function.Supplier<service.core.graph.request.@Nullable CommitRecord> write, SchemaModel next) {
        try {
            var commit = write.get();
            model = next;
            if (commit != null) {
                remember(commit.id().toString());
            }
        } catch (CompletionException | ServiceException e) {
            Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            if (!(cause instanceof ServiceException refusal)
                    || !(refusal.detail() instanceof ErrorDetail.ConstraintViolation)) {
                throw new AssertionError("a write failed", cause);
            }
        }
    }

    private void remember(String commit) {
        states.put(commit, model.export());
        models.put(commit, model.copy());
    }

    private void checkHead() throws IOException {
        assertThat(export(ReadTarget.MAIN)).isEqualTo(model.export());
        for (SchemaModel.Type type : model.types.values()) {
            for (SchemaModel.Prop prop : type.props) {
                if (!type.isEdge()) {
                    checkLookUp(type, prop);
                }
            }
        }
    }

    /** Queries by a value; the planner uses the index if the property has one. */
    private void checkLookUp(SchemaModel.Type type, SchemaModel.Prop prop) throws IOException {
        Object value = SchemaModel.value(prop, random);
        String literal = prop.words == null && prop.type.equals("I32") ? value.toString() : "\"" + value + "\"";
        QueryResponse response = new QueryResponse(false);
        graph.query(
                ReadTarget.MAIN,
                "query q() { match { $x: %s  $x.%s = %s } return { $x.@id as id, $x.%s as value } order { id } }"
                        .formatted(type.name, prop.name, literal, prop.name),
                null,
                null,
                Settings.DEFAULTS,
                TestEngine.ample(),
                response);
        List<String> found =
                JSON.readTree(ByteChunks.join(response.pieces())).path("rows").findValuesAsText("id");
        List<String> expected = model.entities(type.label).entrySet().stream()
                .filter(entry -> value.equals(entry.getValue().values().get(prop.label)))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(found).as("%s.%s = %s", type.name, prop.name, literal).isEqualTo(expected);
    }

    private Map<String, String> export(ReadTarget target) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(target, List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return SchemaModel.exported(bytes.toString(StandardCharsets.UTF_8));
    }

    /** Keeps a random number of the last states. All others are reclaimed, because no branch is left but main. */
    private void cleanUp() {
        int keep = 1 + random.nextInt(states.size());
        storage.cleanup().run(new RetentionPolicy((long) keep, null), Duration.ZERO);
        List<String> commits = List.copyOf(states.keySet());
        for (String commit : commits.subList(0, commits.size() - keep)) {
            states.remove(commit);
            models.remove(commit);
            reclaimed.add(commit);
        }
    }

    private void checkAll() throws IOException {
        for (String commit : reclaimed) {
            assertThatThrownBy(() -> export(ReadTarget.of(null, commit, null)))
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED));
        }
        for (Map.Entry<String, Map<String, String>> state : states.entrySet()) {
            assertThat(export(ReadTarget.of(null, state.getKey(), null)))
                    .as("state %s", state.getKey())
                    .isEqualTo(state.getValue());
        }
        List<String> commits = List.copyOf(states.keySet());
        for (int i = 0; i < PAIRS; i++) {
            checkDiff(any(commits), any(commits));
        }
    }

    private void verify() throws IOException {
        Path scratch = Files.createDirectories(folder.resolve("scratch"));
        assertThat(GraphVerification.run(directory(), OPTIONS, scratch).findings())
                .isEmpty();
    }
}
