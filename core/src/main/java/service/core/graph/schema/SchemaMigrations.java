package service.core.graph.schema;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
import service.core.graph.request.UnreadBranch;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.policy.Action;
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
import service.core.value.Ulid;

/**
 * Changes the schema of a graph as one commit on {@code main}; other branches keep the schema of their fork until an
 * upgrade gives them that of {@code main}, as one commit on the branch. The plan and its facts are made on the caller's
 * thread over the head of that moment. The writer only compares: when a commit since has touched a type whose entities
 * decided something, or has changed the schema, the caller plans again; after some attempts the writer plans itself.
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
        return new Application(origin, request, budget).run();
    }

    /**
     * Gives a branch the schema of {@code main} that is in force now. A dry run answers what it would do, and why it
     * would be refused.
     *
     * @throws ServiceException BAD_REQUEST for {@code main}; CONFLICT with a {@code SchemaRefusal} when data of the
     *     branch does not fit; PRECONDITION_FAILED for another head of the branch than the expected one
     */
    public UpgradeResult upgrade(WriteTerms terms, UpgradeRequest request, RequestBudget budget) {
        if (request.branch().equals(Branch.MAIN)) {
            throw ServiceException.badRequest(
                    "branch `main` has no other schema than its own: name the branch that is to get it");
        }
        if (request.dryRun()) {
            terms.require(Action.READ, request.branch());
        }
        return CommitLog.await(UnreadBranch.write(
                terms.caller(),
                request.branch(),
                () -> CompletableFuture.completedFuture(new Upgrade(terms, request, budget).run())));
    }

    /** The write of one migration. */
    private abstract class Migration<R> extends PreparedWrite<Prepared, R> {
        final @Nullable WriteKey<R> key;
        private final Origin origin;
        private final RequestBudget budget;

        Migration(@Nullable WriteKey<R> key, Origin origin, RequestBudget budget) {
            super(storage, log, key, budget);
            this.key = key;
            this.origin = origin;
            this.budget = budget;
        }

        /** The branch to change. */
        abstract Branch branch(GraphSession session);

        /** The plan over the head of the branch, which may be applied; one without effect is one, too. */
        abstract Prepared checked(GraphSession session, RequestBudget of);

        /** Whether the schema that was planned is still the one that is wanted. */
        abstract boolean isWanted(GraphSession session, Catalog desired);

        abstract R result(MigrationPlan plan, @Nullable CommitRecord commit);

        @Override
        protected Prepared prepare(GraphSession session) {
            return checked(session, budget);
        }

        @Override
        protected Decided<R> decide(WriteSession session, Prepared prepared, boolean last) {
            Branch branch = branch(session);
            if (isWanted(session, prepared.plan.desired()) && isValid(session, branch, prepared)) {
                return new Decided.Done<>(commit(prepared.plan, branch));
            }
            return last
                    ? new Decided.Done<>(commit(checked(session, budget.onWriter()).plan, branch))
                    : new Decided.Again<>();
        }

        private WriteCommand.Decision<R> commit(MigrationPlan plan, Branch branch) {
            if (plan.isNothing()) {
                return WriteKey.unchanged(key, branch, result(plan, null));
            }
            Catalog desired = plan.desired();
            List<String> steps =
                    plan.steps().stream().map(step -> step.toJson().toString()).toList();
            return new WriteCommand.Decision.Append<>(
                    new WriteCommand.Draft.Commit(
                            CommitKind.SCHEMA,
                            branch,
                            null,
                            origin,
                            WriteKey.entry(key, result(plan, null)),
                            new SchemaChange(desired.source(), desired.digest(), CatalogCodec.encode(desired), steps),
                            ChangeBlock.EMPTY),
                    event -> result(plan, CommitRecord.of(((Event.Commit) event).header())));
        }
    }

    /** The change of the schema of {@code main} to a desired one. */
    private final class Application extends Migration<MigrationResult> {
        private final SchemaRequest request;

        Application(Origin origin, SchemaRequest request, RequestBudget budget) {
            super(null, origin, budget);
            this.request = request;
        }

        @Override
        Branch branch(GraphSession session) {
            return Targets.main(session);
        }

        @Override
        Prepared checked(GraphSession session, RequestBudget of) {
            Prepared prepared = SchemaMigrations.prepare(session, request.source(), request.approval(), of);
            String accepted = prepared.plan.accepted().digest();
            if (request.acceptedDigest() != null && !request.acceptedDigest().equals(accepted)) {
                throw new ServiceException(
                        ErrorCode.PRECONDITION_FAILED,
                        "the schema in force is %s, not %s: plan again".formatted(accepted, request.acceptedDigest()),
                        new ErrorDetail.PreconditionFailure(request.acceptedDigest(), accepted));
            }
            if (prepared.plan.isRefused()) {
                throw refusal("", prepared.plan.refusals());
            }
            return prepared;
        }

        @Override
        boolean isWanted(GraphSession session, Catalog desired) {
            return true;
        }

        @Override
        protected @Nullable MigrationResult answered(Prepared prepared) {
            return prepared.plan.isNothing() ? result(prepared.plan, null) : null;
        }

        @Override
        MigrationResult result(MigrationPlan plan, @Nullable CommitRecord commit) {
            return new MigrationResult(plan, commit);
        }
    }

    /** The change of the schema of a branch to that of {@code main}. */
    private final class Upgrade extends Migration<UpgradeResult> {
        private final WriteTerms terms;
        private final UpgradeRequest request;
        private final @Nullable Ulid condition;

        Upgrade(WriteTerms terms, UpgradeRequest request, RequestBudget budget) {
            super(request.dryRun() ? null : request.key(terms), terms.origin(), budget);
            this.terms = terms;
            this.request = request;
            this.condition = Targets.condition(terms.condition());
        }

        @Override
        Branch branch(GraphSession session) {
            Branch branch = Targets.branch(session, request.branch(), terms.caller());
            Targets.checkCondition(branch, condition, terms.caller());
            return branch;
        }

        @Override
        Prepared checked(GraphSession session, RequestBudget of) {
            Branch branch = branch(session);
            Catalog accepted = session.catalog(branch.headPoint());
            Prepared prepared =
                    prepared(session, branch, MigrationPlanner.of(accepted, ofMain(session)), request.approval(), of);
            if (prepared.plan.isRefused() && !request.dryRun()) {
                throw refusal(
                        "branch `%s` does not fit the schema of main: ".formatted(branch.name()),
                        prepared.plan.refusals());
            }
            return prepared;
        }

        @Override
        boolean isWanted(GraphSession session, Catalog desired) {
            return ofMain(session).fingerprint().equals(desired.fingerprint());
        }

        @Override
        protected @Nullable UpgradeResult answered(Prepared prepared) {
            return request.dryRun() ? result(prepared.plan, null) : null;
        }

        @Override
        UpgradeResult result(MigrationPlan plan, @Nullable CommitRecord commit) {
            return UpgradeResult.of(request.branch(), terms.actor(), plan, commit);
        }
    }

    private static Catalog ofMain(GraphSession session) {
        return session.catalog(Targets.main(session).headPoint());
    }

    private static Prepared prepare(GraphSession session, String source, DropApproval approval, RequestBudget budget) {
        MigrationPlanner planner = MigrationPlanner.of(ofMain(session), source);
        return prepared(session, Targets.main(session), planner, approval, budget);
    }

    private static Prepared prepared(
            GraphSession session, Branch over, MigrationPlanner planner, DropApproval approval, RequestBudget budget) {
        MigrationPlan plan = planner.decide(new LiveFacts(session, over.headPoint(), budget), approval);
        return new Prepared(plan, over, planner.typesAsked());
    }

    /** The refusal of a migration: the first of its reasons as the detail, the first ones as the message. */
    private static ServiceException refusal(String what, List<SchemaRefusal> refusals) {
        SchemaRefusal first = refusals.getFirst();
        List<String> texts = refusals.stream()
                .limit(REFUSALS_NAMED)
                .map(refusal -> refusal.code() + ": " + refusal.message())
                .toList();
        String more = refusals.size() > REFUSALS_NAMED ? "; and " + (refusals.size() - REFUSALS_NAMED) + " more" : "";
        return new ServiceException(
                ErrorCode.CONFLICT,
                what + String.join("; ", texts) + more,
                new ErrorDetail.SchemaRefusal(
                        first.code(),
                        first.kind(),
                        first.typeName(),
                        first.property(),
                        first.entityId(),
                        first.count()));
    }

    /** Whether the commits since the plan leave its facts as they were. */
    private static boolean isValid(GraphSession session, Branch branch, Prepared prepared) {
        Branch over = prepared.over;
        Catalog accepted = prepared.plan.accepted();
        if (branch.equals(over)) {
            return true;
        }
        if (branch.incarnation() != over.incarnation()) {
            return false;
        }
        if (!session.catalog(branch.headPoint()).fingerprint().equals(accepted.fingerprint())) {
            return false;
        }
        long seen = 0;
        for (long place = over.historyLength(); place < branch.historyLength(); place++) {
            CommitReader commit = session.commit(session.history(branch.incarnation(), place), 0);
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
}
