package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends the state of the head, a piece at a time while it arrives: at most a thousand records, or the line that exceeds
 * 4 MiB. One thread.
 */
final class BaselinePhase implements Phase {
    private static final int RECORDS_MAX = 1_000;
    private static final long BYTES_MAX = 4L * 1024 * 1024;

    private final GraphSourceConfig config;
    private final GraphClient client;
    private final Progress progress;
    private final Envelope envelope;
    private final Pending pending;
    private @Nullable State state;
    private @Nullable Position end;

    /** What is read, from the first answer on. */
    private record State(Baseline lines, GraphTypes types, CommitInfo head) {}

    BaselinePhase(GraphSourceConfig config, GraphClient client, Progress progress) {
        this.config = config;
        this.client = client;
        this.progress = progress;
        this.envelope = new Envelope(config);
        this.pending = new Pending(config.partition(), Position.unfinishedBaseline(0));
    }

    @Override
    public List<GraphRecord> next() throws IOException, StaleSchemaException {
        List<GraphRecord> records = new ArrayList<>();
        State now = state;
        if (now == null) {
            now = begin(records);
            state = now;
        }
        Position unfinished = Position.unfinishedBaseline(now.types().version);
        long stop = now.lines().bytesRead() + BYTES_MAX;
        while (records.size() < RECORDS_MAX && now.lines().bytesRead() < stop) {
            JsonNode line = now.lines().next();
            if (line == null) {
                finish(now, records);
                break;
            }
            Draft draft = draft(now, line);
            if (draft != null) {
                pending.add(draft, unfinished, records);
            }
        }
        progress.snapshotRecords(records.size());
        return records;
    }

    /** Asks for schema and entities; the head may move between the two answers, but not its schema. */
    private State begin(List<GraphRecord> records) throws IOException {
        progress.snapshotBegins();
        CommitLookup lookup = new CommitLookup(client);
        JsonNode catalog = client.catalogOfHead();
        String commit = catalog.path("graph_commit_id").asText();
        CommitInfo head = CommitInfo.ofCommit(client.commit(commit));
        GraphTypes types = new GraphTypes(config, catalog, lookup.schemaVersion(commit));
        Position unfinished = Position.unfinishedBaseline(types.version);
        pending.add(envelope.schema(types, Envelope.Op.READ, null, head), unfinished, records);
        for (EntityShape shape : types.included(config)) {
            pending.add(envelope.truncate(shape, head), unfinished, records);
        }
        return new State(client.baseline(), types, head);
    }

    private @Nullable Draft draft(State now, JsonNode line) throws StaleSchemaException {
        boolean edge = line.has("edge");
        EntityShape shape =
                now.types().require(line.path(edge ? "edge" : "type").asText());
        if (!config.includes(shape.edge, shape.name)) {
            return null;
        }
        String id = line.path("data").path("id").asText();
        return envelope.read(shape, id, shape.row(id, line.path("data"), line), now.head());
    }

    private void finish(State now, List<GraphRecord> records) throws IOException, StaleSchemaException {
        JsonNode last = now.lines().end();
        String commit = last.path("snapshot_commit_id").asText();
        if (!commit.equals(now.head().id())) {
            JsonNode catalog = client.catalogAt(commit);
            if (!catalog.path("schema_digest").asText().equals(now.types().digest())) {
                throw new StaleSchemaException("schema of commit " + commit, "");
            }
        }
        Position after =
                new Position(Position.Place.cursor(last.path("resume_cursor").asText()), null, now.types().version);
        Envelope.markLast(Objects.requireNonNull(pending.held()));
        pending.finish(after, records);
        end = after;
        progress.snapshotEnds();
    }

    @Override
    public @Nullable Position end() {
        return end;
    }

    /** A baseline that broke off is taken again from its beginning. */
    @Override
    public Phase again() {
        return new BaselinePhase(config, client, progress);
    }

    @Override
    public void close() {
        if (state != null) {
            state.lines().close();
        }
    }
}
