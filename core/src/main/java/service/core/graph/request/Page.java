package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * A page of commits, newest first.
 *
 * @param nextBefore pass it as {@code before} for the next page; null on the last
 * @param truncatedAt the newest commit of which cleanup has reclaimed what a filter asks for, so that it and such ones
 *     before it are not shown; null for none
 */
public record Page(
        List<CommitRecord> commits,
        @Nullable String nextBefore,
        @Nullable Ulid truncatedAt) {
    /** A page of which cleanup has taken nothing. */
    public Page(List<CommitRecord> commits, @Nullable String nextBefore) {
        this(commits, nextBefore, null);
    }
}
