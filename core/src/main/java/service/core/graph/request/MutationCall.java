package service.core.graph.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;

/**
 * The mutation to run, and its branch.
 *
 * @param branch the target branch
 * @param source GQ text
 * @param name the query of the source to run; may be null when there is exactly one
 * @param params JSON object of arguments, or null
 */
public record MutationCall(
        String branch,
        String source,
        @Nullable String name,
        @Nullable ObjectNode params) {
    /**
     * Whether the query has a parameter that is a list of records.
     *
     * @throws ServiceException BAD_REQUEST for a source that does not parse, or without such a query
     */
    public boolean takesRecords(Settings settings, RequestBudget budget) {
        try (SourceWork work = new SourceWork(source, settings, System.nanoTime(), budget)) {
            return GqCompiler.takesRecords(source, name, work);
        }
    }
}
