package service.connect;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Begins with the commits from now on: sends the schema, with which the place is stored. One thread. */
final class NoDataPhase implements Phase {
    private final GraphSourceConfig config;
    private final GraphClient client;
    private @Nullable Position end;

    NoDataPhase(GraphSourceConfig config, GraphClient client) {
        this.config = config;
        this.client = client;
    }

    @Override
    public List<GraphRecord> next() throws IOException {
        String cursor = client.changesFromNow().path("cursor").asText();
        JsonNode catalog = client.catalogOfHead();
        String commit = catalog.path("graph_commit_id").asText();
        CommitInfo head = CommitInfo.ofCommit(client.commit(commit));
        GraphTypes types = new GraphTypes(config, catalog, new CommitLookup(client).schemaVersion(commit));
        // The schema may have been changed after the cursor: the feed finds out the version there.
        Position after = new Position(Position.Place.cursor(cursor), null, 0);
        List<GraphRecord> records = new ArrayList<>();
        Pending pending = new Pending(config.partition(), after);
        pending.add(new Envelope(config).schema(types, Envelope.Op.READ, null, head), after, records);
        pending.finish(after, records);
        end = after;
        return records;
    }

    @Override
    public @Nullable Position end() {
        return end;
    }

    @Override
    public Phase again() {
        return this;
    }

    @Override
    public void close() {
        // It holds nothing.
    }
}
