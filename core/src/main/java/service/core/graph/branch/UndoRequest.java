package service.core.graph.branch;

import java.util.List;
import service.core.event.CommitKind;

/**
 * A request to make a commit of another one.
 *
 * @param kind REVERT, RESTORE or PICK
 * @param ref the other commit; for a revert also {@code A..B}, the commits after A up to B along first parents
 * @param branch that gets the new commit
 * @param byProperty whether changes of different properties of an entity are combined
 * @param dryRun whether only to report the outcome, without writing
 * @param resolutions what entities in conflict, or properties of them, become; one for each at most
 */
public record UndoRequest(
        CommitKind kind, String ref, String branch, boolean byProperty, boolean dryRun, List<Resolution> resolutions) {
    public UndoRequest {
        resolutions = List.copyOf(resolutions);
    }
}
