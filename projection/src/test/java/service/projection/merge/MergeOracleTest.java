package service.projection.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.batch.EntityColumn;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.event.TakenSides;
import service.core.graph.GraphAccess;
import service.core.graph.branch.DiffSink;
import service.core.graph.branch.DiffStates;
import service.core.graph.branch.MergeConflict;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.Resolution;
import service.core.graph.branch.UndoRequest;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MergeOutcome;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Json;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.RetentionPolicy;
import service.core.port.WriteCommand;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.TestEngine;
import service.projection.merge.MapMerge.Name;
import service.projection.merge.MapMerge.Part;
import service.projection.merge.MapMerge.Thing;
import service.projection.storage.GraphVerification;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * Random histories of up to five branches, merged in every direction, compared with {@link MapMerge}: same outcome,
 * same conflicts with the same images and same state, in both granularities, and the same net changes between any two
 * states, and since their merge base, including those of deleted branches. Every other history has cleanups, which must
 * not reclaim the base of a merge.
 */
class MergeOracleTest {
    private static final String SCHEMA = """
        node Person { name: String?  age: I64?  nick: String? @unique }
        node City { name: String? }
        edge Knows: Person -> Person { since: I64? }
        edge LivesIn: Person -> City | Person @card(0..1)
        edge Met: Person -> City { year: I64  nights: I64?  @key(src, dst, year) }
        """;
    private static final Catalog CATALOG = SchemaCompiler.compile(SCHEMA);
    private static final List<String> TYPES = List.of("Person", "City", "Knows", "LivesIn", "Met");
    private static final Set<String> DIVERGENT =
            Set.of("DIVERGENT_INSERT", "DIVERGENT_UPDATE", "DELETE_VS_UPDATE", "AMBIGUOUS_BASE");
    private static final Pattern NODE = Pattern.compile("(Person|City) `([^`]+)`");
    private static final Settings BY_PROPERTY =
            Settings.DEFAULTS.withRequest(Json.object().put("merge_granularity", "property"));
    private static final Set<String> EXPECTED = Set.of(
            "FAST_FORWARD",
            "MERGED",
            "CONFLICT",
            "RESOLVED",
            "AMBIGUOUS_BASE",
            "property",
            "value",
            "REVERT",
            "PICK",
            "RESTORE",
            "undo in conflict",
            "undo resolved");
    private static final int BRANCHES_MAX = 5;
    private static final int STEPS = 300;
    private static final int STEPS_MAX = 3 * STEPS;
    private static final int CLEANUP_STEPS = 60;
    private static final int UNDO_STEPS = 5;
    private static final int UNDO_LATE = 12;

    @TempDir
    Path directory;

    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private Random random;
    private final MapMerge model = new MapMerge();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<State> states = new ArrayList<>();
    private int ids;
    private int named;
    private int diffs;
    private int reclaimed;

    /** A commit of the graph and the equal commit of the model. */
    private record State(String commit, int number) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void mergesAgreeWithTheOracle(long nth, @Seed long seed) throws IOException {
        random = new Random(seed + nth);
        ids = nth % 2 == 0 ? 4 : 30;
        SchemaChange schema = TestEngine.schema(CATALOG);
        StorageOptions options =
                StorageOptions.defaults().withMapBytes(1L << 30, 4L << 30).withCheckpointEvents(0);
        Path folder = directory.resolve("graph");
        storage = LmdbGraphStorage.create(folder, options, schema, "tester");
        try {
            graph = TestEngine.graph(storage);
            // A few seeds have the rare ones only later.
            for (int step = 0;
                    step < STEPS || (step < STEPS_MAX && !outcomes.keySet().containsAll(EXPECTED));
                    step++) {
                if (step % UNDO_STEPS == UNDO_STEPS - 1) {
                    undo("step " + step);
                } else {
                    step(step);
                }
                if (nth % 2 == 1 && step % CLEANUP_STEPS == CLEANUP_STEPS - 1) {
                    storage.cleanup().run(new RetentionPolicy(2L, null), Duration.ZERO);
                }
                compare("step " + step);
            }
            assertThat(diffs).as("diffs").isGreaterThan(STEPS / 4);
            assertThat(reclaimed > 0).as("reclaimed states").isEqualTo(nth % 2 == 1);
        } finally {
            storage.close();
        }
        Path scratch = Files.createDirectory(directory.resolve("scratch"));
        assertThat(GraphVerification.run(folder, options, scratch).sound())
                .as("the log alone gives the same tables")
                .isTrue();
        assertThat(outcomes.keySet()).containsAll(EXPECTED);
        assertThat(model.crissCrosses).as("criss-crosses").isPositive();
    }

