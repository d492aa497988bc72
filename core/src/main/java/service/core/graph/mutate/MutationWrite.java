package service.core.graph.mutate;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.GraphWriter;
import service.core.graph.request.AnsweredRows;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.FreshIds;
import service.core.graph.request.MutationResult;
import service.core.graph.request.PreparedWrite;
import service.core.graph.request.WriteKey;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;

/** The write of one mutation: run ahead by the caller, or all of it on the writer's thread ({@link #decideHere}). */
final class MutationWrite extends PreparedWrite<MutationAhead, MutationResult> {
    /** Maximum number of entities that a mutation may read and change on the writer's thread. */
    private static final int POINT_ENTITIES_MAX = 4_096;

    /** Maximum number of changed entities of later commits that the writer checks for a mutation run ahead. */
    private static final long SINCE_MAX = 2_048;

    /** The same in the last attempt, in which the writer makes the changes again itself if it must. */
    private static final long SINCE_MAX_LAST = 65_536;

    /** Maximum length of the rows that a receipt keeps, in both forms together. */
    private static final long KEPT_CHARACTERS_MAX = 1 << 20;

    private final GraphWriter writer;
    private final QueryExecutor executor;
    private final MutationCompiler compiler;
    private final MutationRequest request;
    private final CompiledMutation compiled;
    private final FreshIds ids;
    private QueryExecutor.@Nullable Limits limits;

    /** @param compiled against the schema that the branch has had; compiled again when it has another one */
    MutationWrite(
            GraphWriter writer,
            QueryExecutor executor,
            MutationCompiler compiler,
            MutationRequest request,
            CompiledMutation compiled) {
        super(
                writer.storage(),
                writer.log(),
                request.key(),
                request.budget(),
                request.blobs().staged());
        this.writer = writer;
        this.executor = executor;
        this.compiler = compiler;
        this.request = request;
        this.compiled = compiled;
        this.ids = new FreshIds(request.nowMicros());
    }

    @Override
    protected MutationAhead prepare(GraphSession session) {
        Branch branch = request.target(session);
        try (GraphView view = session.view(branch.headPoint())) {
            return ahead(branch, view);
        }
    }

    private MutationAhead ahead(Branch branch, GraphView view) {
        if (limits == null) {
            limits = request.limits();
        }
        return new MutationAhead(context(view, limits, ids, writer.entitiesMax()), branch, view);
    }

    private MutationContext context(
            GraphView view, QueryExecutor.Limits bounds, Supplier<String> newIds, int entitiesMax) {
        CompiledMutation fitting = compiled.fits(view) ? compiled : compiler.mutation(request, view.catalog());
        return new MutationContext(fitting, executor, writer.rules(), bounds, newIds, entitiesMax);
    }

    @Override
    protected MutationAhead prepareAgain(GraphSession session, MutationAhead before) {
        Branch branch = request.target(session);
        try (GraphView view = session.view(branch.headPoint())) {
            if (!before.isOver(branch, view)) {
                before.close();
                return ahead(branch, view);
            }
            if (before.advance(session, view, branch, Long.MAX_VALUE) != CheckedChanges.Verdict.VALID) {
                before.runAgain(session, view, branch, Long.MAX_VALUE, false);
            }
            return before;
        }
    }

    @Override
    protected Decided<MutationResult> decide(WriteSession session, MutationAhead ahead, boolean last) {
        Branch branch = request.target(session);
        try (GraphView view = session.view(branch.headPoint())) {
            if (!ahead.isOver(branch, view)) {
                return new Decided.Again<>();
            }
            long changesMax = last ? SINCE_MAX_LAST : SINCE_MAX;
            boolean valid = ahead.advance(session, view, branch, changesMax) == CheckedChanges.Verdict.VALID
                    || (last && ahead.runAgain(session, view, branch, changesMax, true));
            return valid ? commit(branch, ahead.queryName(), ahead.changes(), ahead.answer()) : new Decided.Again<>();
        }
    }

    @Override
    protected Duration patience() {
        return Duration.ofMillis(request.settings().timeoutMillis());
    }

    @Override
    protected void release(MutationAhead prepared) {
        prepared.close();
    }

    /** Runs a mutation of few entities on the writer's thread; gives a longer one back. */
    Decided<MutationResult> decideHere(WriteSession session) {
        Branch branch = request.target(session);
        QueryExecutor.Limits few = request.limits().withWork(POINT_ENTITIES_MAX).onWriter();
        try (GraphView view = session.view(branch.headPoint())) {
            // The schema can have changed while the command waited.
            MutationContext context = context(view, few, () -> session.nextId().toString(), POINT_ENTITIES_MAX);
            Rows one = Rows.one(context.compiled().plan().variables().size());
            MutationRun run = new MutationRun(context, view, new Selections(context, branch, view), one);
            ChangeBlock changes = run.run();
            ConstraintChecks.check(branch, changes, view, writer.rules(), few.budget(), run.orphan(), run::place);
            return commit(branch, context.compiled().plan().name(), changes, run.answer());
        } catch (ServiceException e) {
            if (isBeyondPoint(e)) {
                return new Decided.Again<>();
            }
            throw e;
        }
    }

    /** Whether a refusal means that the mutation is too large for the writer's thread, such as a delete of a hub. */
    private static boolean isBeyondPoint(ServiceException refusal) {
        return refusal.detail() instanceof ErrorDetail.ResourceLimit limit
                && limit.limit() == POINT_ENTITIES_MAX
                && (limit.resource().equals("work_limit") || limit.resource().equals(PendingChanges.ENTITIES));
    }

    private Decided<MutationResult> commit(
            Branch branch, String query, ChangeBlock changes, @Nullable AnsweredRows answer) {
        if (answer != null && request.key() != null) {
            requireKept(answer);
        }
        MutationResult unwritten = result(query, ChangeCounts.NONE, null, answer);
        if (changes.isEmpty()) {
            return new Decided.Done<>(WriteKey.unchanged(request.key(), branch, unwritten));
        }
        return new Decided.Done<>(new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.MUTATION,
                        branch,
                        null,
                        request.terms().origin(),
                        WriteKey.entry(request.key(), unwritten),
                        null,
                        changes),
                event -> {
                    Event.Commit commit = (Event.Commit) event;
                    return result(query, commit.header().counts(), CommitRecord.of(commit.header()), answer);
                }));
    }

    /** Refuses rows that are too long to be remembered under a key. */
    private static void requireKept(AnsweredRows answer) {
        long length = (long) answer.numbers().length() + answer.strings().length();
        if (length > KEPT_CHARACTERS_MAX) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "the rows that the mutation returns are too long to be kept under an Idempotency-Key, for which"
                            + " there are " + KEPT_CHARACTERS_MAX
                            + " bytes: return fewer rows, or read them after the write",
                    new ErrorDetail.ResourceLimit("receipt_bytes", KEPT_CHARACTERS_MAX, length));
        }
    }

    private MutationResult result(
            String query, ChangeCounts counts, @Nullable CommitRecord commit, @Nullable AnsweredRows answer) {
        return new MutationResult(
                request.call().branch(),
                query,
                counts.nodes(),
                counts.edges(),
                request.terms().actor(),
                commit,
                answer,
                false);
    }
}
