package service.core.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.budget.RequestBudget;
import service.core.budget.TestBudgets;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitKind;
import service.core.gq.PlanCache;
import service.core.graph.branch.DiffStates;
import service.core.graph.branch.EntityHistory;
import service.core.graph.branch.MergeRequest;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.UndoRequest;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedOutcome;
import service.core.graph.feed.FeedPoll;
import service.core.graph.feed.FeedRequest;
import service.core.graph.load.LoadMode;
import service.core.graph.read.BlobCell;
import service.core.graph.read.Embeddings;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.MutationCall;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.TimeBudget;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.graph.schema.UpgradeRequest;
import service.core.json.Int64Form;
import service.core.policy.Action;
import service.core.policy.BranchScope;
import service.core.policy.Caller;
import service.core.policy.Permissions;
import service.core.policy.PolicyBundle;
import service.core.policy.ProtectedBranches;
import service.core.policy.Rule;
import service.core.port.Branch;
import service.core.port.ReadPoint;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.MemoryStorage;
import service.core.value.EntityKind;
import service.core.value.Ulid;
import service.core.value.Value;
import service.core.wire.FeedPage;
import service.core.wire.QueryResponse;

/** Every use-case asks what its caller may do, and does nothing for a caller who may not. */
class GraphAccessTest {
    private static final ReadTarget AT = new ReadTarget.AtBranch("b");
    private static final String COMMIT = "01J00000000000000000000000";
    private static final BlobCell.Managed CELL =
            new BlobCell.Managed(Ulid.parse(COMMIT), new Value.ManagedBlob(new byte[32], 1), new ReadPoint(0, 0));
    private static final Settings SETTINGS = Settings.DEFAULTS;

    /** Not use-cases. */
    private static final Set<String> OTHERS = Set.of("id", "graph", "caller", "settings", "budget");

    private final MemoryStorage storage = new MemoryStorage(TestGraph.catalog());
    private final PlanCache plans = new PlanCache(1 << 20);
    private final GraphAccess owner = TestGraph.graph(storage, new TestGraph.SelectOnly(), plans);
    private final RequestBudget budget = TestBudgets.ample();

    @AfterEach
    void close() {
        storage.close();
    }

    /** Denies everything and notes what it was asked first. */
    private static final class Denying implements Permissions {
        final List<String> asked = new ArrayList<>();

        @Override
        public boolean allow(Action action, String branch) {
            asked.add(action.wireName() + " " + branch);
            return false;
        }

        @Override
        public boolean allowSomewhere(Action action) {
            asked.add(action.wireName());
            return false;
        }

        @Override
        public boolean isProtected(String branch) {
            return false;
        }
    }

    private static ByteArrayInputStream records() {
        return new ByteArrayInputStream(
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\"}}\n".getBytes(StandardCharsets.UTF_8));
    }

    private static FeedRequest feed(String pageToken) {
        return new FeedRequest(null, null, null, pageToken, ChangeSelection.ALL, SETTINGS);
    }

