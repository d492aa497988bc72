package service.core.port;

import service.core.value.Ulid;

/**
 * A time at which a branch began to point to a commit: its creation, a commit, or a fast-forward.
 *
 * @param point the state of the branch from then on
 * @param head the commit that it pointed to
 * @param timeMicros microseconds since the epoch
 */
public record BranchMove(ReadPoint point, Ulid head, long timeMicros) {}
