package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.Branch;

/**
 * A request for a page of commits, newest first.
 *
 * @param branch whose first-parent history it lists; null for every commit of the graph
 * @param before only commits before this one: a commit id, or {@code offset:N} as a page gives it; null for the first
 *     page
 * @param counts whether to count the changes of each commit by type
 */
public record CommitQuery(
        @Nullable String branch, int limit, @Nullable String before, CommitFilter filter, boolean counts) {
    private static final String OFFSET = "offset:";

    public CommitQuery {
        History.checkLimit(limit);
    }

    /** The history of a branch without a filter. */
    public static CommitQuery of(String branch, int limit, @Nullable String before) {
        return new CommitQuery(branch, limit, before, CommitFilter.ALL, false);
    }

    /** The branch whose schema names the types. */
    public String schemaBranch() {
        return branch == null ? Branch.MAIN : branch;
    }

    /** The text with which the next page begins below an offset of the log. */
    public static String below(long offset) {
        return OFFSET + offset;
    }

    /** Whether a text is that of {@link #below}, and no ref of a commit. */
    public static boolean isOffset(String before) {
        return before.startsWith(OFFSET);
    }

    /** The offset in {@code before}; null where that names a commit. */
    public @Nullable Long beforeOffset() {
        if (before == null || !isOffset(before)) {
            return null;
        }
        String digits = before.substring(OFFSET.length());
        if (!digits.matches("[0-9]{1,18}")) {
            throw ServiceException.badRequest(
                    "`before` must be a commit, or the `next_before` of a page, not `" + before + "`");
        }
        return Long.parseLong(digits);
    }
}
