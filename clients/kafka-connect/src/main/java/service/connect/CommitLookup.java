package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds out what blocks do not say: offsets in the log, versions of the schema, distances. One thread. */
final class CommitLookup {
    private static final int PAGE = 1_000;
    private static final int NOT_FOUND = 404;
    private static final long UNKNOWN = -1;
    private static final String SCHEMA_KINDS = "&kind=genesis&kind=schema";

    private final GraphClient client;

    CommitLookup(GraphClient client) {
        this.client = client;
    }

    /**
     * The log offsets of commits, −1 where the caller may not see a commit. Two requests for each thousand.
     *
     * @param commits in the order of the branch, without a gap
     */
    Map<String, Long> logOffsets(List<String> commits) throws IOException {
        Map<String, Long> offsets = new HashMap<>();
        int rest = commits.size();
        while (rest > 0) {
            String last = commits.get(rest - 1);
            offsets.put(last, logOffset(last));
            rest--;
            if (rest > 0) {
                for (JsonNode commit :
                        client.commitsBefore(last, Math.min(PAGE, rest), "").path("commits")) {
                    offsets.put(
                            commit.path("graph_commit_id").asText(),
                            commit.path("log_offset").asLong());
                }
            }
            while (rest > 0 && offsets.containsKey(commits.get(rest - 1))) {
                rest--;
            }
        }
        return offsets;
    }

    private long logOffset(String commit) throws IOException {
        try {
            return client.commit(commit).path("log_offset").asLong();
        } catch (ServerRefusal e) {
            if (e.status() == NOT_FOUND) {
                // A fast-forward brought it from a branch that the caller may not read.
                return UNKNOWN;
            }
            throw e;
        }
    }

    /** How many schemas the branch has had up to a commit: the version of the one that the commit has. */
    int schemaVersion(String commit) throws IOException {
        String kind = client.commit(commit).path("kind").asText();
        int version = kind.equals("genesis") || kind.equals("schema") ? 1 : 0;
        String before = commit;
        while (!before.isEmpty()) {
            JsonNode page = client.commitsBefore(before, PAGE, SCHEMA_KINDS);
            version += page.path("commits").size();
            before = page.path("next_before").asText();
        }
        return version;
    }

    /**
     * How many commits the branch has after one: exactly up to a thousand, beyond that how far the log of the graph has
     * come, which also has the commits of other branches.
     */
    long commitsAfter(CommitInfo commit) throws IOException {
        String head = client.branch().path("head_commit_id").asText();
        if (head.equals(commit.id())) {
            return 0;
        }
        long count = 1;
        for (JsonNode each : client.commitsBefore(head, PAGE, "").path("commits")) {
            if (each.path("graph_commit_id").asText().equals(commit.id())) {
                return count;
            }
            count++;
        }
        return Math.max(count, client.commit(head).path("log_offset").asLong() - commit.logOffset());
    }
}
