package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.event.Origin;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * The terms of a write, without its content.
 *
 * @param graph the id of the graph, for refusals
 */
public record WriteTerms(String graph, Caller caller, WriteOptions options) {
    /** The author; null when callers are not authenticated. */
    public @Nullable String actor() {
        return caller.actor();
    }

    /** The author and the note, for events. */
    public Origin origin() {
        return new Origin(actor(), options.note());
    }

    public @Nullable String condition() {
        return options.condition();
    }

    public @Nullable String key() {
        return options.key();
    }

    /** Throws FORBIDDEN unless the caller may do the action on the branch. */
    public void require(Action action, String branch) {
        caller.require(action, graph, branch);
    }
}
