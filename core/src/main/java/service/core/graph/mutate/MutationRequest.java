package service.core.graph.mutate;

import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.budget.RequestBudget;
import service.core.graph.request.Budgets;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.WriteKey;
import service.core.graph.request.WriteTerms;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.QueryExecutor;
import service.core.value.Ulid;

/**
 * A mutation as it arrived.
 *
 * @param condition the head that the branch must have; null for any
 * @param key null for a mutation without one
 * @param nowMicros its start
 * @param blobs takes the bytes that its arguments bring
 */
record MutationRequest(
        WriteTerms terms,
        MutationCall call,
        Settings settings,
        RequestBudget budget,
        @Nullable Ulid condition,
        @Nullable WriteKey<MutationResult> key,
        long nowMicros,
        BlobIntake blobs) {
    /** The limits of a run whose time begins now. */
    QueryExecutor.Limits limits() {
        return Budgets.limits(settings, nowMicros, budget);
    }

    /** The branch, if the caller may change it and it has the expected head. */
    Branch target(GraphSession session) {
        Branch branch = Targets.branch(session, call.branch(), terms.caller());
        Targets.checkCondition(branch, condition, terms.caller());
        return branch;
    }
}
