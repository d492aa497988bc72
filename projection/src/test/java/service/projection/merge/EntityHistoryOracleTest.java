package service.projection.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.graph.GraphAccess;
import service.core.graph.HistoryAccess;
import service.core.graph.branch.EntityBlame;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.EntityPage;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.Resolution;
import service.core.graph.branch.UndoRequest;
import service.core.graph.request.CommitFilter;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Page;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.RetentionPolicy;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.Seed;
import service.core.value.EntityKind;
import service.core.value.Ulid;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * The history of an entity, and who set its values, in random histories with branches, merges, fast-forwards, undo,
 * changes of the schema and cleanups; against a replay of the log that knows the parents and images of its events
 * alone.
 */
final class EntityHistoryOracleTest {
    private static final List<String> SCHEMAS = List.of(
            "node P { name: String @key  a: I32?  b: I32? }",
            "node P { name: String @key  a: I32?  b: I32?  c: I32 @default(7) }",
            "node P { name: String @key  aa: I32? @rename_from(\"a\")  c: I32 @default(7)  d: I32? @default(8) }",
            "node Q @rename_from(\"P\") { name: String @key  aa: I32?  b: I64?  c: I32 @default(7)  d: I32? @default(8) }");
    private static final int NAMES = 5;

    /**
     * One commit as the log tells it, with the state after it: the values of each node by the properties' identities.
     */
    private record Replayed(
            CommitHeader header,
            Catalog catalog,
            Map<String, EntityChange> changes,
            Map<String, Map<Integer, Object>> state) {
        @Nullable
        Object value(String name, int property) {
            return state.getOrDefault(name, Map.of()).get(property);
        }
    }

    @TempDir
    Path folder;

    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private HistoryAccess past;
    private Random random = new Random();
    private final NavigableMap<Ulid, Replayed> commits = new TreeMap<>();
    private long replayed = -1;
    private int schema;
    private int truncated;