    /**
     * One random step; after a third of them one that crosses and one that fast-forwards, where there was none, because
     * a few seeds have none.
     */
    private void step(int number) {
        String what = "step " + number;
        int choice = random.nextInt(10);
        boolean late = number > STEPS / 3;
        if (late && !outcomes.containsKey("FAST_FORWARD") && model.heads.size() < BRANCHES_MAX) {
            String from = pick();
            String name = fork(from);
            putAlone(name);
            merge(what, name, from);
            return;
        }
        if (late && !outcomes.keySet().containsAll(Set.of("property", "value")) && model.heads.size() < BRANCHES_MAX) {
            disagree(what);
            return;
        }
        boolean due = late && model.crissCrosses == 0;
        if (due && model.heads.size() > BRANCHES_MAX - 2) {
            delete(pick());
            return;
        }
        if ((due || random.nextInt(20) == 0) && model.heads.size() <= BRANCHES_MAX - 2) {
            cross(what);
            return;
        }
        if (choice < 1 && model.heads.size() < BRANCHES_MAX) {
            String from = pick();
            String name = fork(from);
            if (random.nextBoolean()) {
                write(name, 1);
                merge(what, name, from);
            }
        } else if (choice < 2 && model.heads.size() == BRANCHES_MAX && random.nextInt(4) == 0) {
            delete(pick());
        } else if (choice < 6) {
            write(pick(), 1 + random.nextInt(3));
        } else {
            merge(what, pick(), pick());
        }
    }

    /** Stores a head and compares the diff of two stored states, which their branches may have left long ago. */
    private void compare(String what) {
        String branch = pick();
        String head = graph.branch(branch).head().toString();
        states.add(new State(head, model.heads.get(branch)));
        State from = states.get(random.nextInt(states.size()));
        State to = states.get(random.nextInt(states.size()));
        DiffStates.Since since = random.nextInt(3) > 0 ? DiffStates.Since.FROM : DiffStates.Since.MERGE_BASE;
        Map<Name, List<@Nullable Thing>> found = new TreeMap<>();
        try {
            graph.diff(
                    new DiffStates(from.commit, random.nextBoolean() ? to.commit : nameOr(to, branch, head), since),
                    null,
                    ChangeSelection.ALL,
                    Settings.DEFAULTS,
                    TestEngine.ample(),
                    new Collected(found));
        } catch (ServiceException e) {
            assertThat(e.code().wireName()).as(what).isEqualTo("snapshot_reclaimed");
            reclaimed++;
            return;
        }
        diffs++;
        int begin = since == DiffStates.Since.FROM ? from.number : model.mergeBase(from.number, to.number);
        NavigableMap<Name, Thing> before = model.commits.get(begin).state();
        NavigableMap<Name, Thing> after = model.commits.get(to.number).state();
        Map<Name, List<@Nullable Thing>> expected = new TreeMap<>();
        for (Name name : differing(before, after)) {
            expected.put(name, Arrays.asList(before.get(name), after.get(name)));
        }
        assertThat(found)
                .as(what + ": " + from + " to " + to + " since " + since)
                .isEqualTo(expected);
    }

    private static String nameOr(State state, String branch, String head) {
        return state.commit.equals(head) ? branch : state.commit;
    }

    /** A diff as pairs of before and after. */
    private record Collected(Map<Name, List<@Nullable Thing>> changes) implements DiffSink {
        @Override
        public void begin(@Nullable String digest, List<String> steps) {
            assertThat(digest).isNull();
        }

        @Override
        public boolean change(Catalog before, Catalog after, EntityChange change) {
            EntityType type = change.kind() == EntityKind.NODE
                    ? type(List.of("Person", "City"), change.typeIdentity())
                    : type(MapMerge.EDGES, change.typeIdentity());
            Name name = new Name(type.name(), change.id());
            Thing was = entity(type, change.before());
            Thing is = entity(type, change.after());
            assertThat(changes.put(name, Arrays.asList(was, is))).isNull();
            return true;
        }

