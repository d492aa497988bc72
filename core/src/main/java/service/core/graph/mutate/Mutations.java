package service.core.graph.mutate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.error.ServiceException;
import service.core.event.ChangeCounts;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.gq.CompiledSource;
import service.core.gq.plan.Plan;
import service.core.graph.branch.BranchStatements;
import service.core.graph.check.ChangeSet;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.RulesCache;
import service.core.graph.read.Blobs;
import service.core.graph.request.Arguments;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.MutationResult;
import service.core.graph.request.QueryLanguage;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.json.Json;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.Value;

/** Running mutations: compiled and bound on the caller's thread, decided on the writer's. */
public final class Mutations {
    private static final String BRANCH = "branch";
    private static final String QUERY = "query_name";

    private final GraphStorage storage;
    private final QueryExecutor executor;
    private final QueryLanguage language;
    private final RulesCache rules;
    private final BriefCalls brief;
    private final BranchStatements statements;
    private final Blobs blobs;

    public Mutations(
            GraphStorage storage,
            QueryExecutor executor,
            QueryLanguage language,
            RulesCache rules,
            BriefCalls brief,
            Blobs blobs,
            BranchStatements statements) {
        this.storage = storage;
        this.executor = executor;
        this.language = language;
        this.rules = rules;
        this.brief = brief;
        this.statements = statements;
        this.blobs = blobs;
    }

    /** What a request asks for, as it came. */
    private record Request(
            @Nullable String actor,
            String branch,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            @Nullable Ulid condition,
            @Nullable WriteKey key,
            long nowMicros,
            BlobIntake blobs) {}

    /** A request compiled against one schema. */
    private record Prepared(String schemaDigest, Plan.Mutation plan, List<Value> arguments) {}

    public CompletableFuture<MutationResult> run(
            WriteTerms terms,
            String branch,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings) {
        return run(
                terms,
                branch,
                source,
                name,
                params,
                settings,
                () -> new RequestDigest("mutate").add(source).add(name));
    }

    /** A stored mutation: the name that the caller gave makes the request, not the source. */
    public CompletableFuture<MutationResult> runStored(
            WriteTerms terms,
            String branch,
            String source,
            String name,
            @Nullable ObjectNode params,
            Settings settings) {
        return run(terms, branch, source, name, params, settings, () -> new RequestDigest("stored").add(name));
    }

    private CompletableFuture<MutationResult> run(
            WriteTerms terms,
            String branch,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            Supplier<RequestDigest> digest) {
        Ulid condition = Targets.condition(terms.condition());
        WriteKey key = null;
        if (terms.key() != null) {
            RequestDigest request = digest.get();
            request.add(branch).add(params).add(terms.condition());
            key = WriteKey.of(terms, request);
        }
        Request request = new Request(
                terms.actor(),
                branch,
                source,
                name,
                params,
                settings,
                condition,
                key,
                Budgets.nowMicros(),
                blobs.intake());
        if (key != null) {
            try (GraphSession session = storage.session()) {
                MutationResult first = replayed(session, request, request.nowMicros);
                if (first != null) {
                    return CompletableFuture.completedFuture(first);
                }
            }
        }
        return blobs.closing(request.blobs, () -> {
            Catalog catalog = catalogOf(branch);
            CompletableFuture<MutationResult> statement = statements.run(
                    new BranchStatements.Statement(terms, branch, settings, condition, request.key),
                    language.compile(source, name, catalog));
            if (statement != null) {
                return statement;
            }
            Prepared prepared = prepare(request, catalog);
            return storage.log().submit(session -> decide(session, request, prepared), request.blobs.staged());
        });
    }

