package service.core.port;

/**
 * A state of the graph: the incarnation of a branch as of an offset. State from before the branch's fork is read from
 * its parent.
 *
 * @param offset events of that incarnation at or below it are visible
 */
public record ReadPoint(int incarnation, long offset) {}