        private static EntityType type(List<String> names, int identity) {
            return names.stream()
                    .map(MergeOracleTest::type)
                    .filter(type -> type.identity() == identity)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private String fork(String from) {
        String name = "b" + named++;
        graph.createBranch(name, from, null).join();
        model.heads.put(name, model.heads.get(from));
        return name;
    }

    private void delete(String branch) {
        if (!branch.equals("main")) {
            graph.deleteBranch(branch, null).join();
            model.heads.remove(branch);
        }
    }

    /** Merges both ways, so that afterwards there are two best common ancestors. */
    private void cross(String what) {
        String from = pick();
        Name shared = new Name("Person", "shared-" + named++);
        age(from, shared, "1");
        String one = fork(from);
        String other = fork(from);
        age(one, shared, "2");
        putAlone(one);
        putAlone(other);
        String before = fork(one);
        merge(what, other, one);
        merge(what, before, other);
        delete(before);
        // Both have 2 now, and one base has 1: whichever side goes back to 1, its base may say that it did nothing.
        age(random.nextBoolean() ? one : other, shared, "1");
        write(one, 2);
        write(other, 2);
        merge(what, one, other);
        delete(random.nextBoolean() ? one : other);
    }

    /** Merges two branches that have changed one property differently, with a resolution. */
    private void disagree(String what) {
        String from = pick();
        Name shared = new Name("Person", "shared-" + named++);
        age(from, shared, "1");
        String one = fork(from);
        age(one, shared, "2");
        age(from, shared, "3");
        resolve(one, from, true, BY_PROPERTY, what + ": " + one + " into " + from);
        delete(one);
    }

    private void age(String branch, Name person, String age) {
        NavigableMap<Name, Thing> state = new TreeMap<>(model.head(branch).state());
        state.put(person, new Thing(Map.of("age", age), null, null));
        commit(branch, state);
    }

    /** Inserts a person that is on no other branch. */
    private void putAlone(String branch) {
        NavigableMap<Name, Thing> state = new TreeMap<>(model.head(branch).state());
        state.put(new Name("Person", "alone-" + branch), new Thing(Map.of(), null, null));
        commit(branch, state);
    }

    private String pick() {
        List<String> names = new ArrayList<>(model.heads.keySet());
        return names.get(random.nextInt(names.size()));
    }

    private void merge(String what, String source, String target) {
        if (source.equals(target)) {
            return;
        }
        boolean byProperty = random.nextBoolean();
        Settings settings = byProperty ? BY_PROPERTY : Settings.DEFAULTS;
        MergeRequest.Form form = List.of(MergeRequest.Form.values()).get(Math.max(0, random.nextInt(10) - 7));
        MapMerge.Result expected = model.merge(source, target, byProperty, Map.of(), form == MergeRequest.Form.ANY);
        boolean squash = form == MergeRequest.Form.SQUASH;
        if (squash
                && expected.outcome().equals("MERGED")
                && expected.state().equals(model.head(target).state())) {
            expected = new MapMerge.Result("ALREADY_UP_TO_DATE", Set.of(), expected.state());
        }
        String then = what + ": " + source + " into " + target + (byProperty ? " by property " : " ") + form;
        MergeRequest request = new MergeRequest(source, target, false, false, form, List.of());
        MergeResult preview = graph.merge(
                WriteOptions.NONE,
                new MergeRequest(source, target, false, true, form, List.of()),
                settings,
                TestEngine.ample());
        assertThat(preview.outcome().name()).as(then).isEqualTo(expected.outcome());
        assertThat(conflicts(preview)).as(then).isEqualTo(expected.conflicts());
        outcomes.merge(expected.outcome(), 1, Integer::sum);
        expected.conflicts().forEach(conflict -> outcomes.merge(conflict.kind(), 1, Integer::sum));
        if (preview.outcome() == MergeOutcome.CONFLICT) {
            refused(request, settings, then, "");
            if (random.nextBoolean()) {
                resolve(source, target, byProperty, settings, then);
            } else if (random.nextInt(3) > 0) {
                // Resolves conflicts as a user would: the target takes the values of the source.
                commit(target, model.head(source).state());
            }
        } else {
            int changes =
                    differing(model.head(target).state(), expected.state()).size();
            assertThat(Objects.requireNonNull(preview.preview()).changes())
                    .as(then)
                    .isEqualTo(changes);
            MergeResult done = graph.merge(WriteOptions.NONE, request, settings, TestEngine.ample());
            assertThat(done.outcome()).as(then).isEqualTo(preview.outcome());
            if (done.outcome() == MergeOutcome.MERGED) {
                CommitHeader.Lineage lineage =
                        Objects.requireNonNull(done.commit()).lineage();
                assertThat(lineage.mergedParent() == null).as(then).isEqualTo(squash);
            }
            if (squash && done.outcome() == MergeOutcome.MERGED) {
                model.commit(target, -1, expected.state());
            } else {
                advance(source, target, expected);
            }
        }
        assertThat(state(target)).as(then).isEqualTo(model.head(target).state());
        assertThat(historyLength(target)).as(then).isEqualTo(depth(target));
    }

    /** A revert, a pick or a restore of any commit on any branch. */
    private record Undoing(CommitKind kind, State of, String branch, boolean byProperty) {
        UndoRequest request(boolean dryRun, List<Resolution> resolutions) {
            return new UndoRequest(kind, of.commit, branch, byProperty, dryRun, resolutions);
        }
    }

    /** A revert is the merge of the states after and before a commit, a pick that of those before and after it. */
    private void undo(String what) {
        // An early one has often been reclaimed.
        int late = random.nextBoolean() ? Math.min(UNDO_LATE, states.size()) : states.size();
        State of = states.get(states.size() - 1 - random.nextInt(late));
        if (model.commits.get(of.number).parent() < 0) {
            return;
        }
        CommitKind kind = List.of(
                        CommitKind.REVERT, CommitKind.REVERT, CommitKind.PICK, CommitKind.PICK, CommitKind.RESTORE)
                .get(random.nextInt(5));
        Undoing undoing = new Undoing(kind, of, pick(), random.nextBoolean());
        String then = what + ": " + undoing;
        try {
            MapMerge.Result expected = expected(undoing, Map.of());
            if (undo(undoing, List.of(), expected, then)) {
                outcomes.merge(kind.name(), 1, Integer::sum);
            } else {
                outcomes.merge("undo in conflict", 1, Integer::sum);
                resolve(undoing, expected, then);
            }
        } catch (ServiceException e) {
            assertThat(e.code().wireName()).as(then).isEqualTo("snapshot_reclaimed");
            reclaimed++;
        }
        assertThat(state(undoing.branch))
                .as(then)
                .isEqualTo(model.head(undoing.branch).state());
    }

    private MapMerge.Result expected(Undoing undoing, Map<Part, String> sides) {
        NavigableMap<Name, Thing> after = model.commits.get(undoing.of.number).state();
        NavigableMap<Name, Thing> before = before(undoing.of);
        NavigableMap<Name, Thing> head = model.head(undoing.branch).state();
        return switch (undoing.kind) {
            case REVERT -> MapMerge.merge(after, before, head, undoing.byProperty, sides);
            case PICK -> MapMerge.merge(before, after, head, undoing.byProperty, sides);
            default -> new MapMerge.Result("MERGED", Set.of(), after);
        };
    }

    private NavigableMap<Name, Thing> before(State of) {
        return model.commits.get(model.commits.get(of.number).parent()).state();
    }

    /** Whether it was done; else it is in conflict. */
    private boolean undo(Undoing undoing, List<Resolution> resolutions, MapMerge.Result expected, String then) {
        MergeResult preview = graph.undo(WriteOptions.NONE, undoing.request(true, resolutions), TestEngine.ample())
                .merged();
        NavigableMap<Name, Thing> head = model.head(undoing.branch).state();
        boolean changes = !expected.state().equals(head);
        boolean refused = expected.outcome().equals("CONFLICT");
        assertThat(preview.outcome().name())
                .as(then)
                .isEqualTo(refused || changes ? expected.outcome() : "ALREADY_UP_TO_DATE");
        assertThat(conflicts(preview)).as(then).isEqualTo(expected.conflicts());
        if (refused) {
            assertThatThrownBy(() ->
                            graph.undo(WriteOptions.NONE, undoing.request(false, resolutions), TestEngine.ample()))
                    .as(then)
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            e -> assertThat(e.code().wireName()).isEqualTo("conflict"));
            return false;
        }
        CommitRecord commit = graph.undo(WriteOptions.NONE, undoing.request(false, resolutions), TestEngine.ample())
                .merged()
                .commit();
        assertThat(commit != null).as(then).isEqualTo(changes);
        if (changes) {
            assertThat(Objects.requireNonNull(commit).kind()).isEqualTo(undoing.kind);
            model.commit(undoing.branch, -1, expected.state());
            if (random.nextBoolean()) {
                // Taken back, it is as if it had not been.
                String id = commit.id().toString();
                graph.undo(
                        WriteOptions.NONE,
                        new UndoRequest(CommitKind.REVERT, id, undoing.branch, false, false, List.of()),
                        TestEngine.ample());
                model.commit(undoing.branch, -1, head);
            }
        }
        return true;
    }

