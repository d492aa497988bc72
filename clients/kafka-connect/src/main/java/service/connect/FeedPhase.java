package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.connect.errors.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commits after a place, a page of the feed at a time. A commit that is longer than a page is sent in pieces,
 * each with the position before the commit, so that it is sent again whole if the task ends in the middle. One thread.
 */
final class FeedPhase implements Phase {
    /** A worker gives a task five seconds to stop. */
    private static final int WAIT_SECONDS = 2;

    private final GraphSourceConfig config;
    private final GraphClient client;
    private final Progress progress;
    private final CommitLookup lookup;
    private final Envelope envelope;
    private final Pending pending;

    /** Up to where everything was made into records or left out. */
    private Position done;

    /** The page that is asked for next. */
    private Position.Place next;

    /** The commit up to which the first pages are passed over; null once they are. */
    private @Nullable String passing;

    private boolean passed;

    /** The commit whose end is not known yet. */
    private @Nullable CommitInfo open;

    /** Whether {@link #open} has a change on the page that is read. */
    private boolean openIsHere;

    private @Nullable GraphTypes types;
    /** When a record was made last, for marks of the place. */
    private long recordNanos = System.nanoTime();

    private boolean isUnmarked;

    FeedPhase(GraphSourceConfig config, GraphClient client, Progress progress, Position from) {
        this.config = config;
        this.client = client;
        this.progress = progress;
        this.lookup = new CommitLookup(client);
        this.envelope = new Envelope(config);
        this.pending = new Pending(config.partition(), from);
        this.done = from;
        this.next = Objects.requireNonNull(from.place());
        this.passing = from.passed();
    }

    /** All requests come first: where one fails, nothing has changed, and the page is asked for again. */
    @Override
    public List<GraphRecord> next() throws IOException, StaleSchemaException {
        JsonNode page = client.changes(next, config.pageChanges(), WAIT_SECONDS);
        JsonNode blocks = page.path("blocks");
        int begin = firstBlock(blocks);
        Map<String, Long> offsets = logOffsets(blocks, begin);
        Map<String, GraphTypes> schemas = schemas(blocks, begin);

        List<GraphRecord> records = new ArrayList<>();
        openIsHere = false;
        passed |= begin > 0 && isPassing(blocks.path(begin - 1));
        if (begin < blocks.size()) {
            passing = null;
        }
        for (int i = begin; i < blocks.size(); i++) {
            JsonNode cause = blocks.path(i).path("cause");
            CommitInfo commit = CommitInfo.ofCause(cause, Objects.requireNonNull(offsets.get(id(blocks.path(i)))));
            take(blocks.path(i), commit, schemas.get(commit.id()), records);
        }
        JsonNode token = page.get("next_page_token");
        if (token != null) {
            next = new Position.Place(token.asText(), true);
        } else {
            finish(page, records);
        }
        progress.read(open, page.path("caught_up").asBoolean(), lookup);
        return records;
    }

    private static String id(JsonNode block) {
        return block.path("cause").path("graph_commit_id").asText();
    }

    private boolean isPassing(JsonNode block) {
        return id(block).equals(passing);
    }

    /** The index of the first block that is not passed over. */
    private int firstBlock(JsonNode blocks) {
        if (passing == null) {
            return 0;
        }
        boolean found = passed;
        for (int i = 0; i < blocks.size(); i++) {
            if (isPassing(blocks.path(i))) {
                found = true;
            } else if (found) {
                return i;
            }
        }
        return blocks.size();
    }

    private Map<String, Long> logOffsets(JsonNode blocks, int begin) throws IOException {
        Set<String> commits = new LinkedHashSet<>();
        for (int i = begin; i < blocks.size(); i++) {
            commits.add(id(blocks.path(i)));
        }
        Map<String, Long> known = new HashMap<>();
        if (open != null && commits.remove(open.id())) {
            known.put(open.id(), open.logOffset());
        }
        known.putAll(lookup.logOffsets(List.copyOf(commits)));
        return known;
    }

