package service.projection.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeConflict;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.Resolution;
import service.core.graph.load.LoadMode;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.MutationCall;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.graph.schema.UpgradeRequest;
import service.core.graph.schema.UpgradeResult;
import service.core.json.Int64Form;
import service.core.json.Json;
import service.core.port.RetentionPolicy;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.SchemaRefusal;
import service.core.testkit.SchemaModel;
import service.core.testkit.SchemaScript;
import service.core.testkit.Seed;
import service.core.value.EntityKind;
import service.projection.TestEngine;
import service.projection.resident.ResidentMemory;

/**
 * Random changes of the schema of main beside branches that are written, upgraded and merged, against
 * {@link SchemaModel}, whose labels are the identities. A branch keeps its schema until its upgrade, an upgrade is
 * refused as the model says, and a merge has the conflicts and the outcome of a three-way merge in the target's schema.
 */
final class SchemasBesideBranchesTest {
    private static final StorageOptions OPTIONS = StorageOptions.defaults()
            .withMapBytes(1L << 30, 4L << 30)
            .withCheckpointEvents(0)
            .withResident(new ResidentMemory(1 << 28, 0));

    /** The number of histories and the steps of each; thousands were run once with {@code -Dservice.beside=…}. */
    private static final int HISTORIES = Integer.getInteger("service.beside", 2);

    private static final int STEPS = 60;
    private static final int BRANCHES_MAX = 4;

    private static final ObjectNode BY_PROPERTY = Json.object().put("merge_granularity", "property");

    @TempDir
    Path folder;

    private Random random;
    private int number;
    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private SchemaScript script;
    private Map<String, Line> lines = new TreeMap<>();
    private final List<String> story = new ArrayList<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private int named;

    /** Whether the model does not say any more what the graph holds. */
    private boolean ended;

    private Settings settings = Settings.DEFAULTS;

    /** A branch: what it holds, and what its merge base with main holds. */
    private static final class Line {
        SchemaModel state;
        SchemaModel base;

        Line(SchemaModel state) {
            this.state = state;
            this.base = state;
        }
    }

    /**
     * What resolutions leave to the target.
     *
     * @param whole entities
     * @param ofNodes edge types and nodes, whose edges of that type are left
     * @param named all entities that have a resolution
     */
    private record Left(Set<Entity> whole, Set<Entity> ofNodes, Set<Entity> named) {
        static Left nothing() {
            return new Left(new HashSet<>(), new HashSet<>(), new HashSet<>());
        }
    }

    /** An entity by the label of its type. */
    private record Entity(int type, String id) {}

    @Test
    void branchesKeepTheirSchemaAndMergeIntoALaterOne(@Seed long seed) throws Exception {
        for (number = 0; number < HISTORIES; number++) {
            history(seed + number);
        }
        System.out.println("SchemasBesideBranchesTest: " + outcomes);
        assertThat(outcomes).containsKeys("migrated", "written");
    }