    private void resolve(Undoing undoing, MapMerge.Result open, String what) {
        NavigableMap<Name, Thing> after = model.commits.get(undoing.of.number).state();
        NavigableMap<Name, Thing> source = undoing.kind == CommitKind.PICK ? after : before(undoing.of);
        Map<Part, String> sides =
                sides(open.conflicts(), source, model.head(undoing.branch).state());
        String then = what + " with " + sides;
        if (!sides.isEmpty() && undo(undoing, resolutions(sides), expected(undoing, sides), then)) {
            outcomes.merge("undo resolved", 1, Integer::sum);
        }
    }

    private void refused(MergeRequest request, Settings settings, String then, String word) {
        try {
            graph.merge(WriteOptions.NONE, request, settings, TestEngine.ample());
            throw new AssertionError("merged: " + then);
        } catch (ServiceException e) {
            assertThat(e.code().wireName()).as(then).isEqualTo("conflict");
            assertThat(e.getMessage()).as(then).contains(word);
        }
    }

    /** Decides some or all of what both sides have changed differently: entities and, by property, their properties. */
    private void resolve(String source, String target, boolean byProperty, Settings settings, String what) {
        Map<Part, String> sides = sides(
                model.merge(source, target, byProperty, Map.of()).conflicts(),
                model.head(source).state(),
                model.head(target).state());
        sides.forEach((part, side) -> outcomes.merge(
                side.startsWith("=") ? "value" : part.property() == null ? "entity" : "property", 1, Integer::sum));
        MapMerge.Result expected = model.merge(source, target, byProperty, sides);
        List<Resolution> resolutions = resolutions(sides);
        String then = what + " with " + sides;
        MergeResult preview = graph.merge(
                WriteOptions.NONE,
                new MergeRequest(source, target, false, true, MergeRequest.Form.ANY, resolutions),
                settings,
                TestEngine.ample());
        assertThat(preview.outcome().name()).as(then).isEqualTo(expected.outcome());
        assertThat(conflicts(preview)).as(then).isEqualTo(expected.conflicts());
        int sourceSides = (int) sides.values().stream().filter("source"::equals).count();
        int targetSides = (int) sides.values().stream().filter("target"::equals).count();
        MergeResult.Resolved counts = new MergeResult.Resolved(sourceSides, targetSides);
        assertThat(Objects.requireNonNull(preview.preview()).resolved())
                .as(then)
                .isEqualTo(counts);
        MergeRequest request = new MergeRequest(source, target, false, false, MergeRequest.Form.ANY, resolutions);
        if (preview.outcome() == MergeOutcome.CONFLICT) {
            refused(request, settings, then, "");
            return;
        }
        String commit = Objects.requireNonNull(graph.merge(WriteOptions.NONE, request, settings, TestEngine.ample())
                        .commit())
                .id()
                .toString();
        TakenSides recorded = Objects.requireNonNull(graph.commit(commit).sides());
        assertThat(recorded.source()).as(then).isEqualTo(counts.source());
        assertThat(recorded.target()).as(then).isEqualTo(counts.target());
        sides.keySet()
                .forEach(part -> assertThat(recorded.entities())
                        .as(then)
                        .contains(new TextNode(part.entity().id()).toString()));
        advance(source, target, expected);
        outcomes.merge("RESOLVED", 1, Integer::sum);
        refused(request, settings, then, "stale or needless");
    }