    @BeforeEach
    void open() {
        Catalog catalog = SchemaCompiler.compile(SCHEMAS.getFirst());
        storage = LmdbGraphStorage.create(
                folder.resolve("graph"),
                StorageOptions.defaults().withMapBytes(1L << 28, 4L << 30).withCheckpointEvents(0),
                TestEngine.schema(catalog),
                null);
        graph = TestEngine.graph(storage);
        past = graph.graph().pastFor(Caller.unrestricted("ada"));
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private Catalog catalog(Ulid commit) {
        try (GraphSession session = storage.session()) {
            return session.catalog(
                    Objects.requireNonNull(session.position(commit)).point());
        }
    }

    /** Takes the new events of the log. */
    private void replay() {
        try (GraphSession session = storage.session()) {
            for (long offset = replayed + 1; offset <= session.appliedOffset(); offset++) {
                if (session.event(offset) instanceof Event.Commit commit) {
                    commits.put(commit.header().id(), replay(commit));
                }
                replayed = offset;
            }
        }
    }

    private Replayed replay(Event.Commit commit) {
        CommitHeader header = commit.header();
        Map<String, Map<Integer, Object>> state = new HashMap<>(
                header.parent() == null ? Map.of() : Objects.requireNonNull(commits.get(header.parent())).state);
        Map<String, EntityChange> changes = new HashMap<>();
        for (EntityChange change : commit.changes().changes()) {
            changes.put(change.id(), change);
            Image after = change.after();
            if (after == null) {
                state.remove(change.id());
            } else {
                state.put(change.id(), Map.copyOf(after.properties().toMap()));
            }
        }
        Catalog catalog = catalog(header.id());
        if (header.kind() == CommitKind.SCHEMA) {
            state.replaceAll((name, values) -> migrated(values, header, catalog));
        }
        return new Replayed(header, catalog, changes, state);
    }

    private Map<Integer, Object> migrated(Map<Integer, Object> values, CommitHeader header, Catalog after) {
        EntityType before = type(Objects.requireNonNull(commits.get(header.parent())).catalog);
        Map<Integer, Object> all = new HashMap<>();
        for (Property property : type(after).properties()) {
            boolean added = before.property(property.identity()) == null;
            Object value = added ? property.missing() : values.get(property.identity());
            if (value != null) {
                all.put(property.identity(), value);
            }
        }
        return all;
    }

    private static EntityType type(Catalog catalog) {
        return catalog.nodes().iterator().next();
    }

    private void mutate(String branch, String statement) {
        TestEngine.mutate(graph, branch, statement);
    }

    private String name() {
        return "n" + random.nextInt(NAMES);
    }

    /** One write on a branch; a deletion, or an update that inserts where nothing is there. */
    private void write(String branch) {
        Replayed head = Objects.requireNonNull(commits.get(graph.branch(branch).head()));
        EntityType type = type(head.catalog);
        String name = name();
        boolean lives = head.state.containsKey(name);
        if (lives && random.nextInt(5) == 0) {
            mutate(branch, "delete " + type.name() + " where name = \"" + name + "\"");
            return;
        }
        List<Property> free = type.properties().stream()
                .filter(property -> !property.name().equals("name"))
                .toList();
        Property property = free.get(random.nextInt(free.size()));
        String value = property.nullable() && lives && random.nextInt(6) == 0 ? "null" : "" + random.nextInt(3);
        String set = property.name() + ": " + value;
        mutate(
                branch,
                lives
                        ? "update " + type.name() + " set { " + set + " } where name = \"" + name + "\""
                        : "insert " + type.name() + " { name: \"" + name + "\", " + set + " }");
    }

    private void merge(String source, String target) {
        Resolution.Side side = random.nextBoolean() ? Resolution.Side.SOURCE : Resolution.Side.TARGET;
        MergeRequest.Form form = List.of(MergeRequest.Form.values()).get(random.nextInt(3));
        try {
            MergeResult preview = graph.merge(
                    WriteOptions.NONE,
                    new MergeRequest(source, target, false, true),
                    Settings.DEFAULTS,
                    TestEngine.ample());
            List<Resolution> resolutions = Objects.requireNonNull(preview.preview()).conflicts().stream()
                    .map(conflict -> Resolution.of("node", conflict.type().name(), conflict.entityId(), null, side))
                    .toList();
            graph.merge(
                    WriteOptions.NONE,
                    new MergeRequest(source, target, false, false, form, resolutions),
                    Settings.DEFAULTS,
                    TestEngine.ample());
        } catch (ServiceException refused) {
            assertThat(refused.code()).as(refused.getMessage()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED);
        }
    }

    private void step() {
        List<String> branches =
                graph.branches().stream().map(branch -> branch.name()).toList();
        String branch = branches.get(random.nextInt(branches.size()));
        int what = random.nextInt(20);
        if (what == 0 && branches.size() < 4) {
            graph.createBranch("b" + commits.size() + "-" + random.nextInt(1000), branch, null)
                    .join();
        } else if (what < 3 && branches.size() > 1) {
            String other = branches.get(random.nextInt(branches.size()));
            if (!other.equals(branch)) {
                merge(other, branch);
            }
        } else if (what == 3 && !branch.equals("main")) {
            graph.deleteBranch(branch, null).join();
        } else if (what == 4) {
            List<Ulid> all = List.copyOf(commits.keySet());
            undo(branch, all.get(random.nextInt(all.size())).toString());
        } else if (what == 5 && branches.size() == 1 && schema + 1 < SCHEMAS.size()) {
            graph.applySchema(new SchemaRequest(SCHEMAS.get(++schema), DropApproval.every(), null), TestEngine.ample());
        } else {
            write(branch);
        }
        replay();
    }

    private void undo(String branch, String ref) {
        CommitKind kind = random.nextBoolean() ? CommitKind.REVERT : CommitKind.RESTORE;
        try {
            graph.undo(
                    WriteOptions.NONE,
                    new UndoRequest(kind, ref, branch, random.nextBoolean(), false, List.of()),
                    TestEngine.ample());
        } catch (ServiceException refused) {
            assertThat(refused.code())
                    .isIn(
                            ErrorCode.CONFLICT,
                            ErrorCode.BAD_REQUEST,
                            ErrorCode.SNAPSHOT_RECLAIMED,
                            ErrorCode.CHANGE_FEED_GAP);
        }
    }

    private Replayed parent(Replayed commit) {
        return commit.header.parent() == null ? null : commits.get(commit.header.parent());
    }

    private List<Replayed> firstParents(Replayed from) {
        List<Replayed> line = new ArrayList<>();
        for (Replayed at = from; at != null; at = parent(at)) {
            line.add(at);
        }
        return line;
    }

    private Set<Ulid> ancestors(Ulid of) {
        Set<Ulid> all = new TreeSet<>();
        List<Ulid> open = new ArrayList<>(List.of(of));
        while (!open.isEmpty()) {
            Ulid next = open.removeLast();
            if (next != null && all.add(next)) {
                CommitHeader header = Objects.requireNonNull(commits.get(next)).header;
                open.add(header.parent());
                open.add(header.mergedParent());
            }
        }
        return all;
    }

    private boolean isReclaimed(Replayed commit) {
        try (GraphSession session = storage.session()) {
            return session.isReclaimed(commit.header.incarnation(), commit.header.offset());
        }
    }

    private EntityHistory.Request request(Replayed at, String name, boolean merged) {
        return new EntityHistory.Request(
                new EntityHistory.Entity(EntityKind.NODE, type(at.catalog).name(), name),
                new ReadTarget.AtSnapshot(at.header.id().toString()),
                merged);
    }

    private void compare(Replayed at, String name, boolean merged) {
        List<Replayed> line = firstParents(at);
        Replayed horizon = line.stream().filter(this::isReclaimed).findFirst().orElse(null);
        long after = horizon == null ? -1 : horizon.header.offset();
        List<Replayed> among = merged
                ? ancestors(at.header.id()).stream().map(commits::get).toList().reversed()
                : line;
        List<Replayed> expected = among.stream()
                .filter(commit -> commit.changes.containsKey(name) && commit.header.offset() > after)
                .filter(commit -> !isReclaimed(commit))
                .toList();
        List<EntityPage.Entry> shown = new ArrayList<>();
        String before = null;
        do {
            EntityPage page;
            try {
                page = past.changesOf(request(at, name, merged), 1 + random.nextInt(4), before, TestEngine.ample());
            } catch (ServiceException missing) {
                assertThat(missing.code()).isEqualTo(ErrorCode.NOT_FOUND);
                assertThat(horizon).isNull();
                break;
            }
            shown.addAll(page.changes());
            before = page.nextBefore();
            if (before == null) {
                assertThat(page.truncatedAt()).isEqualTo(horizon == null ? null : horizon.header.id());
                truncated += horizon == null ? 0 : 1;
            }
        } while (before != null);
        assertThat(shown.stream().map(entry -> entry.commit().id()))
                .as("history of %s at %s, merged %s", name, at.header.id(), merged)
                .containsExactlyElementsOf(
                        expected.stream().map(commit -> commit.header.id()).toList());
        for (EntityPage.Entry entry : shown) {
            EntityChange change = Objects.requireNonNull(
                    Objects.requireNonNull(commits.get(entry.commit().id()))
                            .changes
                            .get(name));
            assertThat(entry.before()).isEqualTo(change.before());
            assertThat(entry.after()).isEqualTo(change.after());
        }
        if (horizon == null || !merged) {
            blame(at, name, merged, after);
        }
    }

    private void blame(Replayed at, String name, boolean merged, long after) {
        if (!at.state.containsKey(name)) {
            return;
        }
        EntityBlame blame;
        try {
            blame = past.blame(request(at, name, merged), TestEngine.ample());
        } catch (ServiceException reclaimed) {
            assertThat(reclaimed.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED);
            return;
        }
        Map<String, Object> values = new TreeMap<>();
        Map<String, Object> expected = new TreeMap<>();
        for (EntityBlame.Line line : blame.lines()) {
            EntityBlame.Line.OfProperty of = (EntityBlame.Line.OfProperty) line;
            CommitRecord commit = of.commit();
            values.put(of.property().name(), List.of(of.value(), commit == null ? "none" : commit.id()));
        }
        for (Property property : type(at.catalog).properties()) {
            Object value = at.value(name, property.identity());
            if (value != null) {
                Replayed set = setBy(at, name, property.identity(), merged);
                Object by = set.header.offset() <= after ? "none" : set.header.id();
                expected.put(property.name(), List.of((Value) value, by));
            }
        }
        assertThat(values)
                .as("blame of %s at %s, merged %s", name, at.header.id(), merged)
                .isEqualTo(expected);
    }

    private Replayed setBy(Replayed at, String name, int property, boolean merged) {
        for (Replayed commit : firstParents(at)) {
            Object value = commit.value(name, property);
            Replayed parent = parent(commit);
            if (parent == null || !Objects.equals(parent.value(name, property), value)) {
                Ulid source = commit.header.mergedParent();
                Replayed other = source == null ? null : commits.get(source);
                boolean came = merged && other != null && Objects.equals(other.value(name, property), value);
                return came ? setBy(other, name, property, true) : commit;
            }
        }
        throw new AssertionError("nobody set it");
    }

    /** The list of commits that changed an entity, of a branch or of all branches. */
    private void compareList(@Nullable String branch, String name) {
        Replayed at = commits.get(graph.branch(branch == null ? "main" : branch).head());
        List<Replayed> among =
                branch == null ? List.copyOf(commits.values()).reversed() : firstParents(Objects.requireNonNull(at));
        CommitFilter filter = new CommitFilter(
                null,
                Set.of(),
                null,
                null,
                List.of(type(Objects.requireNonNull(at).catalog).name()),
                new CommitFilter.Entity("node", name),
                new TreeMap<>());
        List<Ulid> shown = new ArrayList<>();
        String before = null;
        Page page;
        do {
            page = graph.graph()
                    .logOf(Caller.unrestricted("ada"))
                    .commits(
                            new CommitQuery(branch, 1 + random.nextInt(4), before, filter, false),
                            TimeBudget.none("the list"));
            page.commits().forEach(commit -> shown.add(commit.id()));
            before = page.nextBefore();
        } while (before != null);
        assertThat(shown)
                .as("commits of %s on %s", name, branch)
                .containsExactlyElementsOf(among.stream()
                        .filter(commit -> commit.changes.containsKey(name) && !isReclaimed(commit))
                        .map(commit -> commit.header.id())
                        .toList());
        assertThat(page.truncatedAt())
                .as("end of the commits of %s on %s", name, branch)
                .isEqualTo(among.stream()
                        .filter(this::isReclaimed)
                        .findFirst()
                        .map(commit -> commit.header.id())
                        .orElse(null));
    }

    private void compareAll() {
        Set<Replayed> from = new HashSet<>();
        graph.branches().forEach(branch -> from.add(commits.get(branch.head())));
        List<Replayed> all = List.copyOf(commits.values());
        for (int i = 0; i < 4; i++) {
            Replayed any = all.get(random.nextInt(all.size()));
            if (!isReclaimed(any)) {
                from.add(any);
            }
        }
        for (int i = 0; i < NAMES; i++) {
            if (random.nextInt(3) == 0) {
                String name = "n" + i;
                compareList(null, name);
                graph.branches().forEach(branch -> compareList(branch.name(), name));
            }
        }
        for (Replayed at : from) {
            for (int i = 0; i < NAMES; i++) {
                compare(at, "n" + i, false);
                compare(at, "n" + i, true);
            }
        }
    }

    @RepeatedTest(3)
    void bothAreAReplayOfTheLog(@Seed long seed, RepetitionInfo repetition) {
        random = new Random(seed + repetition.getCurrentRepetition());
        replay();
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 30; i++) {
                step();
            }
            compareAll();
            if (round == 2 || round == 4) {
                graph.branches().stream()
                        .filter(branch -> !branch.name().equals("main") && random.nextBoolean())
                        .forEach(branch ->
                                graph.deleteBranch(branch.name(), null).join());
                replay();
                storage.cleanup().run(new RetentionPolicy(1L + random.nextInt(12), null), Duration.ZERO);
                compareAll();
            }
        }
        assertThat(truncated).isPositive();
    }
}
