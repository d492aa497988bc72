package service.core.graph.mutate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.budget.RequestBudget;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.gq.CompiledSource;
import service.core.gq.plan.Plan;
import service.core.graph.branch.BranchStatements;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.GraphWriter;
import service.core.graph.check.RulesCache;
import service.core.graph.read.Blobs;
import service.core.graph.request.Arguments;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.Budgets;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.FreshIds;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.PointLookups;
import service.core.graph.request.QueryLanguage;
import service.core.graph.request.QueryTiming;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.SourceWork;
import service.core.graph.request.Targets;
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.json.Json;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * Runs mutations. A mutation that finds each of its entities by an id or a unique index runs on the writer's thread.
 * Every other one runs on the caller's thread, over the head of that moment ({@link MutationAhead}); the writer only
 * validates it against the commits since. No predicate therefore scans on the writer.
 */
public final class Mutations {
    private static final String BRANCH = "branch";
    private static final String QUERY = "query_name";

    /** Maximum number of entities that a mutation may read and change on the writer's thread. */
    private static final int POINT_ENTITIES_MAX = 4_096;

    /** Maximum number of changed entities of later commits that the writer checks for a mutation run ahead. */
    private static final long SINCE_MAX = 2_048;

    /**
     * After this number of attempts the writer makes the changes again itself and checks up to {@link #SINCE_MAX_LAST}.
     */
    private static final int ATTEMPTS_AHEAD = 3;

    /**
     * Runs mutations that turn out to be too long for the writer. It computes, so it needs platform threads; there is
     * at most one for each admitted request.
     */
    private static final Executor AHEAD =
            task -> Thread.ofPlatform().daemon().name("mutation-ahead").start(task);

    private static final long SINCE_MAX_LAST = 65_536;

    private final GraphStorage storage;
    private final CommitLog log;
    private final QueryExecutor executor;
    private final QueryLanguage language;
    private final RulesCache rules;
    private final BriefCalls brief;
    private final BranchStatements statements;
    private final Blobs blobs;
    private final int entitiesMax;

    public Mutations(
            GraphWriter writer,
            QueryExecutor executor,
            QueryLanguage language,
            BriefCalls brief,
            Blobs blobs,
            BranchStatements statements) {
        this.storage = writer.storage();
        this.log = writer.log();
        this.rules = writer.rules();
        this.entitiesMax = writer.entitiesMax();
        this.executor = executor;
        this.language = language;
        this.brief = brief;
        this.statements = statements;
        this.blobs = blobs;
    }

    /** The request as it arrived. */
    private record Request(
            WriteTerms terms,
            MutationCall call,
            Settings settings,
            RequestBudget budget,
            @Nullable Ulid condition,
            @Nullable WriteKey key,
            long nowMicros,
            BlobIntake blobs) {
        QueryExecutor.Limits limits() {
            return Budgets.limits(settings, nowMicros, budget);
        }

        String branch() {
            return call.branch();
        }
    }

    /** The writer's result; null when the caller's thread must work on the request first. */
    private record Attempt(@Nullable MutationResult result) {}

    /** Runs a mutation. */
    public CompletableFuture<MutationResult> run(
            WriteTerms terms, MutationCall call, Settings settings, RequestBudget budget) {
        return run(
                terms,
                call,
                settings,
                budget,
                () -> new RequestDigest("mutate").add(call.source()).add(call.name()));
    }

    /** Runs a stored mutation. The request is identified by the query's name, not by its source. */
    public CompletableFuture<MutationResult> runStored(
            WriteTerms terms, MutationCall call, Settings settings, RequestBudget budget) {
        return run(terms, call, settings, budget, () -> new RequestDigest("stored").add(call.name()));
    }

    private CompletableFuture<MutationResult> run(
            WriteTerms terms,
            MutationCall call,
            Settings settings,
            RequestBudget budget,
            Supplier<RequestDigest> digest) {
        return QueryTiming.mutation(budget, call.name(), timing -> run(terms, call, settings, budget, digest, timing));
    }