    /** The types as of each commit that changed the schema, and as of the first commit that the task sees. */
    private Map<String, GraphTypes> schemas(JsonNode blocks, int begin) throws IOException {
        Map<String, GraphTypes> schemas = new HashMap<>();
        int reached = types == null ? done.schemaVersion() : types.version;
        for (int i = begin; i < blocks.size(); i++) {
            boolean isChanged = blocks.path(i).path("schema_change").isObject();
            if (isChanged || (i == begin && types == null)) {
                String commit = id(blocks.path(i));
                JsonNode catalog = client.catalogAt(commit);
                if (reached == 0) {
                    reached = lookup.schemaVersion(commit);
                } else if (isChanged) {
                    reached++;
                }
                schemas.put(commit, new GraphTypes(config, catalog, reached));
            }
        }
        return schemas;
    }

    /** @param newTypes as of the commit; null where they are those of the commit before */
    private void take(JsonNode block, CommitInfo commit, @Nullable GraphTypes newTypes, List<GraphRecord> records)
            throws StaleSchemaException {
        if (open == null || !open.id().equals(commit.id())) {
            if (open != null) {
                done = new Position(next, openIsHere ? open.id() : null, Objects.requireNonNull(types).version);
            }
            open = commit;
        }
        openIsHere = true;
        isUnmarked = true;
        GraphTypes now = newTypes == null ? Objects.requireNonNull(types) : newTypes;
        types = now;
        JsonNode schema = block.path("schema_change");
        if (schema.isObject()) {
            String steps = schema.path("steps").toString();
            add(envelope.schema(now, Envelope.Op.UPDATE, steps, commit), records);
        }
        for (JsonNode change : block.path("changes")) {
            take(now, change, commit, records);
        }
    }

    private void take(GraphTypes now, JsonNode change, CommitInfo commit, List<GraphRecord> records)
            throws StaleSchemaException {
        EntityShape shape = now.require(change.path("type").path("name").asText());
        if (!config.includes(shape.edge, shape.name)) {
            return;
        }
        String id = change.path("id").asText();
        JsonNode before = change.path("before");
        JsonNode after = change.path("after");
        Draft draft = envelope.change(
                shape,
                id,
                before.isMissingNode() ? null : shape.row(id, before.path("properties"), before.path("endpoints")),
                after.isMissingNode() ? null : shape.row(id, after.path("properties"), after.path("endpoints")),
                commit);
        add(draft, records);
        if (after.isMissingNode() && config.tombstones()) {
            add(envelope.tombstone(shape, id, commit), records);
        }
    }

    private void add(Draft draft, List<GraphRecord> records) {
        pending.add(draft, done, records);
        recordNanos = System.nanoTime();
        isUnmarked = false;
    }

    /** Ends a poll: everything up to its cursor was read. */
    private void finish(JsonNode page, List<GraphRecord> records) {
        Position.Place cursor = Position.Place.cursor(page.path("cursor").asText());
        if (passing != null && !passed) {
            throw new ConnectException("the branch has no commit " + passing + " after the stored offset: delete the"
                    + " offsets of the connector, and it begins again as `snapshot.mode` says");
        }
        passing = null;
        next = cursor;
        done = new Position(cursor, null, types == null ? done.schemaVersion() : types.version);
        if (pending.held() != null) {
            isUnmarked = false;
        } else if (open != null && types != null && isUnmarked && isTimeToMark()) {
            add(envelope.schema(types, Envelope.Op.MARK, null, open), records);
        }
        pending.finish(done, records);
    }

    private boolean isTimeToMark() {
        long millis = config.heartbeatMillis();
        return millis > 0 && System.nanoTime() - recordNanos >= TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Override
    public @Nullable Position end() {
        return null;
    }

    @Override
    public Phase again() {
        return new FeedPhase(config, client, progress, pending.finished());
    }

    @Override
    public void close() {
        // A page is read whole.
    }
}
