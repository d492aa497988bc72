package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.table.ChangeTables;
import service.cli.table.ExportPlace;
import service.cli.table.TableExport;
import service.core.blob.BlobIntake;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;

/**
 * Exports the changes of a branch after a commit as tables. The columns follow the schema, so an export ends before a
 * commit that changes it, except where such commits come first. One thread.
 */
final class ChangeExport {
    private static final int PAGE_CHANGES = 10_000;
    private static final int PAGE_COMMITS = 1_000;

    private final GraphClient graph;
    private final Terms terms;
    private final ExportPlace place;

    /** The last commit that was exported. */
    private String reached = "";

    private @Nullable Long reachedOffset;

    /** What is exported; null before the first block with its schema. */
    private @Nullable ChangeTables tables;

    private String schemaSource = "";
    private String schemaDigest = "";

    /** The commit at which the export ends although the branch continues; null at the head. */
    private @Nullable String schemaChange;

    /**
     * What is exported.
     *
     * @param branch null for {@code main}
     * @param types their names; empty for all
     * @param blobs whether cells have the bytes of blobs
     */
    record Terms(@Nullable String branch, String since, List<String> types, TableExport.Format format, boolean blobs) {}

    ChangeExport(GraphClient graph, Terms terms, ExportPlace place) {
        this.graph = graph;
        this.terms = terms;
        this.place = place;
    }

    /** Writes the tables and the schema; the manifest is left to the caller. */
    void run(ObjectNode manifest, Progress progress) throws IOException {
        ObjectNode since = graph.commit(terms.since);
        String from = since.path("graph_commit_id").asText();
        reached = from;
        reachedOffset = since.path("log_offset").asLong();
        try {
            GraphClient.FeedQuery next = new GraphClient.FeedQuery(
                    terms.branch,
                    null,
                    "after:" + from,
                    null,
                    PAGE_CHANGES,
                    0,
                    new GraphClient.Filters(List.of(), terms.types, List.of()));
            while (true) {
                ObjectNode page = changes(next);
                take(page, progress);
                JsonNode token = page.get("next_page_token");
                if (token == null || schemaChange != null) {
                    break;
                }
                next = next.page(token.asText());
            }
            ChangeTables written = tables();
            Catalog catalog = SchemaCompiler.compile(schemaSource);
            List<EntityType> types = ExportCommand.chosen(catalog, terms.types);
            written.finish(types);
            manifest.put("since", from);
            manifest.put("graph_commit_id", reached);
            manifest.put("log_offset", reachedOffset);
            manifest.put("schema_digest", schemaDigest);
            manifest.put("next_since", reached);
            manifest.put("schema_change", schemaChange);
            manifest.set("files", written.files());
            place.write("schema.pg", schemaSource);
        } finally {
            if (tables != null) {
                tables.close();
            }
        }
    }

    private ObjectNode changes(GraphClient.FeedQuery next) {
        try {
            return graph.changes(next);
        } catch (ServiceException | CommandFailure e) {
            CommandFailure described = Failures.describe(e);
            ObjectNode body = described.body();
            if (body != null && body.path("code").asText().equals(ErrorCode.CHANGE_FEED_GAP.wireName())) {
                String message = "the changes after commit " + reached + " are not all there any more: export the whole"
                        + " state, without --since, and continue from the graph_commit_id of its manifest";
                throw new CommandFailure(
                        described.exitCode(), message, body.deepCopy().put("error", message));
            }
            throw e;
        }
    }

    private void take(ObjectNode page, Progress progress) throws IOException {
        Map<String, Long> offsets = offsets(page.path("blocks"));
        for (JsonNode block : page.path("blocks")) {
            String commit = block.path("cause").path("graph_commit_id").asText();
            if (block.path("schema_change").isObject()) {
                if (tables != null) {
                    schemaChange = commit;
                    return;
                }
            } else if (!block.path("changes").isEmpty()) {
                tables().take(block, offsets.get(commit));
                progress.add(block.path("changes").size());
            }
            reached = commit;
            reachedOffset = offsets.get(commit);
        }
    }

    /** The tables of the schema of the commit that was reached. */
    private ChangeTables tables() {
        if (tables == null) {
            ObjectNode schema = graph.schema(new GraphClient.Target(null, reached, null));
            schemaSource = schema.path("schema_source").asText();
            schemaDigest = schema.path("schema_digest").asText();
            tables = new ChangeTables(place, terms.format, SchemaCompiler.compile(schemaSource), this::blob);
        }
        return Objects.requireNonNull(tables);
    }

    private String blob(JsonNode blob, JsonNode change, String property, String commit) {
        if (!terms.blobs || blob.path("blob").has("uri")) {
            return blob.toString();
        }
        GraphClient.Cell cell = new GraphClient.Cell(
                change.path("kind").asText(),
                change.path("type").path("name").asText(),
                change.path("id").asText(),
                property);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.blob(new GraphClient.Target(null, commit, null), cell, null, null, bytes);
        return BlobIntake.text(bytes.toByteArray());
    }

    /** The log offsets of the commits of a page, without those that the caller may not see. */
    private Map<String, Long> offsets(JsonNode blocks) {
        List<String> commits = new ArrayList<>();
        blocks.forEach(
                block -> commits.add(block.path("cause").path("graph_commit_id").asText()));
        Map<String, Long> offsets = new HashMap<>();
        if (reachedOffset != null) {
            offsets.put(reached, reachedOffset);
        }
        for (int i = commits.size() - 1; i >= 0; i--) {
            if (!offsets.containsKey(commits.get(i))) {
                find(commits.get(i), Math.min(PAGE_COMMITS, i), offsets);
            }
        }
        return offsets;
    }

    /** Finds the offsets of a commit and of so many before it, unless the caller may not see it. */
    private void find(String commit, int before, Map<String, Long> offsets) {
        try {
            offsets.put(commit, graph.commit(commit).path("log_offset").asLong());
            if (before > 0) {
                GraphClient.CommitList list = new GraphClient.CommitList()
                        .with("branch", terms.branch)
                        .with("limit", Integer.toString(before))
                        .with("before", commit);
                graph.commits(list)
                        .path("commits")
                        .forEach(each -> offsets.put(
                                each.path("graph_commit_id").asText(),
                                each.path("log_offset").asLong()));
            }
        } catch (ServiceException | CommandFailure e) {
            ObjectNode body = Failures.describe(e).body();
            if (body == null || !body.path("code").asText().equals(ErrorCode.NOT_FOUND.wireName())) {
                throw e;
            }
        }
    }
}