    private Map<Part, String> sides(
            Set<MapMerge.Conflict> conflicts, NavigableMap<Name, Thing> source, NavigableMap<Name, Thing> target) {
        boolean all = random.nextInt(4) > 0;
        Map<Part, String> sides = new HashMap<>();
        for (MapMerge.Conflict conflict : conflicts) {
            if (DIVERGENT.contains(conflict.kind())) {
                choose(source, target, conflict, all, sides);
            }
        }
        return sides;
    }

    private static List<Resolution> resolutions(Map<Part, String> sides) {
        List<Resolution> resolutions = new ArrayList<>();
        sides.forEach((part, side) -> resolutions.add(Resolution.of(
                type(part.entity().type()).kind().wireName(),
                part.entity().type(),
                part.entity().id(),
                part.property(),
                choice(part, side))));
        return resolutions;
    }

    private void choose(
            NavigableMap<Name, Thing> source,
            NavigableMap<Name, Thing> target,
            MapMerge.Conflict conflict,
            boolean all,
            Map<Part, String> sides) {
        Name key = conflict.key();
        boolean whole = conflict.about().isEmpty() || random.nextInt(4) == 0;
        Set<@Nullable String> names = whole ? Collections.singleton(null) : new HashSet<>(conflict.about());
        for (String name : names) {
            if (all || random.nextBoolean()) {
                String side = random.nextBoolean() ? "source" : "target";
                boolean given = name != null && random.nextInt(3) == 0;
                sides.put(new Part(key, name), given ? given(source, target, key, name) : side);
            }
        }
        if (!whole && random.nextInt(3) == 0) {
            // The resolution of the entity decides what the others do not. It is needed by one property at least.
            sides.remove(new Part(key, conflict.about().iterator().next()));
            sides.put(new Part(key, null), random.nextBoolean() ? "source" : "target");
        }
    }

