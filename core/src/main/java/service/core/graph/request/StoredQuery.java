package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;

/**
 * A query of the applied cluster revision, compiled against the graph's schema.
 *
 * @param catalog the schema that it was compiled against
 * @param runs false for a query with functions that this build lacks: its plan only describes it, and a call is refused
 */
public record StoredQuery(String name, String source, Plan plan, Catalog catalog, boolean runs) {
    /**
     * Refuses the query where the caller expects one of the other kind.
     *
     * @param expected {@code read}, {@code mutation}, or null where either will do
     * @throws ServiceException BAD_REQUEST
     */
    public void requireKind(@Nullable String expected) {
        if (expected == null) {
            return;
        }
        boolean writes = plan instanceof Plan.Mutation;
        switch (expected) {
            case "read" -> {
                if (writes) {
                    throw ServiceException.badRequest(
                            Reason.WRONG_ROUTE,
                            "stored query `" + name + "` is a mutation, and `expect` asks for a read");
                }
            }
            case "mutation" -> {
                if (!writes) {
                    throw ServiceException.badRequest(
                            Reason.WRONG_ROUTE,
                            "stored query `" + name + "` is a read, and `expect` asks for a mutation");
                }
            }
            default -> throw ServiceException.badRequest("`expect` is `read` or `mutation`, not `" + expected + "`");
        }
    }
}