    private Map<String, ThrowingCallable> useCases(GraphAccess graph) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FeedPage page = FeedPage.ofCommit(10, budget, Int64Form.NUMBER);
        MutationCall insert = new MutationCall("b", "query q() { insert Person { name: \"x\" } }", null, null);
        Map<String, ThrowingCallable> calls = new TreeMap<>();
        calls.put("query", () -> graph.query(AT, "branch list", null, null, SETTINGS, budget, new QueryResponse(true)));
        calls.put("queryStored", () -> graph.queryStored(AT, "q", null, SETTINGS, budget, new QueryResponse(true)));
        calls.put("mutate", () -> graph.mutate(WriteOptions.NONE, insert, SETTINGS, budget));
        calls.put("mutateStored", () -> graph.mutateStored(WriteOptions.NONE, "b", "q", null, SETTINGS, budget));
        calls.put("storedQueries", graph::storedQueries);
        calls.put("storedQuery", () -> graph.storedQuery("q"));
        calls.put("load", () -> graph.load(WriteOptions.NONE, "b", null, LoadMode.MERGE, records(), budget));
        calls.put("branches", graph::branches);
        calls.put("branch", () -> graph.branch("b"));
        calls.put("base", () -> graph.base("draft", "main~1", budget));
        calls.put("createBranch", () -> graph.createBranch("b", "main", null));
        calls.put("deleteBranch", () -> graph.deleteBranch("b", null));
        calls.put("merge", () -> graph.merge(WriteOptions.NONE, MergeRequest.of("a", "b"), SETTINGS, budget));
        UndoRequest revert = new UndoRequest(CommitKind.REVERT, "b", "b", false, false, List.of());
        calls.put("undo", () -> graph.undo(WriteOptions.NONE, revert, budget));
        HistoryAccess past = graph.graph().pastFor(graph.caller());
        EntityHistory.Request history =
                new EntityHistory.Request(new EntityHistory.Entity(EntityKind.NODE, "Person", "x"), AT, false);
        calls.put("changesOf", () -> past.changesOf(history, 10, null, budget));
        calls.put("blame", () -> past.blame(history, budget));
        SearchAccess search = graph.graph().searchFor(graph.caller());
        Embeddings.Request texts = new Embeddings.Request(List.of("x"), 2, null);
        calls.put("embed", () -> search.embed(texts, SETTINGS, budget));
        calls.put("searchStatus", () -> search.searchStatus(budget));
        calls.put("rebuildSearch", () -> search.rebuildSearch(List.of(), budget));
        calls.put("tags", () -> past.tags(10, null));
        calls.put("tag", () -> past.tag("v1"));
        calls.put("createTag", () -> past.createTag(WriteOptions.NONE, "v1", "main", budget));
        calls.put("deleteTag", () -> past.deleteTag(WriteOptions.NONE, "v1"));
        calls.put(
                "diff",
                () -> graph.diff(DiffStates.between("b", COMMIT), null, ChangeSelection.ALL, SETTINGS, budget, null));
        calls.put("snapshot", () -> graph.snapshot(AT));
        calls.put("commits", () -> graph.commits("b", 10, null));
        calls.put("commitsOfKey", () -> graph.commitsOfKey("k", "b"));
        calls.put("commitId", () -> graph.commitId("main~1", budget));
        calls.put("commit", () -> graph.commit(COMMIT));
        calls.put("schema", () -> graph.schema(new ReadTarget.AtSnapshot(COMMIT)));
        calls.put("planSchema", () -> graph.planSchema("node A { }", DropApproval.none(""), budget));
        calls.put(
                "applySchema",
                () -> graph.applySchema(new SchemaRequest("node A { }", DropApproval.none(""), null), budget));
        UpgradeRequest upgrade = new UpgradeRequest("b", Set.of(), false);
        calls.put("upgrade", () -> graph.upgrade(WriteOptions.NONE, upgrade, budget));
        calls.put("requireExport", () -> graph.requireExport(AT));
        calls.put("export", () -> graph.export(AT, List.of(), Int64Form.NUMBER, TestBudgets.ample(), out));
        calls.put("exportTables", () -> graph.exportTables(AT, List.of(), TestBudgets.ample(), out));
        calls.put("blob", () -> graph.blob(AT, new BlobCell.Address("node", "Person", "x", "name")));
        calls.put("copyBlob", () -> graph.copyBlob(CELL, 0, 1, out));
        calls.put("openChanges", () -> {
            try (FeedPoll poll = graph.openChanges(feed("token"))) {
                poll.isEmpty();
            }
        });
        calls.put("awaitCommit", () -> graph.awaitCommit(Ulid.parse(COMMIT), Duration.ZERO));
        calls.put("awaitNews", () -> graph.awaitNews(new FeedOutcome(null, "c", true, 0, 0)));
        calls.put("changeStream", () -> graph.changeStream(feed(null), page).close());
        calls.put("commitChanges", () -> graph.commitChanges(COMMIT, null, ChangeSelection.ALL, SETTINGS, page));
        calls.put(
                "baseline",
                () -> graph.baseline(null, ChangeSelection.ALL, Int64Form.NUMBER, TestBudgets.ample(), out));
        return calls;
    }

    private static final Map<String, String> ASKED = Map.ofEntries(
            Map.entry("query", "read"),
            Map.entry("queryStored", "invoke_query"),
            Map.entry("embed", "change"),
            Map.entry("mutate", "change b"),
            Map.entry("mutateStored", "invoke_query"),
            Map.entry("storedQueries", "invoke_query"),
            Map.entry("storedQuery", "invoke_query"),
            Map.entry("load", "change b"),
            Map.entry("planSchema", "read main"),
            Map.entry("applySchema", "schema_apply main"),
            Map.entry("upgrade", "schema_apply b"),
            Map.entry("branches", "read"),
            Map.entry("branch", "read"),
            Map.entry("base", "branch_create draft"),
            Map.entry("createBranch", "branch_create b"),
            Map.entry("deleteBranch", "branch_delete b"),
            Map.entry("merge", "branch_merge b"),
            Map.entry("undo", "change b"),
            Map.entry("changesOf", "read"),
            Map.entry("blame", "read"),
            Map.entry("searchStatus", "admin"),
            Map.entry("rebuildSearch", "admin"),
            Map.entry("tags", "read"),
            Map.entry("tag", "read"),
            Map.entry("createTag", "branch_create"),
            Map.entry("deleteTag", "branch_delete"),
            Map.entry("diff", "read"),
            Map.entry("snapshot", "read"),
            Map.entry("commits", "read"),
            Map.entry("commitsOfKey", "read"),
            Map.entry("commitId", "read"),
            Map.entry("commit", "read"),
            Map.entry("schema", "read"),
            Map.entry("requireExport", "export"),
            Map.entry("export", "export"),
            Map.entry("exportTables", "export"),
            Map.entry("blob", "read"),
            Map.entry("copyBlob", "read"),
            Map.entry("openChanges", "read"),
            Map.entry("awaitCommit", "read"),
            Map.entry("awaitNews", "read"),
            Map.entry("changeStream", "read"),
            Map.entry("commitChanges", "read"),
            Map.entry("baseline", "read"));

    @Test
    void everyUseCaseIsRefusedToACallerWhoMayDoNothing() {
        ASKED.forEach((name, asked) -> {
            Denying denying = new Denying();
            boolean hides = asked.equals("invoke_query") && !name.equals("storedQueries");
            assertThatThrownBy(useCases(owner.graph().as(new Caller("eve", denying)))
                            .get(name))
                    .as(name)
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            e -> assertThat(e.code())
                                    .as("%s: %s", name, e.getMessage())
                                    .isEqualTo(hides ? ErrorCode.NOT_FOUND : ErrorCode.FORBIDDEN));
            assertThat(denying.asked).as(name).containsOnly(asked);
        });
        assertThat(owner.branches()).hasSize(1);
        assertThat(owner.commits(Branch.MAIN, 10, null).commits()).hasSize(1);
    }

    /** A new use-case needs a line in the table above. */
    @Test
    void theTableHasEveryUseCase() {
        assertThat(Stream.of(GraphAccess.class, HistoryAccess.class, SearchAccess.class)
                        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                        .filter(method -> Modifier.isPublic(method.getModifiers()))
                        .map(Method::getName)
                        .filter(name -> !OTHERS.contains(name)))
                .containsExactlyInAnyOrderElementsOf(ASKED.keySet());
        assertThat(useCases(owner).keySet()).isEqualTo(new TreeMap<>(ASKED).keySet());
    }

    @Test
    void theLogAsksWhatTheUseCasesAsk() {
        owner.createBranch("draft", "main", null).join();
        owner.deleteBranch("draft", null).join();
        Denying denying = new Denying();
        LogAccess denied = owner.graph().logOf(new Caller("eve", denying));
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> denied.moves("main", 1, null),
                () -> denied.deletedBranches(1, null),
                () -> denied.commits(CommitQuery.of("main", 1, null), TimeBudget.none("the list")))) {
            assertForbidden(call, "you may not read");
        }
        assertThat(denying.asked).containsOnly("read");
        LogAccess log = owner.graph().logOf(Caller.unrestricted("ada"));
        assertThat(log.deletedBranches(10, null).branches()).hasSize(1);
        LogAccess guest = under(BranchScope.PROTECTED, Action.READ)
                .graph()
                .logOf(under(BranchScope.PROTECTED, Action.READ).caller());
        assertThat(guest.deletedBranches(10, null).branches()).isEmpty();
        assertThat(guest.moves("main", 10, null).moves()).hasSize(1);
    }

    private GraphAccess under(BranchScope scope, Action... actions) {
        PolicyBundle policy = new PolicyBundle(
                Map.of("team", Set.of("ada")),
                ProtectedBranches.DEFAULT,
                List.of(new Rule("r", "team", EnumSet.copyOf(List.of(actions)), scope)));
        return owner.graph().as(new Caller("ada", Permissions.of(policy, "ada")));
    }

    private static void assertForbidden(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
                .hasMessageStartingWith(message);
    }

    private static void assertMissing(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageStartingWith(message);
    }

    @Test
    void whatTheCallerMayNotReadDoesNotExist() {
        owner.createBranch("draft", "main", null).join();
        owner.createBranch("release", "main", null).join();
        String genesis = owner.branch("main").head().toString();
        GraphAccess graph = under(BranchScope.UNPROTECTED, Action.READ);
        assertThat(graph.branches()).extracting(BranchRecord::name).containsExactly("draft", "release");
        assertThat(graph.branch("draft").parent()).isNull();
        assertThat(owner.branch("draft").parent()).isEqualTo("main");
        String missing = "branch `main` does not exist";
        assertMissing(() -> graph.branch("main"), missing);
        assertMissing(() -> graph.commits("main", 10, null), missing);
        assertMissing(() -> graph.snapshot(new ReadTarget.AtBranch("main")), missing);
        assertMissing(
                () -> graph.diff(
                        DiffStates.between("draft", "main"), null, ChangeSelection.ALL, SETTINGS, budget, null),
                missing);
        assertMissing(() -> graph.changeStream(feed(null), FeedPage.ofCommit(1, budget, Int64Form.NUMBER)), missing);
        assertMissing(() -> graph.branch("mian"), "branch `mian` does not exist");
        assertMissing(() -> graph.branch("drafd"), "branch `drafd` does not exist; did you mean `draft`?");
        String noCommit = "commit `" + genesis + "` does not exist in this graph";
        assertMissing(() -> graph.commit(genesis), noCommit);
        assertMissing(() -> graph.snapshot(new ReadTarget.AtSnapshot(genesis)), noCommit);
        assertMissing(
                () -> graph.commitChanges(
                        genesis, null, ChangeSelection.ALL, SETTINGS, FeedPage.ofCommit(1, budget, Int64Form.NUMBER)),
                noCommit);
        assertThat(graph.commits("draft", 10, null).commits()).isEmpty();
        assertMissing(
                () -> graph.commitId("main", budget),
                "commit `main` does not exist in this graph, nor does a branch of that name");
        assertMissing(() -> graph.commitId("@0s", budget), missing);
        assertMissing(() -> graph.commitId("branch:main~1", budget), missing);
        assertMissing(() -> graph.commitId("commit:" + genesis, budget), noCommit);
        assertMissing(() -> graph.commitId(genesis.substring(18), budget), "no commit has an id that ends with");
        assertMissing(
                () -> graph.commitId("draft", budget),
                "commit `draft` does not exist: the history of branch `draft` has 0");
    }

    @Test
    void aRefPassesOverCommitsThatTheCallerMayNotRead() {
        owner.createBranch("draft", "main", null).join();
        insert("main", "hidden");
        insert("draft", "a");
        String first = owner.branch("draft").head().toString();
        owner.merge(WriteOptions.NONE, MergeRequest.of("main", "draft"), SETTINGS, budget);
        String merge = owner.branch("draft").head().toString();
        insert("draft", "b");
        GraphAccess graph = under(BranchScope.UNPROTECTED, Action.READ);
        for (GraphAccess any : List.of(graph, owner)) {
            assertThat(any.commitId("draft~", budget)).isEqualTo(merge);
            assertThat(any.commitId("draft~2", budget)).isEqualTo(first);
            assertThat(any.commitId(merge + "^", budget)).isEqualTo(first);
        }
        assertThat(owner.commitId("draft~1^2", budget))
                .isEqualTo(owner.branch("main").head().toString());
        assertMissing(() -> graph.commitId("draft~1^2", budget), "commit `draft~1^2` does not exist: " + merge);
        assertMissing(
                () -> graph.commitId("draft~3", budget),
                "commit `draft~3` does not exist: the history of branch `draft` has 3");
        assertMissing(
                () -> owner.commitId("draft~4", budget),
                "commit `draft~4` does not exist: the history of branch `draft` has 4");
    }

    private void insert(String branch, String name) {
        MutationCall call =
                new MutationCall(branch, "query q() { insert Person { name: \"" + name + "\" } }", null, null);
        owner.mutate(WriteOptions.NONE, call, SETTINGS, budget).join();
    }

    @Test
    void otherActionsAreDecidedByTheNameOfTheBranch() {
        GraphAccess graph = under(BranchScope.UNPROTECTED, Action.READ, Action.CHANGE, Action.EXPORT);
        assertForbidden(
                () -> graph.load(WriteOptions.NONE, "main", null, LoadMode.MERGE, records(), budget),
                "you may not change branch `main` of graph `test`");
        assertForbidden(
                () -> graph.export(
                        new ReadTarget.AtBranch("main"),
                        List.of(),
                        Int64Form.NUMBER,
                        TestBudgets.ample(),
                        new ByteArrayOutputStream()),
                "you may not export branch `main` of graph `test`");
        String genesis = owner.branch("main").head().toString();
        assertMissing(
                () -> graph.export(
                        new ReadTarget.AtSnapshot(genesis),
                        List.of(),
                        Int64Form.NUMBER,
                        TestBudgets.ample(),
                        new ByteArrayOutputStream()),
                "commit `" + genesis + "` does not exist in this graph");
    }

    /** A copy of a branch would show the state that the caller may not read. */
    @Test
    void aBranchThatTheCallerMayReadIsNotMadeFromOneThatItMayNot() {
        GraphAccess reader = under(BranchScope.UNPROTECTED, Action.READ, Action.BRANCH_CREATE, Action.CHANGE);
        assertThatThrownBy(() -> reader.createBranch("draft", "main", null).join())
                .hasMessageContaining("branch `main` does not exist");
        assertMissing(
                () -> reader.load(WriteOptions.NONE, "draft", "main", LoadMode.MERGE, records(), budget)
                        .join(),
                "branch `main` does not exist");
        String hidden = owner.branch("main").head().toString();
        String missing = "commit `" + hidden + "` does not exist in this graph";
        assertThatThrownBy(() -> reader.createBranch("draft", hidden, null).join())
                .hasMessageContaining(missing);
        assertMissing(
                () -> reader.load(WriteOptions.NONE, "draft", hidden, LoadMode.MERGE, records(), budget)
                        .join(),
                missing);
        assertMissing(() -> reader.base("draft", "main~0", budget), "commit `main~0` does not exist in this graph");
        GraphAccess creator = under(BranchScope.UNPROTECTED, Action.BRANCH_CREATE);
        assertThatThrownBy(() -> creator.createBranch("draft", hidden, null).join())
                .hasMessageContaining(missing);
        creator.createBranch("draft", "main", null).join();
        assertForbidden(
                () -> creator.deleteBranch("draft", null), "you may not branch_delete branch `draft` of graph `test`");
    }

    @Test
    void aLoadThatCreatesItsBranchNeedsTheRightToCreateIt() {
        GraphAccess graph = under(BranchScope.ANY, Action.READ, Action.CHANGE);
        assertForbidden(
                () -> graph.load(WriteOptions.NONE, "draft", "main", LoadMode.MERGE, records(), budget),
                "you may not branch_create branch `draft` of graph `test`");
        owner.createBranch("draft", "main", null).join();
        graph.load(WriteOptions.NONE, "draft", "main", LoadMode.MERGE, records(), budget)
                .join();
    }

    @Test
    void aMergeNeedsToReadItsSource() {
        owner.createBranch("draft", "main", null).join();
        assertMissing(
                () -> under(BranchScope.PROTECTED, Action.READ, Action.BRANCH_MERGE)
                        .merge(WriteOptions.NONE, MergeRequest.of("draft", "main"), SETTINGS, budget),
                "branch `draft` does not exist");
    }

    @Test
    void aStatementNeedsNoRightToChange() {
        GraphAccess graph = under(BranchScope.ANY, Action.BRANCH_CREATE);
        graph.mutate(WriteOptions.NONE, new MutationCall("main", "branch create x", null, null), SETTINGS, budget)
                .join();
        assertThat(owner.branches()).hasSize(2);
        assertForbidden(
                () -> graph.mutate(
                        WriteOptions.NONE,
                        new MutationCall("main", "query q() { insert Persn { name: \"x\" } }", null, null),
                        SETTINGS,
                        budget),
                "you may not change branch `main` of graph `test`");
    }

    @Test
    void aStatementNeedsTheActionOfWhatItDoes() {
        owner.createBranch("draft", "main", null).join();
        GraphAccess graph = under(BranchScope.ANY, Action.READ, Action.CHANGE);
        for (String statement : List.of("branch create x", "branch delete draft", "branch merge draft into main")) {
            String action = statement.startsWith("branch create")
                    ? "branch_create"
                    : statement.startsWith("branch delete") ? "branch_delete" : "branch_merge";
            assertForbidden(
                    () -> graph.mutate(
                                    WriteOptions.NONE,
                                    new MutationCall("main", statement, null, null),
                                    SETTINGS,
                                    budget)
                            .join(),
                    "you may not " + action + " branch `"
                            + (action.equals("branch_merge") ? "main" : action.equals("branch_create") ? "x" : "draft")
                            + "` of graph `test`");
        }
        assertThat(owner.branches()).hasSize(2);
    }

    @Test
    void aMergeKeepsASourceThatTheCallerMayNotDelete() {
        owner.createBranch("draft", "main", null).join();
        MergeResult result = under(BranchScope.ANY, Action.BRANCH_MERGE, Action.READ)
                .merge(WriteOptions.NONE, new MergeRequest("draft", "main", true, false), SETTINGS, budget);
        assertThat(result.deletion().refusal()).isEqualTo("you may not delete branch `draft`");
        assertThat(owner.branches()).hasSize(2);
    }
}