    private static @Nullable MutationResult replayed(GraphSession session, Request request, long nowMicros) {
        WriteKey.First first = request.key == null ? null : request.key.find(session, nowMicros);
        if (first == null) {
            return null;
        }
        if (BranchStatements.isReceipt(first.receipt())) {
            return BranchStatements.replayed(first, request.actor);
        }
        CommitRecord commit = first.commit();
        ChangeCounts counts = commit == null ? ChangeCounts.NONE : commit.counts();
        return new MutationResult(
                first.receipt().path(BRANCH).asText(),
                first.receipt().path(QUERY).asText(),
                counts.nodes(),
                counts.edges(),
                request.actor,
                commit,
                null,
                true);
    }

    private static ObjectNode receipt(Request request, String query) {
        return Json.object().put(BRANCH, request.branch).put(QUERY, query);
    }

    private Catalog catalogOf(String branch) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(Targets.branch(session, branch).headPoint())) {
            return view.catalog();
        }
    }

    private Prepared prepare(Request request, Catalog catalog) {
        Plan.Mutation plan =
                switch (language.compile(request.source, request.name, catalog).request()) {
                    case CompiledSource.Request.Query(Plan.Mutation mutation) -> mutation;
                    case CompiledSource.Request.Query(Plan.Read read) ->
                        throw ServiceException.badRequest("query `" + read.name() + "` is a read; send it to /query");
                    case CompiledSource.Request.BranchCreate ignored -> throw runBefore();
                    case CompiledSource.Request.BranchDelete ignored -> throw runBefore();
                    case CompiledSource.Request.BranchMerge ignored -> throw runBefore();
                    case CompiledSource.Request.BranchList ignored -> throw statement();
                    case CompiledSource.Request.BranchShow ignored -> throw statement();
                    case CompiledSource.Request.ShowSettings ignored -> throw statement();
                    case CompiledSource.Request.Explain ignored -> throw statement();
                };
        brief.compiled(request.source, request.name, plan, catalog);
        return new Prepared(
                catalog.digest(), plan, Arguments.bind(plan.parameters(), request.params, request.blobs::read));
    }

    private static ServiceException statement() {
        return ServiceException.badRequest("the statement only reads; send it to /query");
    }

    private static IllegalStateException runBefore() {
        return new IllegalStateException("branch statements run without being prepared");
    }

    private WriteCommand.Decision<MutationResult> decide(WriteSession session, Request request, Prepared prepared) {
        MutationResult first = replayed(session, request, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(first);
        }
        Branch branch = Targets.branch(session, request.branch);
        Targets.checkCondition(branch, request.condition);
        try (GraphView view = session.view(branch.headPoint())) {
            // The schema can have moved on while the command waited.
            Prepared fitting =
                    view.catalog().digest().equals(prepared.schemaDigest) ? prepared : prepare(request, view.catalog());
            MutationRun run = new MutationRun(
                    fitting.plan,
                    fitting.arguments,
                    view,
                    executor,
                    language,
                    Budgets.limits(request.settings, request.nowMicros, () -> false),
                    () -> session.nextId().toString());
            ChangeSet changes = run.run();
            ConstraintChecks.check(changes, view, rules, run.orphan(), run::asStated);
            if (changes.isEmpty()) {
                return WriteKey.unchanged(
                        request.key,
                        branch,
                        () -> receipt(request, fitting.plan.name()),
                        result(request, fitting.plan.name(), ChangeCounts.NONE, null));
            }
            return new WriteCommand.Decision.Append<>(
                    new WriteCommand.Draft.Commit(
                            CommitKind.MUTATION,
                            branch,
                            null,
                            request.actor,
                            WriteKey.entry(request.key, () -> receipt(request, fitting.plan.name())),
                            null,
                            changes.changes()),
                    event -> answer(request, fitting.plan.name(), (Event.Commit) event));
        }
    }

    private static MutationResult answer(Request request, String query, Event.Commit commit) {
        return result(request, query, commit.header().counts(), CommitRecord.of(commit.header()));
    }

    private static MutationResult result(
            Request request, String query, ChangeCounts counts, @Nullable CommitRecord commit) {
        return new MutationResult(
                request.branch, query, counts.nodes(), counts.edges(), request.actor, commit, null, false);
    }
}
