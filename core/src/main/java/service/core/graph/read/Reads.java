package service.core.graph.read;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.budget.RequestBudget;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource;
import service.core.gq.QueryCompiler;
import service.core.gq.plan.Plan;
import service.core.graph.request.Arguments;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.BriefCalls;
import service.core.graph.request.Budgets;
import service.core.graph.request.QueryTiming;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.SourceWork;
import service.core.graph.request.Targets;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.Value;

/** Runs reads. Each uses one session and one view from the resolution of the target to the last row. */
public final class Reads {
    private final GraphStorage storage;
    private final QueryExecutor executor;
    private final QueryCompiler compiler;
    private final BriefCalls brief;
    private final Embeddings embeddings;

    public Reads(
            GraphStorage storage,
            QueryExecutor executor,
            QueryCompiler compiler,
            BriefCalls brief,
            Embeddings embeddings) {
        this.storage = storage;
        this.embeddings = embeddings;
        this.executor = executor;
        this.compiler = compiler;
        this.brief = brief;
    }

    /**
     * The read to run, and its target.
     *
     * @param source GQ text
     * @param name the query of the source to run; may be null when there is exactly one
     * @param params JSON object of arguments, or null
     */
    public record Call(
            ReadTarget target,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params) {}

    /** What the attempts of a read share. */
    private record Begun(QueryTiming timing, long startNanos, TextVectors vectors) {}

    /** Runs a read, or a statement that reads, for a caller who may read the target. */
    public void run(Caller caller, Call call, Settings settings, RequestBudget budget, RowSink sink) {
        Begun begun = new Begun(QueryTiming.begin(budget), System.nanoTime(), new TextVectors(embeddings));
        try {
            while (!attempt(begun, caller, call, settings, budget, sink)) {
                begun.vectors.embed();
            }
        } catch (RowSink.EnoughException e) {
            // The answer is the rows until here.
        }
    }

    /** Runs the read unless vectors of its texts are missing; returns whether it ran. */
    private boolean attempt(
            Begun begun, Caller caller, Call call, Settings settings, RequestBudget budget, RowSink sink) {
        ReadTarget target = call.target;
        String source = call.source;
        String name = call.name;
        ObjectNode params = call.params;
        QueryTiming timing = begun.timing;
        long startNanos = begun.startNanos;
        try (GraphSession session = storage.session()) {
            Targets.Resolved resolved = Targets.resolve(session, target, Action.READ, caller);
            try (GraphView view = session.view(resolved.point())) {
                brief.stay(source, name, view.catalog());
                CompiledSource compiled =
                        compile(source, name, view, new SourceWork(source, settings, startNanos, budget));
                Settings effective = settings.withFile(compiled.settings());
                if (!effective.isResident()) {
                    view.leaveBlocks();
                }
                QueryExecutor.Limits bounds = Budgets.limits(effective, Budgets.nowMicros(), startNanos, budget);
                QueryExecutor.Limits limits = sink.isBounded() ? bounds.withoutRows() : bounds;
                QueryExecutor.Kept kept = QueryExecutor.Kept.chargedTo(budget.memory());
                switch (compiled.request()) {
                    case CompiledSource.Request.Query(Plan.Read plan) -> {
                        brief.compiled(source, name, plan, view.catalog());
                        List<Value> arguments = begun.vectors.with(
                                plan, Arguments.bind(plan.parameters(), params, BlobIntake::described), limits);
                        if (arguments == null) {
                            return false;
                        }
                        sink.begin(plan.name(), target, resolved.head(), columns(plan), view.catalog());
                        timing.planned(() -> executor.outline(plan, arguments, view, limits));
                        measured(
                                plan.name(),
                                timing,
                                () -> executor.read(plan, arguments, view, limits, timing.counting(sink)));
                    }
                    case CompiledSource.Request.Query(Plan.Mutation mutation) ->
                        throw writes("query `" + mutation.name() + "` is a mutation");
                    case CompiledSource.Request.Explain(Plan plan, boolean analyze) -> {
                        List<Value> arguments = analyze
                                ? Arguments.bind(plan.parameters(), params, BlobIntake::described)
                                : Arguments.bindGiven(plan.parameters(), params, BlobIntake::described);
                        if (plan instanceof Plan.Read read) {
                            arguments = analyze
                                    ? begun.vectors.with(read, arguments, limits)
                                    : withoutVectors(read, arguments);
                        }
                        if (arguments == null) {
                            return false;
                        }
                        List<QueryExecutor.ExplainRow> rows = executor.explain(plan, arguments, view, limits, analyze);
                        sink.begin(
                                plan.name(),
                                target,
                                resolved.head(),
                                StatementRows.explainColumns(analyze),
                                view.catalog());
                        StatementRows.explain(view, rows, analyze, sink, kept);
                    }
                    case CompiledSource.Request.BranchList ignored -> {
                        sink.begin("branch list", target, resolved.head(), StatementRows.BRANCHES, view.catalog());
                        StatementRows.branches(view, BranchRecord.visible(session, caller), sink, kept);
                    }
                    case CompiledSource.Request.BranchShow show -> {
                        BranchRecord branch = BranchRecord.of(Targets.readable(session, show.branch(), caller), caller);
                        sink.begin("branch show", target, resolved.head(), StatementRows.BRANCHES, view.catalog());
                        StatementRows.branches(view, List.of(branch), sink, kept);
                    }
                    case CompiledSource.Request.ShowSettings show -> {
                        List<Settings.Row> rows = effective.rows(show.name());
                        sink.begin("show", target, resolved.head(), StatementRows.SETTINGS, view.catalog());
                        StatementRows.settings(view, rows, sink, kept);
                    }
                    case CompiledSource.Request.BranchCreate ignored -> throw writes("`branch create` writes");
                    case CompiledSource.Request.BranchDelete ignored -> throw writes("`branch delete` writes");
                    case CompiledSource.Request.BranchMerge ignored -> throw writes("`branch merge` writes");
                    case CompiledSource.Request.Undo undo ->
                        throw writes("`" + undo.statement().words() + "` writes");
                }
                return true;
            }
        }
    }

    /** The arguments of a read that is explained and not run. */
    private static List<Value> withoutVectors(Plan.Read plan, List<Value> arguments) {
        List<Value> all = new ArrayList<>(arguments);
        all.addAll(Collections.nCopies(plan.embeddings().size(), Value.NULL));
        return all;
    }

    private CompiledSource compile(String source, @Nullable String name, GraphView view, SourceWork work) {
        try (work) {
            CompiledSource compiled = compiler.compile(source, name, view.catalog(), work);
            work.done(compiled);
            return compiled;
        }
    }

    private static void measured(String name, QueryTiming timing, Runnable read) {
        RuntimeException failure = null;
        try {
            read.run();
        } catch (RowSink.EnoughException e) {
            throw e;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            timing.ended(name, failure);
        }
    }

    private static ServiceException writes(String what) {
        return ServiceException.badRequest(Reason.WRONG_ROUTE, what + "; send it to /mutate");
    }

    private static List<ResultColumn> columns(Plan.Read plan) {
        List<ResultColumn> columns = new ArrayList<>(plan.result().outputs().size());
        for (Plan.Output output : plan.result().outputs()) {
            columns.add(new ResultColumn(output.column(), output.expression().type()));
        }
        return columns;
    }
}