    private CompletableFuture<MutationResult> run(
            WriteTerms terms,
            MutationCall call,
            Settings settings,
            RequestBudget budget,
            Supplier<RequestDigest> digest,
            QueryTiming timing) {
        Ulid condition = Targets.condition(terms.condition());
        WriteKey key = null;
        if (terms.key() != null) {
            RequestDigest request = digest.get();
            request.add(call.branch()).add(call.params()).add(terms.condition());
            key = WriteKey.of(terms, request);
        }
        Request request =
                new Request(terms, call, settings, budget, condition, key, Budgets.nowMicros(), blobs.intake());
        if (key != null) {
            try (GraphSession session = storage.session()) {
                MutationResult first = replayed(session, request, request.nowMicros);
                if (first != null) {
                    return CompletableFuture.completedFuture(first);
                }
            }
        }
        return blobs.closing(request.blobs, () -> {
            Catalog catalog = catalogOf(terms, call);
            brief.stay(call.source(), call.name(), catalog);
            CompletableFuture<MutationResult> statement = statements.run(
                    new BranchStatements.Statement(terms, call.branch(), settings, budget, condition, request.key),
                    compiled(request, catalog));
            if (statement != null) {
                return statement;
            }
            CompiledMutation compiled = compile(request, catalog);
            timing.planned(() -> MutationOutline.of(compiled.plan(), catalog));
            return UnreadBranch.write(
                    terms.caller(),
                    call.branch(),
                    () -> PointLookups.isPoint(compiled.plan(), catalog)
                            ? runOnWriter(request, compiled)
                            : CompletableFuture.completedFuture(runAhead(request, compiled)));
        });
    }

    private CompletableFuture<MutationResult> runOnWriter(Request request, CompiledMutation compiled) {
        return request.budget.holdUntil(log.submit(
                        session -> decideHere(session, request, compiled), request.blobs.staged())
                .thenCompose(attempt -> attempt.result != null
                        ? CompletableFuture.completedFuture(attempt.result)
                        : CompletableFuture.supplyAsync(() -> runAhead(request, compiled), AHEAD)));
    }

    /** Runs on the calling thread and waits for the writer. */
    private MutationResult runAhead(Request request, CompiledMutation first) {
        QueryExecutor.Limits limits = request.limits();
        FreshIds ids = new FreshIds(request.nowMicros);
        CompiledMutation compiled = first;
        while (true) {
            MutationAhead ahead = ahead(request, compiled, limits, ids);
            MutationResult result = ahead == null ? null : commit(request, compiled, ahead, limits, ids);
            if (result != null) {
                return result;
            }
            // The schema or the branch has changed.
            compiled = compile(request, catalogOf(request.terms, request.call));
        }
    }

    /** Commits what was run ahead, after bringing it to later heads; null when it must be compiled again. */
    private @Nullable MutationResult commit(
            Request request,
            CompiledMutation compiled,
            MutationAhead ahead,
            QueryExecutor.Limits limits,
            FreshIds ids) {
        for (int attempt = 0; ; attempt++) {
            boolean last = attempt >= ATTEMPTS_AHEAD;
            Attempt outcome = request.budget.blocking(() -> CommitLog.await(log.submit(
                    session -> decide(session, request, compiled, ahead, limits, ids, last), request.blobs.staged())));
            if (outcome.result != null || !catchUp(request, compiled, ahead, limits, ids)) {
                return outcome.result;
            }
        }
    }

    /** Runs the mutation over the current head; null when it must be compiled again. */
    private @Nullable MutationAhead ahead(
            Request request, CompiledMutation compiled, QueryExecutor.Limits limits, FreshIds ids) {
        try (GraphSession session = storage.session()) {
            Branch branch = Targets.branch(session, request.branch(), request.terms.caller());
            Targets.checkCondition(branch, request.condition, request.terms.caller());
            try (GraphView view = session.view(branch.headPoint())) {
                return isOf(compiled, view)
                        ? new MutationAhead(compiled, branch, view, executor, language, rules, limits, ids, entitiesMax)
                        : null;
            }
        }
    }

    private static boolean isOf(CompiledMutation compiled, GraphView view) {
        return view.catalog().fingerprint().equals(compiled.schemaFingerprint());
    }

