package service.core.graph.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

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
        @Nullable ObjectNode params) {}
