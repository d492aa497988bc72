package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What records say about the commit that they come from. Any thread.
 *
 * @param logOffset its place in the log of the graph
 * @param actor who made it; null on a server without authentication
 * @param millis when it was made, since 1970
 */
record CommitInfo(String id, long logOffset, @Nullable String actor, String kind, long millis) {
    /**
     * The commit of a block.
     *
     * @param cause of the block
     */
    static CommitInfo ofCause(JsonNode cause, long logOffset) {
        return of(cause, logOffset, cause.path("authored_at"));
    }

    /** A commit of {@code GET /commits}. */
    static CommitInfo ofCommit(JsonNode commit) {
        return of(commit, commit.path("log_offset").asLong(), commit.path("created_at"));
    }

    private static CommitInfo of(JsonNode commit, long logOffset, JsonNode time) {
        return new CommitInfo(
                commit.path("graph_commit_id").asText(),
                logOffset,
                commit.path("actor_id").textValue(),
                commit.path("kind").asText(),
                Instant.parse(time.asText()).toEpochMilli());
    }
}