    /** Brings a mutation to the current head; false when it must be compiled again. */
    private boolean catchUp(
            Request request,
            CompiledMutation compiled,
            MutationAhead ahead,
            QueryExecutor.Limits limits,
            FreshIds ids) {
        try (GraphSession session = storage.session()) {
            Branch branch = Targets.branch(session, request.branch(), request.terms.caller());
            Targets.checkCondition(branch, request.condition, request.terms.caller());
            try (GraphView view = session.view(branch.headPoint())) {
                if (!ahead.isOver(branch) || !isOf(compiled, view)) {
                    return false;
                }
                if (ahead.advance(session, view, branch, Long.MAX_VALUE) != CheckedChanges.Verdict.VALID) {
                    ahead.runAgain(session, view, branch, Long.MAX_VALUE, limits, ids);
                }
                return true;
            }
        }
    }

    private static @Nullable MutationResult replayed(GraphSession session, Request request, long nowMicros) {
        WriteKey.First first = request.key == null ? null : request.key.find(session, nowMicros);
        if (first == null) {
            return null;
        }
        if (BranchStatements.isReceipt(first.receipt())) {
            return BranchStatements.replayed(first, request.terms.actor());
        }
        CommitRecord commit = first.commit();
        ChangeCounts counts = commit == null ? ChangeCounts.NONE : commit.counts();
        return new MutationResult(
                first.receipt().path(BRANCH).asText(),
                first.receipt().path(QUERY).asText(),
                counts.nodes(),
                counts.edges(),
                request.terms.actor(),
                commit,
                null,
                true);
    }

    private static ObjectNode receipt(Request request, String query) {
        return Json.object().put(BRANCH, request.branch()).put(QUERY, query);
    }

    /**
     * The schema of the branch. A branch statement needs no right on it, so that for a caller without one it is the
     * schema of main.
     */
    private Catalog catalogOf(WriteTerms terms, MutationCall call) {
        try (GraphSession session = storage.session()) {
            boolean visible = terms.caller().may(Action.CHANGE, call.branch())
                    || terms.caller().may(Action.READ, call.branch());
            Branch branch = visible ? Targets.branch(session, call.branch(), terms.caller()) : Targets.main(session);
            try (GraphView view = session.view(branch.headPoint())) {
                return view.catalog();
            }
        }
    }

    private CompiledSource compiled(Request request, Catalog catalog) {
        try (SourceWork work =
                new SourceWork(request.call.source(), request.settings, System.nanoTime(), request.budget)) {
            CompiledSource compiled = language.compile(request.call.source(), request.call.name(), catalog, work);
            work.done(compiled);
            return compiled;
        }
    }

    private CompiledMutation compile(Request request, Catalog catalog) {
        Plan.Mutation plan = switch (compiled(request, catalog).request()) {
            case CompiledSource.Request.Query(Plan.Mutation mutation) -> mutation;
            case CompiledSource.Request.Query(Plan.Read read) ->
                throw ServiceException.badRequest(
                        Reason.WRONG_ROUTE, "query `" + read.name() + "` is a read; send it to /query");
            case CompiledSource.Request.BranchCreate ignored -> throw runBefore();
            case CompiledSource.Request.BranchDelete ignored -> throw runBefore();
            case CompiledSource.Request.BranchMerge ignored -> throw runBefore();
            case CompiledSource.Request.BranchList ignored -> throw statement();
            case CompiledSource.Request.BranchShow ignored -> throw statement();
            case CompiledSource.Request.ShowSettings ignored -> throw statement();
            case CompiledSource.Request.Explain ignored -> throw statement();
        };
        brief.compiled(request.call.source(), request.call.name(), plan, catalog);
        return new CompiledMutation(
                catalog.fingerprint(),
                plan,
                Arguments.bind(plan.parameters(), request.call.params(), request.blobs::read));
    }

    private static ServiceException statement() {
        return ServiceException.badRequest(Reason.WRONG_ROUTE, "the statement only reads; send it to /query");
    }

    private static IllegalStateException runBefore() {
        return new IllegalStateException("branch statements run without being prepared");
    }

