package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph, on a server or in a store. Requests and answers are the JSON objects of {@code http.md} §4, the same for
 * both.
 *
 * <p>Every method throws {@link CommandFailure} or {@code ServiceException} for a refusal.
 */
public interface GraphClient extends AutoCloseable {
    /**
     * The state that a read uses: a branch, a branch as of a time, or a snapshot.
     *
     * @param branch null for {@code main}
     * @param asOf a time in RFC 3339; goes with a branch only
     */
    record Target(
            @Nullable String branch,
            @Nullable String snapshot,
            @Nullable String asOf) {
        /** The fields of a request body. */
        public void addTo(ObjectNode body) {
            put(body, "branch", branch);
            put(body, "snapshot", snapshot);
            put(body, "as_of", asOf);
        }

        private static void put(ObjectNode body, String name, @Nullable String value) {
            if (value != null) {
                body.put(name, value);
            }
        }
    }

    /**
     * One Blob property of one entity.
     *
     * @param entity {@code node} or {@code edge}
     */
    record Cell(String entity, String type, String id, String property) {}

    /**
     * Two states, each a branch or a commit.
     *
     * @param sinceMergeBase whether the changes begin at the merge base of the two, not at {@code from}
     */
    record States(String from, String to, boolean sinceMergeBase) {}

    /** A filter of changes; an empty list matches all. */
    record Filters(List<String> kinds, List<String> types, List<String> operations) {
        public Filters {
            kinds = List.copyOf(kinds);
            types = List.copyOf(types);
            operations = List.copyOf(operations);
        }
    }

    /**
     * A page of a change feed; at most one of {@code cursor}, {@code start} and {@code pageToken}.
     *
     * @param limit changes in a page; 0 for the default
     * @param waitSeconds how long to wait when there are no new changes
     */
    record FeedPoll(
            @Nullable String branch,
            @Nullable String cursor,
            @Nullable String start,
            @Nullable String pageToken,
            int limit,
            int waitSeconds,
            Filters filters) {
        /** The next page of this poll. */
        public FeedPoll page(String token) {
            return new FeedPoll(branch, null, null, token, limit, 0, filters);
        }

        /** A poll like this from a cursor on. */
        public FeedPoll from(String reached, int seconds) {
            return new FeedPoll(branch, reached, null, null, limit, seconds, filters);
        }
    }

    /** Runs a read; the body is that of {@code POST /query}. */
    ObjectNode query(ObjectNode body);

    /**
     * Runs a mutation; the body is that of {@code POST /mutate}.
     *
     * @param condition the commit that must be the branch's head, or null
     * @param key idempotency key, or null
     */
    ObjectNode mutate(ObjectNode body, @Nullable String condition, @Nullable String key);

    /**
     * Runs a stored query, read or mutation; the body is that of {@code POST /queries/{name}}. Its field {@code expect}
     * is {@code read} or {@code mutation}: a query of the other kind is refused and has no effect.
     */
    ObjectNode invoke(String name, ObjectNode body, @Nullable String condition, @Nullable String key);

    ObjectNode queries();

    /**
     * NDJSON records to load.
     *
     * @param length in bytes; −1 when it is unknown
     */
    record Records(InputStream content, long length) {
        /** Records that lie in memory. */
        public static Records of(byte[] ndjson) {
            return new Records(new ByteArrayInputStream(ndjson), ndjson.length);
        }

        /** Records that are read as they are sent. */
        public static Records of(InputStream ndjson) {
            return new Records(ndjson, -1);
        }
    }

    /**
     * Loads NDJSON records as one commit.
     *
     * @param key idempotency key, or null
     */
    ObjectNode load(@Nullable String branch, @Nullable String from, String mode, @Nullable String key, Records records);

    ObjectNode branches();

    ObjectNode branch(String name);

    ObjectNode createBranch(String name, @Nullable String from);

    ObjectNode deleteBranch(String name);

    /** Merges; the body is that of {@code POST /branches/merge}. */
    ObjectNode merge(ObjectNode body);

    /** A page of the changes between two states. */
    ObjectNode diff(States states, @Nullable String pageToken, Filters filters);

    ObjectNode snapshot(Target target);

    ObjectNode commits(@Nullable String branch, int limit, @Nullable String before);

    /**
     * One commit.
     *
     * @param ref its id, a branch, {@code BRANCH~N}, or the last characters of its id
     */
    ObjectNode commit(String ref);

    /** A page of a commit's changes. */
    ObjectNode commitChanges(String id, @Nullable String pageToken, int limit, Filters filters);

    /** A page of a branch's change feed. */
    ObjectNode changes(FeedPoll poll);

    /** Streams the entities of a branch's head and a last line with a cursor as NDJSON. */
    void baseline(@Nullable String branch, Filters filters, OutputStream into);

    ObjectNode schema(Target target);

    /**
     * Compares the schema in force with a desired one.
     *
     * @param allowedDrops names of types that may be dropped although they have entities
     */
    ObjectNode planSchema(String source, List<String> allowedDrops);

    /** Changes the schema; the same answer with the {@code commit}. */
    ObjectNode applySchema(String source, List<String> allowedDrops);

    /** Streams a state as NDJSON. */
    void export(Target target, List<String> typeNames, OutputStream into);

    /** The value of a Blob property: {@code graph_commit_id}, and {@code blob} in the form of the change feed. */
    ObjectNode blobStat(Target target, Cell cell);

    /**
     * Copies the bytes of a blob.
     *
     * @param offset the first byte, or null for all
     * @param length the number of bytes at most, or null for all after the offset
     */
    void blob(Target target, Cell cell, @Nullable Long offset, @Nullable Long length, OutputStream into);

    /**
     * Cancels the running request, which fails with {@link CommandFailure#cancelled}. Any other thread may call it. The
     * client cannot be used afterwards. A server cancels a read when its client disconnects, but may still finish a
     * write; a store always finishes a write.
     */
    void cancel();

    @Override
    void close();
}