    private void history(long seed) throws Exception {
        random = new Random(seed);
        script = new SchemaScript(random);
        story.clear();
        lines = new TreeMap<>();
        named = 0;
        SchemaModel first = script.first();
        first = new SchemaModel().migrated(first);
        lines.put("main", new Line(first));
        Catalog catalog = SchemaCompiler.compile(first.source());
        storage = LmdbGraphStorage.create(directory(), OPTIONS, TestEngine.schema(catalog), null);
        graph = TestEngine.graph(storage);
        try {
            ended = false;
            for (int i = 0; i < STEPS && !ended; i++) {
                step();
                check();
            }
            storage.close();
            Path scratch = Files.createDirectories(folder.resolve("scratch" + number));
            assertThat(GraphVerification.run(directory(), OPTIONS, scratch).findings())
                    .isEmpty();
            LmdbGraphStorage.rebuild(directory(), OPTIONS, offset -> {});
            storage = LmdbGraphStorage.open(directory(), OPTIONS);
            graph = TestEngine.graph(storage);
            check();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "history of seed " + seed + ": " + e.getMessage() + "\n"
                            + String.join("\n", story.subList(Math.max(0, story.size() - 8), story.size())),
                    e);
        } finally {
            storage.close();
        }
    }

    private Path directory() {
        return folder.resolve("graph" + number);
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private Line line(String branch) {
        return Objects.requireNonNull(lines.get(branch));
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    private void step() {
        int what = random.nextInt(100);
        String branch = any(List.copyOf(lines.keySet()));
        if (what < 40) {
            write(branch);
        } else if (what < 43) {
            storage.cleanup().run(new RetentionPolicy(1L + random.nextInt(12), null), Duration.ZERO);
            count("cleaned up");
        } else if (what < 45) {
            storage.close();
            storage = LmdbGraphStorage.open(directory(), OPTIONS);
            graph = TestEngine.graph(storage);
        } else if (what < 65) {
            migrate();
        } else if (what < 75) {
            fork(branch);
        } else if (branch.equals("main")) {
            return;
        } else if (what < 83) {
            upgrade(branch);
        } else if (what < 95) {
            merge(branch);
        } else if (what < 98) {
            mergeMain(branch);
        } else {
            graph.deleteBranch(branch, null).join();
            lines.remove(branch);
        }
    }

    private void check() {
        if (ended) {
            return;
        }
        lines.forEach((branch, line) -> assertThat(export(branch)).as(branch).isEqualTo(line.state.export()));
    }

    private Map<String, String> export(String branch) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(new ReadTarget.AtBranch(branch), List.of(), Int64Form.NUMBER, TestEngine.ample(), bytes);
        return SchemaModel.exported(bytes.toString(StandardCharsets.UTF_8));
    }

    private void fork(String from) {
        if (lines.size() < BRANCHES_MAX) {
            String name = "b" + named++;
            story.add("fork " + name + " from " + from);
            graph.createBranch(name, from, null).join();
            Line line = new Line(line(from).state);
            line.base = from.equals("main") ? line.state : line(from).base;
            lines.put(name, line);
        }
    }

    private void write(String branch) {
        SchemaModel next = line(branch).state.copy();
        List<SchemaModel.Type> types = List.copyOf(next.types.values());
        SchemaModel.Type type = any(types);
        List<String> ids = List.copyOf(next.entities(type.label).keySet());
        if (random.nextInt(4) == 0 && !ids.isEmpty()) {
            String id = any(ids);
            next.delete(type, id);
            String statement = "query q() { delete " + type.name + " where @id = \"" + id + "\" }";
            run(
                    branch,
                    next,
                    statement,
                    () -> graph.mutate(
                                    WriteOptions.NONE,
                                    new MutationCall(branch, statement, null, null),
                                    Settings.DEFAULTS,
                                    TestEngine.ample())
                            .join());
        } else {
            String records = script.load(next);
            run(
                    branch,
                    next,
                    records,
                    () -> graph.load(
                                    WriteOptions.NONE,
                                    branch,
                                    null,
                                    LoadMode.MERGE,
                                    new ByteArrayInputStream(records.getBytes(StandardCharsets.UTF_8)),
                                    TestEngine.ample())
                            .join());
        }
    }

    /** A violated constraint leaves everything as it was. */
    private void run(String branch, SchemaModel next, String what, Runnable write) {
        story.add(branch + ": " + what);
        try {
            write.run();
            assertThat(next.isViolated()).isFalse();
            line(branch).state = next;
            count("written");
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof ServiceException refusal)
                    || !(refusal.detail() instanceof ErrorDetail.ConstraintViolation)) {
                throw e;
            }
        }
    }

    private void migrate() {
        SchemaModel before = line("main").state;
        SchemaModel desired = before.copy();
        desired.entities.clear();
        for (int i = random.nextInt(3); i >= 0; i--) {
            script.edit(desired, before);
        }
        boolean approved = random.nextInt(3) > 0;
        Set<String> expected = before.refusals(desired, approved);
        if (desired.source().equals(before.source())) {
            return;
        }
        story.add("main gets, expecting " + expected + ":\n" + desired.source());
        try {
            graph.applySchema(
                    new SchemaRequest(
                            desired.source(), approved ? DropApproval.every() : DropApproval.none("%s"), null),
                    TestEngine.ample());
            assertThat(expected).isEmpty();
            line("main").state = before.migrated(desired);
            count("migrated");
        } catch (ServiceException e) {
            if (!(e.detail() instanceof ErrorDetail.SchemaRefusal refusal)) {
                throw e;
            }
            assertThat(expected).contains(refusal.code());
        }
    }

    private void upgrade(String branch) {
        SchemaModel state = line(branch).state;
        SchemaModel main = line("main").state;
        boolean approved = random.nextInt(3) > 0;
        Set<String> drops =
                approved ? state.types.values().stream().map(type -> type.name).collect(Collectors.toSet()) : Set.of();
        Set<String> expected = state.refusalsOfData(main, approved);
        story.add("upgrade " + branch + ", expecting " + expected + " of\n" + state.source() + "to\n" + main.source());
        UpgradeResult preview =
                graph.upgrade(WriteOptions.NONE, new UpgradeRequest(branch, drops, true), TestEngine.ample());
        assertThat(preview.refusals().stream().map(SchemaRefusal::code).collect(Collectors.toSet()))
                .isEqualTo(expected);
        if (!expected.isEmpty()) {
            assertThatThrownBy(() -> graph.upgrade(
                            WriteOptions.NONE, new UpgradeRequest(branch, drops, false), TestEngine.ample()))
                    .hasMessageContaining("does not fit the schema of main");
            count("upgrade refused");
            return;
        }
        UpgradeResult done =
                graph.upgrade(WriteOptions.NONE, new UpgradeRequest(branch, drops, false), TestEngine.ample());
        assertThat(done.outcome()).isEqualTo(preview.outcome());
        line(branch).state = state.shownAs(main);
        count(done.outcome().wireName());
    }

    /** Merges main into a branch, which must have the schema of main. */
    private void mergeMain(String branch) {
        MergeRequest request = MergeRequest.of("main", branch);
        story.add("merge main into " + branch);
        try {
            MergeResult result = graph.merge(WriteOptions.NONE, request, Settings.DEFAULTS, TestEngine.ample());
            if (result.outcome() == MergeOutcome.ALREADY_UP_TO_DATE) {
                return;
            }
            Line line = line(branch);
            assertThat(isOneSchema(line.state, line("main").state)).isTrue();
            Merge merge = new Merge(line.base, line("main").state, line.state, Left.nothing(), false);
            line.state = result.outcome() == MergeOutcome.FAST_FORWARD ? line("main").state : merge.outcome();
            line.base = line("main").state;
            count("main merged");
        } catch (ServiceException e) {
            if (!isOneSchema(line(branch).state, line("main").state)) {
                assertThat(e.getMessage()).contains("service branch upgrade " + branch);
            } else {
                assertThat(e.detail()).isInstanceOf(ErrorDetail.MergeConflicts.class);
            }
        }
    }

    private static boolean isOneSchema(SchemaModel one, SchemaModel other) {
        return one.source().equals(other.source())
                && one.types.keySet().equals(other.types.keySet())
                && one.types.values().stream()
                        .allMatch(type -> labels(type).equals(labels(other.types.get(type.label))));
    }

    private static List<Integer> labels(SchemaModel.Type type) {
        return type.props.stream().map(prop -> prop.label).toList();
    }

    /** Merges a branch into main and takes main's side of all conflicts. */
    private void merge(String branch) {
        Line line = line(branch);
        SchemaModel main = line("main").state;
        story.add("merge " + branch + " of\n" + line.state.source() + "into\n" + main.source());
        List<Resolution> resolutions = new ArrayList<>();
        Left left = Left.nothing();
        boolean byProperty = random.nextBoolean();
        settings = byProperty ? Settings.DEFAULTS.withRequest(BY_PROPERTY) : Settings.DEFAULTS;
        MergeResult result = preview(branch, resolutions);
        if (result.outcome() == MergeOutcome.ALREADY_UP_TO_DATE) {
            return;
        }
        Merge open = new Merge(line.base, line.state, main, left, byProperty);
        List<MergeConflict> first = conflicts(result);
        assertThat(decided(first, line.state, main))
                .as("%s", first.stream().map(MergeConflict::message).toList())
                .isEqualTo(open.conflicts());
        if (isOneSchema(line.state, main)) {
            assertThat(first).noneMatch(conflict -> conflict.kind() == MergeConflict.Kind.SCHEMA_CONFLICT);
        }
        for (List<MergeConflict> found = first; !found.isEmpty(); found = conflicts(preview(branch, resolutions))) {
            int before = resolutions.size();
            for (MergeConflict conflict : found) {
                if (conflict.kind() == MergeConflict.Kind.SCHEMA_CONFLICT || isDivergent(conflict)) {
                    add(conflict, resolutions, open, left);
                }
            }
            if (resolutions.size() == before) {
                assertThat(found).allMatch(conflict -> !isDivergent(conflict));
                count("merge stuck " + found.getFirst().kind().wireName());
                return;
            }
        }
        MergeRequest request = request(branch, false, resolutions);
        MergeResult done = graph.merge(WriteOptions.NONE, request, settings, TestEngine.ample());
        line("main").state = done.outcome() == MergeOutcome.FAST_FORWARD ? line.state : open.outcome();
        if (line("main").state.isViolated()) {
            // The resolution of a part took the target as a whole, because the rest broke a rule that is new.
            assertThat(byProperty && !left.named.isEmpty()).isTrue();
            count("merged as a whole");
            ended = true;
            return;
        }
        rebase(branch);
        count(resolutions.isEmpty() ? "merged" : "merged with resolutions");
        if (random.nextBoolean()) {
            // What the resolutions left out is a decision of main, which the branch takes over.
            upgrade(branch);
            mergeMain(branch);
        }
    }

    /** Of the branches, only the merged one stays: the bases of the others are not those of the model any more. */
    private void rebase(String merged) {
        for (String other : List.copyOf(lines.keySet())) {
            if (!other.equals("main") && !other.equals(merged)) {
                graph.deleteBranch(other, null).join();
                lines.remove(other);
            }
        }
        line(merged).base = line(merged).state;
    }

    private static void add(MergeConflict conflict, List<Resolution> resolutions, Merge merge, Left left) {
        SchemaModel source = merge.source;
        SchemaModel main = merge.target;
        boolean edge = conflict.type().kind() == EntityKind.EDGE;
        String name = conflict.type().name();
        // A name may be of two types, one on each side.
        int label = isOfDroppedType(conflict) ? source.labelOf(edge, name) : main.labelOf(edge, name);
        Resolution resolution = Resolution.of(conflict.type().kind().wireName(), name, conflict.entityId(), "target");
        if (resolutions.stream().noneMatch(known -> known.equals(resolution))) {
            resolutions.add(resolution);
        }
        Entity entity = new Entity(label, conflict.entityId());
        left.named.add(entity);
        boolean parts = merge.byProperty
                && (conflict.kind() == MergeConflict.Kind.SCHEMA_CONFLICT
                        ? !conflict.properties().isEmpty()
                        : conflict.source() != null && conflict.target() != null);
        if (conflict.message().contains("@card")) {
            left.ofNodes.add(entity);
        } else if (!parts) {
            left.whole.add(entity);
        }
    }

    private static boolean isOfDroppedType(MergeConflict conflict) {
        return conflict.message().contains("does not have type");
    }

    private static boolean isDivergent(MergeConflict conflict) {
        return switch (conflict.kind()) {
            case DIVERGENT_INSERT, DIVERGENT_UPDATE, DELETE_VS_UPDATE, AMBIGUOUS_BASE -> true;
            default -> false;
        };
    }

    private static List<MergeConflict> conflicts(MergeResult result) {
        return Objects.requireNonNull(result.preview()).conflicts();
    }

    /** The entities in conflict because of both sides or of what main has dropped, not of constraints. */
    private static Set<String> decided(List<MergeConflict> conflicts, SchemaModel source, SchemaModel main) {
        Set<String> decided = new TreeSet<>();
        for (MergeConflict conflict : conflicts) {
            boolean lost = conflict.message().contains(": the source wrote it");
            if (lost || isDivergent(conflict)) {
                boolean edge = conflict.type().kind() == EntityKind.EDGE;
                String name = conflict.type().name();
                int label = isOfDroppedType(conflict) ? source.labelOf(edge, name) : main.labelOf(edge, name);
                decided.add(label + "/" + conflict.entityId());
            }
        }
        return decided;
    }

    private MergeResult preview(String branch, List<Resolution> resolutions) {
        return graph.merge(WriteOptions.NONE, request(branch, true, resolutions), settings, TestEngine.ample());
    }

    private static MergeRequest request(String branch, boolean dryRun, List<Resolution> resolutions) {
        return new MergeRequest(branch, "main", false, dryRun, MergeRequest.Form.ANY, List.copyOf(resolutions));
    }

    /**
     * A three-way merge of models.
     *
     * @param left grows while conflicts are found
     * @param byProperty whether different properties of an entity are combined
     */
    private record Merge(SchemaModel base, SchemaModel source, SchemaModel target, Left left, boolean byProperty) {
        /** The entities that both sides have changed differently, or that the target cannot have. */
        Set<String> conflicts() {
            Set<String> conflicts = new TreeSet<>();
            SchemaModel was = base.shownAs(source);
            SchemaModel wasShown = was.shownAs(target);
            SchemaModel isShown = source.shownAs(target);
            for (SchemaModel.Type type : source.types.values()) {
                Set<String> ids = new TreeSet<>(was.entities(type.label).keySet());
                ids.addAll(source.entities(type.label).keySet());
                for (String id : ids) {
                    SchemaModel.Entity before = was.entities(type.label).get(id);
                    SchemaModel.Entity after = source.entities(type.label).get(id);
                    if (Objects.equals(before, after)) {
                        continue;
                    }
                    boolean lost = after != null && isLost(type, before, after);
                    if (lost || (fits(type, before) && isDivergent(type.label, id, wasShown, isShown))) {
                        conflicts.add(type.label + "/" + id);
                    }
                }
            }
            return conflicts;
        }

        private boolean isDivergent(int type, String id, SchemaModel wasShown, SchemaModel isShown) {
            SchemaModel.Entity was = wasShown.entities(type).get(id);
            SchemaModel.Entity is = isShown.entities(type).get(id);
            SchemaModel.Entity current = target.entities(type).get(id);
            if (!target.types.containsKey(type)) {
                return false;
            }
            if (byProperty && is != null && current != null) {
                Map<String, Object> before = parts(was);
                Map<String, Object> ours = parts(is);
                Map<String, Object> theirs = parts(current);
                return names(before, ours, theirs).stream()
                        .anyMatch(part -> differ(before.get(part), ours.get(part), theirs.get(part)));
            }
            return differ(was, is, current);
        }

        private static boolean differ(@Nullable Object was, @Nullable Object is, @Nullable Object current) {
            return !Objects.equals(is, current) && !Objects.equals(was, current) && !Objects.equals(was, is);
        }

        /** The properties by label, and the ends. */
        private static Map<String, Object> parts(SchemaModel.@Nullable Entity entity) {
            Map<String, Object> parts = new TreeMap<>();
            if (entity != null) {
                entity.values().forEach((label, value) -> parts.put("p" + label, value));
                if (entity.from() != null) {
                    parts.put("from", entity.from());
                    parts.put("to", entity.toType() + " " + entity.to());
                }
            }
            return parts;
        }

        @SafeVarargs
        private static Set<String> names(Map<String, Object>... all) {
            Set<String> names = new TreeSet<>();
            for (Map<String, Object> each : all) {
                names.addAll(each.keySet());
            }
            return names;
        }

        /** The target's entity with what the source alone has changed. */
        private static SchemaModel.Entity combined(
                SchemaModel.@Nullable Entity was, SchemaModel.Entity is, SchemaModel.Entity current) {
            Map<String, Object> before = parts(was);
            Map<String, Object> ours = parts(is);
            Map<String, Object> theirs = parts(current);
            Map<Integer, Object> values = new TreeMap<>();
            boolean from = false;
            boolean to = false;
            for (String part : names(before, ours, theirs)) {
                boolean taken = Objects.equals(before.get(part), theirs.get(part));
                Object value = taken ? ours.get(part) : theirs.get(part);
                if (part.equals("from")) {
                    from = taken;
                } else if (part.equals("to")) {
                    to = taken;
                } else if (value != null) {
                    values.put(Integer.valueOf(part.substring(1)), value);
                }
            }
            SchemaModel.Entity end = to ? is : current;
            return new SchemaModel.Entity(from ? is.from() : current.from(), end.to(), end.toType(), values);
        }

        private boolean fits(SchemaModel.Type type, SchemaModel.@Nullable Entity entity) {
            SchemaModel.Type now = target.types.get(type.label);
            return now != null && (entity == null || !type.isEdge() || target.mayEnd(now, entity.toType()));
        }

        private boolean isLost(SchemaModel.Type type, SchemaModel.@Nullable Entity before, SchemaModel.Entity after) {
            SchemaModel.Type now = target.types.get(type.label);
            if (now == null || !fits(type, before) || !fits(type, after)) {
                return true;
            }
            return after.values().entrySet().stream()
                    .anyMatch(value -> now.prop(value.getKey()) == null
                            && (before == null
                                    || !value.getValue().equals(before.values().get(value.getKey()))));
        }

        SchemaModel outcome() {
            SchemaModel merged = target.copy();
            SchemaModel was = base.shownAs(source);
            SchemaModel wasShown = was.shownAs(target);
            SchemaModel isShown = source.shownAs(target);
            for (SchemaModel.Type type : target.types.values()) {
                Set<String> ids = new HashSet<>(wasShown.entities(type.label).keySet());
                ids.addAll(isShown.entities(type.label).keySet());
                for (String id : ids) {
                    SchemaModel.Entity before = wasShown.entities(type.label).get(id);
                    SchemaModel.Entity after = isShown.entities(type.label).get(id);
                    boolean unfit = source.types.containsKey(type.label)
                            && (!fits(source.types.get(type.label), before)
                                    || !fits(source.types.get(type.label), after));
                    if (Objects.equals(before, after)
                            || unfit
                            || left.whole.contains(new Entity(type.label, id))
                            || isOf(type, before)
                            || isOf(type, after)) {
                        continue;
                    }
                    SchemaModel.Entity current = target.entities(type.label).get(id);
                    if (after == null) {
                        merged.entities(type.label).remove(id);
                    } else if (byProperty && current != null) {
                        merged.entities(type.label).put(id, combined(before, after, current));
                    } else {
                        merged.entities(type.label).put(id, after);
                    }
                }
            }
            leaveWithoutEnds(merged);
            return merged;
        }

        /** An edge that has a resolution is left as a whole where a node at its end is left. */
        private void leaveWithoutEnds(SchemaModel merged) {
            for (Entity entity : left.named) {
                SchemaModel.Type type = merged.types.get(entity.type);
                SchemaModel.Entity edge = type == null || !type.isEdge()
                        ? null
                        : merged.entities(entity.type).get(entity.id);
                if (edge != null
                        && !(merged.entities(Objects.requireNonNull(type).source)
                                        .containsKey(edge.from())
                                && merged.entities(edge.toType()).containsKey(edge.to()))) {
                    SchemaModel.Entity current = target.entities(entity.type).get(entity.id);
                    if (current == null) {
                        merged.entities(entity.type).remove(entity.id);
                    } else {
                        merged.entities(entity.type).put(entity.id, current);
                    }
                }
            }
        }

        private boolean isOf(SchemaModel.Type type, SchemaModel.@Nullable Entity edge) {
            return type.isEdge()
                    && edge != null
                    && left.ofNodes.contains(new Entity(type.label, Objects.requireNonNull(edge.from())));
        }
    }
}
