package service.core.graph.schema;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.PreparedWrite;
import service.core.graph.request.Targets;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.migrate.DropApproval;
import service.core.schema.migrate.MigrationPlan;
import service.core.schema.migrate.MigrationPlanner;
import service.core.schema.migrate.SchemaRefusal;

/**
 * Changes the schema of a graph as one commit on {@code main}; other branches keep the schema of their fork. The plan
 * and its facts are made on the caller's thread over the head of that moment. The writer only compares: when a commit
 * since has touched a type whose entities decided something, or has changed the schema, the caller plans again; after
 * some attempts the writer plans itself.
 *
 * <p>Thread rule: any thread; {@link #apply} blocks until the commit is durable.
 */
public final class SchemaMigrations {
    /** Maximum number of changed entities of later commits that the writer reads. */
    private static final long SINCE_MAX = 65_536;

    private static final int REFUSALS_NAMED = 10;

    private final GraphStorage storage;
    private final CommitLog log;

    /** @param log takes the writes */
    public SchemaMigrations(GraphStorage storage, CommitLog log) {
        this.storage = storage;
        this.log = log;
    }

    /** A plan, the head that its facts were read from, and the types that they are about. */
    private record Prepared(MigrationPlan plan, Branch over, Set<Integer> types) {}

    /**
     * Compares the schema of {@code main} with a desired one. The plan shows its refusals; it writes nothing.
     *
     * @throws ServiceException BAD_REQUEST with the findings of the source
     */
    public MigrationPlan plan(String source, DropApproval approval, RequestBudget budget) {
        try (GraphSession session = storage.session()) {
            return prepare(session, source, approval, budget).plan;
        }
    }

    /**
     * Applies a desired schema.
     *
     * @param origin the author and the note
     * @throws ServiceException BAD_REQUEST with the findings of the source; CONFLICT with a {@code SchemaRefusal} for a
     *     migration that is refused; PRECONDITION_FAILED for another accepted schema than the expected one
     */
    public MigrationResult apply(Origin origin, SchemaRequest request, RequestBudget budget) {
        return new Migration(origin, request, budget).run();
    }

    /** The write of one migration. */
    private final class Migration extends PreparedWrite<Prepared, MigrationResult> {
        private final Origin origin;
        private final SchemaRequest request;
        private final RequestBudget budget;

        Migration(Origin origin, SchemaRequest request, RequestBudget budget) {
            super(storage, log, null, budget);
            this.origin = origin;
            this.request = request;
            this.budget = budget;
        }

        @Override
        protected Prepared prepare(GraphSession session) {
            return checked(session, request, budget);
        }

        @Override
        protected @Nullable MigrationResult answered(Prepared prepared) {
            return prepared.plan.isNothing() ? new MigrationResult(prepared.plan, null) : null;
        }

        @Override
        protected Decided<MigrationResult> decide(WriteSession session, Prepared prepared, boolean last) {
            Branch main = Targets.main(session);
            if (isValid(session, main, prepared)) {
                return new Decided.Done<>(commit(new Prepared(prepared.plan, main, prepared.types), origin));
            }
            return last
                    ? new Decided.Done<>(commit(checked(session, request, budget.onWriter()), origin))
                    : new Decided.Again<>();
        }
    }

    private static Prepared prepare(GraphSession session, String source, DropApproval approval, RequestBudget budget) {
        Branch main = Targets.main(session);
        MigrationPlanner planner = MigrationPlanner.of(session.catalog(main.headPoint()), source);
        MigrationPlan plan = planner.decide(new LiveFacts(session, main.headPoint(), budget), approval);
        return new Prepared(plan, main, planner.typesAsked());
    }

    /** A plan that may be applied; a plan without effect is one, too. */
    private static Prepared checked(GraphSession session, SchemaRequest request, RequestBudget budget) {
        Prepared prepared = prepare(session, request.source(), request.approval(), budget);
        String accepted = prepared.plan.accepted().digest();
        if (request.acceptedDigest() != null && !request.acceptedDigest().equals(accepted)) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED,
                    "the schema in force is %s, not %s: plan again".formatted(accepted, request.acceptedDigest()),
                    new ErrorDetail.PreconditionFailure(request.acceptedDigest(), accepted));
        }
        if (prepared.plan.isRefused()) {
            throw refusal(prepared.plan.refusals());
        }
        return prepared;
    }

    /** The refusal of a migration: the first of its reasons as the detail, the first ones as the message. */
    private static ServiceException refusal(List<SchemaRefusal> refusals) {
        SchemaRefusal first = refusals.getFirst();
        List<String> texts = refusals.stream()
                .limit(REFUSALS_NAMED)
                .map(refusal -> refusal.code() + ": " + refusal.message())
                .toList();
        String more = refusals.size() > REFUSALS_NAMED ? "; and " + (refusals.size() - REFUSALS_NAMED) + " more" : "";
        return new ServiceException(
                ErrorCode.CONFLICT,
                String.join("; ", texts) + more,
                new ErrorDetail.SchemaRefusal(
                        first.code(),
                        first.kind(),
                        first.typeName(),
                        first.property(),
                        first.entityId(),
                        first.count()));
    }

    /** Whether the commits since the plan leave its facts as they were. */
    private static boolean isValid(GraphSession session, Branch main, Prepared prepared) {
        Branch over = prepared.over;
        Catalog accepted = prepared.plan.accepted();
        if (main.equals(over)) {
            return true;
        }
        if (!session.catalog(main.headPoint()).fingerprint().equals(accepted.fingerprint())) {
            return false;
        }
        long seen = 0;
        for (long place = over.historyLength(); place < main.historyLength(); place++) {
            CommitReader commit = session.commit(session.history(main.incarnation(), place), 0);
            ChangeReader changes = commit.changes();
            seen += changes.count();
            if (seen > SINCE_MAX && !prepared.types.isEmpty()) {
                return false;
            }
            while (!prepared.types.isEmpty() && changes.next()) {
                if (prepared.types.contains(changes.type())) {
                    return false;
                }
            }
        }
        return true;
    }

    private static WriteCommand.Decision<MigrationResult> commit(Prepared prepared, Origin origin) {
        MigrationPlan plan = prepared.plan;
        if (plan.isNothing()) {
            return new WriteCommand.Decision.Nothing<>(new MigrationResult(plan, null));
        }
        Catalog desired = plan.desired();
        List<String> steps =
                plan.steps().stream().map(step -> step.toJson().toString()).toList();
        return new WriteCommand.Decision.Append<>(
                new WriteCommand.Draft.Commit(
                        CommitKind.SCHEMA,
                        prepared.over,
                        null,
                        origin,
                        null,
                        new SchemaChange(desired.source(), desired.digest(), CatalogCodec.encode(desired), steps),
                        ChangeBlock.EMPTY),
                event -> new MigrationResult(plan, CommitRecord.of(((Event.Commit) event).header())));
    }
}
