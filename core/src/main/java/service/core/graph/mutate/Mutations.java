package service.core.graph.mutate;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.gq.CompiledSource;
import service.core.gq.QueryCompiler;
import service.core.gq.plan.MutationOutline;
import service.core.graph.branch.BranchStatements;
import service.core.graph.check.GraphWriter;
import service.core.graph.read.Blobs;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.Budgets;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationReceipts;
import service.core.graph.request.MutationResult;
import service.core.graph.request.PointLookups;
import service.core.graph.request.QueryTiming;
import service.core.graph.request.RequestDigest;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;

/**
 * Runs mutations. A mutation that finds each of its entities by an id or a unique index runs on the writer's thread.
 * Every other one runs on the caller's thread, over the head of that moment ({@link MutationAhead}); the writer only
 * validates it against the commits since. No predicate therefore scans on the writer.
 */
public final class Mutations {
    private final GraphWriter writer;
    private final QueryExecutor executor;
    private final MutationCompiler compiler;
    private final BriefCalls brief;
    private final BranchStatements statements;
    private final Blobs blobs;

    public Mutations(
            GraphWriter writer,
            QueryExecutor executor,
            QueryCompiler queries,
            BriefCalls brief,
            Blobs blobs,
            BranchStatements statements) {
        this.writer = writer;
        this.executor = executor;
        this.compiler = new MutationCompiler(queries, brief);
        this.brief = brief;
        this.statements = statements;
        this.blobs = blobs;
    }

    /** Runs a mutation. */
    public CompletableFuture<MutationResult> run(
            WriteTerms terms, MutationCall call, Settings settings, RequestBudget budget) {
        return measured(
                terms,
                call,
                settings,
                budget,
                () -> new RequestDigest("mutate").add(call.source()).add(call.name()));
    }

    /** Runs a stored mutation. The request is identified by the query's name, not by its source. */
    public CompletableFuture<MutationResult> runStored(
            WriteTerms terms, MutationCall call, Settings settings, RequestBudget budget) {
        return measured(terms, call, settings, budget, () -> new RequestDigest("stored").add(call.name()));
    }

    private CompletableFuture<MutationResult> measured(
            WriteTerms terms,
            MutationCall call,
            Settings settings,
            RequestBudget budget,
            Supplier<RequestDigest> digest) {
        long cameNanos = System.nanoTime();
        return QueryTiming.mutation(budget, call.name(), timing -> {
            MutationRequest request = new MutationRequest(
                    terms,
                    call,
                    settings,
                    budget,
                    Targets.condition(terms.condition()),
                    key(terms, call, digest),
                    Budgets.nowMicros(),
                    blobs.intake());
            MutationResult first = replayed(request);
            return first != null
                    ? writer.storage().awaitTail(cameNanos).thenApply(any -> first)
                    : blobs.closing(request.blobs(), () -> write(request, timing));
        });
    }

    private static @Nullable WriteKey<MutationResult> key(
            WriteTerms terms, MutationCall call, Supplier<RequestDigest> digest) {
        if (terms.key() == null) {
            return null;
        }
        RequestDigest request = digest.get()
                .add(call.branch())
                .add(call.params())
                .add(terms.condition())
                .add(terms.options().note());
        return WriteKey.of(terms, request, MutationReceipts.INSTANCE);
    }

    private @Nullable MutationResult replayed(MutationRequest request) {
        if (request.key() == null) {
            return null;
        }
        try (GraphSession session = writer.storage().session()) {
            return WriteKey.replayed(request.key(), session, request.nowMicros());
        }
    }

    private CompletableFuture<MutationResult> write(MutationRequest request, QueryTiming timing) {
        MutationCall call = request.call();
        WriteTerms terms = request.terms();
        Catalog catalog = catalogOf(terms, call);
        brief.stay(call.source(), call.name(), catalog);
        CompiledSource source = compiler.source(request, catalog);
        CompletableFuture<MutationResult> statement = statements.run(
                new BranchStatements.Statement(
                        terms, call.branch(), request.settings(), request.budget(), request.condition(), request.key()),
                source);
        if (statement != null) {
            return statement;
        }
        CompiledMutation compiled = compiler.mutation(request, catalog, source);
        if (compiled.plan().reads()) {
            terms.require(Action.READ, call.branch());
        }
        timing.planned(() -> MutationOutline.of(compiled.plan(), catalog));
        MutationWrite write = new MutationWrite(writer, executor, compiler, request, compiled);
        return UnreadBranch.write(
                terms.caller(),
                call.branch(),
                () -> PointLookups.isPoint(compiled.plan(), catalog)
                        ? write.runOnWriter(write::decideHere)
                        : CompletableFuture.completedFuture(write.run()));
    }

    /**
     * The schema of the branch. A branch statement needs no right on it, so that for a caller without one it is the
     * schema of main.
     */
    private Catalog catalogOf(WriteTerms terms, MutationCall call) {
        try (GraphSession session = writer.storage().session()) {
            boolean visible = terms.caller().may(Action.CHANGE, call.branch())
                    || terms.caller().may(Action.READ, call.branch());
            Branch branch = visible ? Targets.branch(session, call.branch(), terms.caller()) : Targets.main(session);
            try (GraphView view = session.view(branch.headPoint())) {
                return view.catalog();
            }
        }
    }
}
