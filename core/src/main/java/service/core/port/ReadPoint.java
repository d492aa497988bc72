package service.core.port;

/**
 * A state of the graph: the incarnation of a branch as of an offset. Everything older than the branch's fork is found
 * through its base.
 *
 * @param offset events of that incarnation at or below it are seen
 */
public record ReadPoint(int incarnation, long offset) {}