    /** A value that no entity has, or null, or for an end a node that both sides have. */
    private String given(
            NavigableMap<Name, Thing> source, NavigableMap<Name, Thing> target, Name key, String property) {
        if (property.equals("from") || property.equals("to")) {
            String of = property.equals("to") ? key.type() : "Knows";
            List<String> ends = new ArrayList<>(destinations(source, of));
            ends.retainAll(destinations(target, of));
            return ends.isEmpty() ? "target" : "=" + ends.get(random.nextInt(ends.size()));
        }
        boolean number = isNumber(property);
        return random.nextInt(4) == 0 ? "=" : "=" + (number ? "" : "y") + (1_000 + named++);
    }

    private static boolean isNumber(@Nullable String property) {
        return "age".equals(property) || "since".equals(property) || "nights".equals(property);
    }

    private static Resolution.Choice choice(Part part, String side) {
        return switch (side) {
            case "source" -> Resolution.Side.SOURCE;
            case "target" -> Resolution.Side.TARGET;
            case "=" -> new Resolution.Given(NullNode.getInstance());
            default ->
                new Resolution.Given(
                        isNumber(part.property())
                                ? new LongNode(Long.parseLong(side.substring(1)))
                                : "to".equals(part.property())
                                                && part.entity().type().equals("LivesIn")
                                        ? Json.object()
                                                .put("type", side.substring(1, side.indexOf(' ')))
                                                .put("id", side.substring(side.indexOf(' ') + 1))
                                        : new TextNode(side.substring(1)));
        };
    }

    private void advance(String source, String target, MapMerge.Result expected) {
        switch (MergeOutcome.valueOf(expected.outcome())) {
            case ALREADY_UP_TO_DATE, CONFLICT -> {}
            case FAST_FORWARD -> model.heads.put(target, model.heads.get(source));
            case MERGED -> model.commit(target, model.heads.get(source), expected.state());
        }
    }

    private long depth(String branch) {
        long depth = 0;
        for (int at = model.heads.get(branch);
                at >= 0;
                at = model.commits.get(at).parent()) {
            depth++;
        }
        return depth;
    }

