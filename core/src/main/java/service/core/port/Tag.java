package service.core.port;

import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * A name for a commit. It does not move.
 *
 * @param position of the commit
 * @param branch name of the branch that the commit was made on, which may be deleted
 * @param message what the tag is for, or null
 * @param createdMicros microseconds since the epoch
 */
public record Tag(
        String name,
        Ulid commit,
        CommitPosition position,
        String branch,
        @Nullable String message,
        long createdMicros,
        @Nullable String createdBy) {}