    /** Runs a mutation of few entities on the writer's thread. */
    private WriteCommand.Decision<Attempt> decideHere(
            WriteSession session, Request request, CompiledMutation compiled) {
        MutationResult first = replayed(session, request, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(first));
        }
        Branch branch = Targets.branch(session, request.branch(), request.terms.caller());
        Targets.checkCondition(branch, request.condition, request.terms.caller());
        QueryExecutor.Limits limits = pointLimits(request);
        try (GraphView view = session.view(branch.headPoint())) {
            // The schema can have changed while the command waited.
            CompiledMutation fitting = isOf(compiled, view) ? compiled : compile(request, view.catalog());
            MutationRun run = new MutationRun(
                    fitting.plan(),
                    fitting.arguments(),
                    view,
                    new Selections(fitting.plan(), fitting.arguments(), branch, view, executor, language, limits),
                    language,
                    limits,
                    () -> session.nextId().toString(),
                    POINT_ENTITIES_MAX);
            ChangeBlock changes = run.run();
            ConstraintChecks.check(branch, changes, view, rules, limits.budget(), run.orphan(), run::place);
            return commit(request, branch, fitting.plan().name(), changes);
        } catch (ServiceException e) {
            if (isBeyondPoint(e)) {
                return new WriteCommand.Decision.Nothing<>(new Attempt(null));
            }
            throw e;
        }
    }

    private static QueryExecutor.Limits pointLimits(Request request) {
        QueryExecutor.Limits limits = request.limits();
        return new QueryExecutor.Limits(
                limits.nowMicros(),
                limits.deadlineNanos(),
                limits.timeoutMillis(),
                Math.min(POINT_ENTITIES_MAX, limits.work()),
                limits.rows(),
                limits.budget().onWriter());
    }

    /** Whether a refusal means that the mutation is too large for the writer's thread, such as a delete of a hub. */
    private static boolean isBeyondPoint(ServiceException refusal) {
        return refusal.detail() instanceof ErrorDetail.ResourceLimit limit
                && limit.limit() == POINT_ENTITIES_MAX
                && (limit.resource().equals("work_limit") || limit.resource().equals(PendingChanges.ENTITIES));
    }

    /**
     * Commits a mutation that was run ahead, if it is still valid.
     *
     * @param last whether to make the changes again here if it is not
     */
    private WriteCommand.Decision<Attempt> decide(
            WriteSession session,
            Request request,
            CompiledMutation compiled,
            MutationAhead ahead,
            QueryExecutor.Limits limits,
            FreshIds ids,
            boolean last) {
        MutationResult first = replayed(session, request, session.nowMicros());
        if (first != null) {
            return new WriteCommand.Decision.Nothing<>(new Attempt(first));
        }
        Branch branch = Targets.branch(session, request.branch(), request.terms.caller());
        Targets.checkCondition(branch, request.condition, request.terms.caller());
        try (GraphView view = session.view(branch.headPoint())) {
            if (!ahead.isOver(branch) || !isOf(compiled, view)) {
                return new WriteCommand.Decision.Nothing<>(new Attempt(null));
            }
            long changesMax = last ? SINCE_MAX_LAST : SINCE_MAX;
            boolean valid = ahead.advance(session, view, branch, changesMax) == CheckedChanges.Verdict.VALID
                    || (last && ahead.runAgain(session, view, branch, changesMax, onWriter(limits), ids));
            return valid
                    ? commit(request, branch, compiled.plan().name(), ahead.changes())
                    : new WriteCommand.Decision.Nothing<>(new Attempt(null));
        }
    }

    private static QueryExecutor.Limits onWriter(QueryExecutor.Limits limits) {
        return new QueryExecutor.Limits(
                limits.nowMicros(),
                limits.deadlineNanos(),
                limits.timeoutMillis(),
                limits.work(),
                limits.rows(),
                limits.budget().onWriter());
    }

    private WriteCommand.Decision<Attempt> commit(Request request, Branch branch, String query, ChangeBlock changes) {
        if (changes.isEmpty()) {
            return WriteKey.unchanged(
                    request.key,
                    branch,
                    () -> receipt(request, query),
                    new Attempt(result(request, query, ChangeCounts.NONE, null)));
        }
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.MUTATION,
                        branch,
                        null,
                        request.terms.actor(),
                        WriteKey.entry(request.key, () -> receipt(request, query)),
                        null,
                        changes),
                event -> new Attempt(answer(request, query, (Event.Commit) event)));
    }

    private static MutationResult answer(Request request, String query, Event.Commit commit) {
        return result(request, query, commit.header().counts(), CommitRecord.of(commit.header()));
    }

    private static MutationResult result(
            Request request, String query, ChangeCounts counts, @Nullable CommitRecord commit) {
        return new MutationResult(
                request.branch(), query, counts.nodes(), counts.edges(), request.terms.actor(), commit, null, false);
    }
}
