package service.core.port;

/**
 * An event that moved a branch, with the places of its history that it added. That of the creation of a branch from
 * another one added none: its {@code last} is the place of the commit that it was created from, and {@code first} the
 * next.
 *
 * @param event offset of the event: a commit, a fast-forward, or the creation of the branch
 * @param first place of the first commit that it added
 * @param last place of the commit that the branch pointed to afterwards
 */
public record BranchStep(long event, long first, long last) {}
