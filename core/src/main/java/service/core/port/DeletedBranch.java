package service.core.port;

/**
 * A branch that was deleted.
 *
 * @param last the branch as it was then
 * @param deletedOffset offset of the event that deleted it
 */
public record DeletedBranch(Branch last, long deletedOffset) {}
