package service.core.graph.request;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitKind;
import service.core.event.Stamp;
import service.core.value.Ulid;

/**
 * A move of a branch as a caller sees it ({@code docs/http.md}, Records).
 *
 * @param stamp of the event that moved it
 * @param from the commit that it pointed to before; null for its creation
 * @param to the commit that it pointed to afterwards
 */
public record MoveRecord(Kind kind, Stamp stamp, @Nullable Ulid from, Ulid to) {
    /** How a branch moves. */
    public enum Kind {
        CREATED("created"),
        COMMIT("commit"),
        FAST_FORWARD("fast_forward"),
        MERGE("merge"),
        RESTORE("restore");

        private final String wireName;

        Kind(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }

        static Kind of(CommitKind kind) {
            return switch (kind) {
                case GENESIS -> CREATED;
                case MERGE -> MERGE;
                case RESTORE -> RESTORE;
                case MUTATION, LOAD, SCHEMA, REVERT, PICK -> COMMIT;
            };
        }
    }

    /**
     * A page of moves, newest first.
     *
     * @param nextBefore the offset below which the next page begins; null at the end
     */
    public record Page(List<MoveRecord> moves, @Nullable Long nextBefore) {}
}