    private long historyLength(String branch) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch(branch)).historyLength();
        }
    }

    private static Set<MapMerge.Conflict> conflicts(MergeResult result) {
        Set<MapMerge.Conflict> found = new HashSet<>();
        MergeResult.Preview preview = Objects.requireNonNull(result.preview());
        for (MergeConflict conflict : preview.conflicts()) {
            Matcher end = NODE.matcher(conflict.message());
            boolean orphan = conflict.kind() == MergeConflict.Kind.ORPHAN_EDGE && end.find();
            found.add(new MapMerge.Conflict(
                    new Name(conflict.type().name(), conflict.entityId()),
                    conflict.kind().name(),
                    orphan ? Set.of(end.group(1) + " " + end.group(2)) : new TreeSet<>(conflict.properties()),
                    entity(conflict.type(), conflict.base()),
                    entity(conflict.type(), conflict.source()),
                    entity(conflict.type(), conflict.target())));
        }
        assertThat(found).hasSize(preview.conflictCount());
        return found;
    }

    // Writes random changes of a state, if the constraints allow them.

    private void write(String branch, int changes) {
        NavigableMap<Name, Thing> state = new TreeMap<>(model.head(branch).state());
        if (random.nextInt(6) == 0) {
            // Changes that cancel each other: back to the state of an earlier commit of the same line.
            MapMerge.Commit head = model.head(branch);
            if (head.parent() >= 0) {
                state = new TreeMap<>(model.commits.get(head.parent()).state());
            }
        }
        for (int i = 0; i < changes; i++) {
            change(state);
        }
        commit(branch, state);
    }

    private void change(NavigableMap<Name, Thing> state) {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> putPerson(state);
            case 3 -> state.put(new Name("City", "c" + random.nextInt(3)), city());
            case 4, 5 -> putEdge(state, "Knows", "k" + random.nextInt(ids));
            case 6 -> putEdge(state, "LivesIn", "l" + random.nextInt(ids));
            case 7 -> putMet(state);
            default -> {
                if (!state.isEmpty()) {
                    List<Name> keys = new ArrayList<>(state.keySet());
                    delete(state, keys.get(random.nextInt(keys.size())));
                }
            }
        }
    }

    private static void delete(NavigableMap<Name, Thing> state, Name key) {
        state.remove(key);
        state.entrySet()
                .removeIf(entry -> entry.getKey().isEdge()
                        && (entry.getKey().end(entry.getValue(), true).equals(key)
                                || entry.getKey().end(entry.getValue(), false).equals(key)));
    }

    private Thing city() {
        return new Thing(Map.of("name", "n" + random.nextInt(3)), null, null);
    }

    private void putPerson(NavigableMap<Name, Thing> state) {
        Name key = new Name("Person", "p" + random.nextInt(ids));
        Thing old = state.get(key);
        Map<String, String> values = new TreeMap<>(old == null ? Map.of() : old.values());
        switch (random.nextInt(4)) {
            case 0 -> values.put("name", "n" + random.nextInt(4));
            case 1 -> values.put("age", Integer.toString(random.nextInt(4)));
            case 2 -> values.remove("nick");
            default -> {
                String nick = "x" + random.nextInt(6);
                if (state.values().stream()
                        .noneMatch(e -> nick.equals(e.values().get("nick")))) {
                    values.put("nick", nick);
                }
            }
        }
        state.put(key, new Thing(values, null, null));
    }

    private void putEdge(NavigableMap<Name, Thing> state, String type, String id) {
        List<String> people = idsOf(state, "Person");
        List<String> ends = destinations(state, type);
        if (people.isEmpty() || ends.isEmpty()) {
            return;
        }
        Name key = new Name(type, id);
        Thing old = state.get(key);
        String from = people.get(random.nextInt(people.size()));
        String to = ends.get(random.nextInt(ends.size()));
        Map<String, String> values = new TreeMap<>(old == null ? Map.of() : old.values());
        if (type.equals("Knows") && random.nextBoolean()) {
            values.put("since", Integer.toString(random.nextInt(3)));
        }
        if (old != null && random.nextBoolean()) {
            from = old.from();
        }
        if (old != null && random.nextBoolean()) {
            to = old.to();
        }
        String source = from;
        boolean full = type.equals("LivesIn")
                && state.entrySet().stream()
                        .anyMatch(entry -> entry.getKey().type().equals("LivesIn")
                                && !entry.getKey().equals(key)
                                && source.equals(entry.getValue().from()));
        if (!full) {
            state.put(key, new Thing(values, from, to));
        }
    }

    /** Puts an edge whose id is its key, so that two branches often make the same one. */
    private void putMet(NavigableMap<Name, Thing> state) {
        List<String> people = idsOf(state, "Person");
        List<String> cities = idsOf(state, "City");
        if (people.isEmpty() || cities.isEmpty()) {
            return;
        }
        String from = people.get(random.nextInt(people.size()));
        String to = cities.get(random.nextInt(cities.size()));
        String year = Integer.toString(1843 + random.nextInt(2));
        Map<String, String> values = new TreeMap<>(Map.of("year", year));
        if (random.nextInt(4) > 0) {
            values.put("nights", Integer.toString(random.nextInt(3)));
        }
        state.put(new Name("Met", "[\"" + from + "\",\"" + to + "\",\"" + year + "\"]"), new Thing(values, from, to));
    }

    /** What an edge of a type may end at, as {@link Thing} has it. */
    private static List<String> destinations(NavigableMap<Name, Thing> state, String type) {
        return type.equals("Knows")
                ? idsOf(state, "Person")
                : state.keySet().stream()
                        .filter(key -> !key.isEdge())
                        .map(key -> key.type() + " " + key.id())
                        .toList();
    }

    private static List<String> idsOf(NavigableMap<Name, Thing> state, String type) {
        return state.keySet().stream()
                .filter(key -> key.type().equals(type))
                .map(Name::id)
                .toList();
    }

    private static Set<Name> differing(NavigableMap<Name, Thing> before, NavigableMap<Name, Thing> after) {
        TreeSet<Name> all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        all.removeIf(key -> Objects.equals(before.get(key), after.get(key)));
        return all;
    }

    private void commit(String branch, NavigableMap<Name, Thing> state) {
        NavigableMap<Name, Thing> before = model.head(branch).state();
        List<EntityChange> changes = new ArrayList<>();
        for (Name key : differing(before, state)) {
            EntityType type = type(key.type());
            changes.add(new EntityChange(
                    type.kind(), type.identity(), key.id(), image(type, before.get(key)), image(type, state.get(key))));
        }
        if (changes.isEmpty()) {
            return;
        }
        changes.sort(java.util.Comparator.comparing(EntityChange::kind)
                .thenComparingInt(EntityChange::typeIdentity)
                .thenComparing(EntityChange::id, ValueOrder::compareText));
        Branch onto = SmallGraph.branch(storage, branch);
        SmallGraph.write(
                storage.log(),
                new WriteCommand.Draft.Commit(
                        CommitKind.MUTATION, onto, null, Origin.of("tester"), null, null, ChangeBlock.of(changes)));
        model.commit(branch, -1, state);
    }

    // Converts between the graph's entities and the model's.

    private static EntityType type(String name) {
        EntityType node = CATALOG.node(name);
        return node != null ? node : Objects.requireNonNull(CATALOG.edge(name));
    }

    private static @Nullable Image image(EntityType type, @Nullable Thing entity) {
        if (entity == null) {
            return null;
        }
        Map<Integer, Value> values = new HashMap<>();
        for (Property property : type.properties()) {
            String text = entity.values().get(property.name());
            if (text != null) {
                boolean number = !text.isEmpty() && Character.isDigit(text.charAt(0));
                values.put(property.identity(), number ? new Value.Int(Long.parseLong(text)) : new Value.Text(text));
            }
        }
        if (entity.to() == null || !type.name().equals("LivesIn")) {
            return new Image(PropertyRow.of(values), entity.from(), entity.to(), 0, 0);
        }
        String[] to = entity.to().split(" ", 2);
        int toType = to[0].equals("City") ? 0 : type("Person").identity();
        return new Image(PropertyRow.of(values), entity.from(), to[1], 0, toType);
    }

    private static @Nullable Thing entity(EntityType type, @Nullable Image image) {
        if (image == null) {
            return null;
        }
        Map<String, String> values = new TreeMap<>();
        for (Property property : type.properties()) {
            Value value = image.properties().get(property.identity());
            if (value != null) {
                values.put(
                        property.name(),
                        value instanceof Value.Int number
                                ? Long.toString(number.value())
                                : ((Value.Text) value).value());
            }
        }
        String to = image.to();
        if (type.name().equals("LivesIn")) {
            to = (image.toType() == 0 ? "City " : "Person ") + to;
        }
        return new Thing(values, image.from(), to);
    }

    private NavigableMap<Name, Thing> state(String branch) {
        NavigableMap<Name, Thing> state = new TreeMap<>();
        try (GraphSession session = storage.session();
                GraphView view = session.view(
                        Objects.requireNonNull(session.branch(branch)).headPoint())) {
            for (String name : TYPES) {
                EntityType type = type(name);
                EntityColumn found = new EntityColumn();
                int counted = 0;
                try (GraphView.Scan scan = view.scan(type.identity())) {
                    int size;
                    while ((size = scan.next(found)) > 0) {
                        for (int row = 0; row < size; row++) {
                            int ordinal = found.ordinals[row];
                            counted++;
                            state.put(
                                    new Name(name, view.id(type.identity(), ordinal)),
                                    Objects.requireNonNull(entity(type, view.image(type.identity(), ordinal))));
                        }
                    }
                }
                assertThat(view.count(type.identity())).isEqualTo(counted);
                assertThat(type.kind()).isIn(EntityKind.NODE, EntityKind.EDGE);
            }
        }
        return state;
    }
}
