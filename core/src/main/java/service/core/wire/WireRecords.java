package service.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeCounts;
import service.core.event.Note;
import service.core.event.TakenSides;
import service.core.graph.branch.ConflictJson;
import service.core.graph.branch.MergeResult;
import service.core.graph.branch.UndoResult;
import service.core.graph.load.LoadResult;
import service.core.graph.read.BlobCell;
import service.core.graph.request.AnsweredRows;
import service.core.graph.request.BranchOperation;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.DeletedBranchRecord;
import service.core.graph.request.LeftOut;
import service.core.graph.request.MoveRecord;
import service.core.graph.request.MutationResult;
import service.core.graph.request.Page;
import service.core.graph.request.SchemaRecord;
import service.core.graph.request.SnapshotRecord;
import service.core.graph.request.TypeChanges;
import service.core.json.JsonWriter;
import service.core.value.Ulid;

/**
 * The records of {@code docs/http.md} as JSON. Each method writes one value; {@link JsonWriter#bytes} makes a body of
 * it. Any thread.
 */
public final class WireRecords {
    private WireRecords() {}

    /** Record <i>commit</i>; null is written as {@code null}. */
    public static void commit(JsonWriter json, @Nullable CommitRecord commit) {
        if (commit == null) {
            json.nullValue();
            return;
        }
        json.beginObject();
        json.field("graph_commit_id").string(commit.id().toString());
        json.field("log_offset").value(commit.logOffset());
        json.field("kind").string(commit.kind().wireName());
        json.field("graph_branch").string(commit.lineage().branch());
        json.field("parent_commit_id").string(text(commit.lineage().parent()));
        json.field("merged_parent_commit_id").string(text(commit.lineage().mergedParent()));
        if (commit.lineage().of() != null) {
            json.field("of_commit_id").string(commit.lineage().of().toString());
        }
        json.field("actor_id").string(commit.stamp().actor());
        json.field("created_at").micros(commit.stamp().timeMicros());
        note(json, commit.stamp().note());
        ChangeCounts counts = commit.counts();
        json.field("changes").beginObject();
        json.field("nodes_inserted").value(counts.nodesInserted());
        json.field("nodes_updated").value(counts.nodesUpdated());
        json.field("nodes_deleted").value(counts.nodesDeleted());
        json.field("edges_inserted").value(counts.edgesInserted());
        json.field("edges_updated").value(counts.edgesUpdated());
        json.field("edges_deleted").value(counts.edgesDeleted());
        json.endObject();
        if (commit.types() != null) {
            types(json, commit.types());
        }
        TakenSides sides = commit.sides();
        if (sides != null) {
            resolved(json, sides.source(), sides.target());
            if (commit.showsEntities()) {
                json.field("resolutions").json(sides.entities().getBytes(StandardCharsets.UTF_8));
            }
        }
        json.endObject();
    }

    private static void types(JsonWriter json, List<TypeChanges> types) {
        json.field("types").beginArray();
        for (TypeChanges type : types) {
            json.beginObject().field("kind").string(type.kind().wireName());
            json.field("type_name").string(type.name());
            json.field("inserted").value(type.inserted());
            json.field("updated").value(type.updated());
            json.field("deleted").value(type.deleted());
            json.endObject();
        }
        json.endArray();
    }

    /** The members {@code message} and {@code meta}, each only where it was given. */
    static void note(JsonWriter json, @Nullable Note note) {
        if (note == null) {
            return;
        }
        if (note.message() != null) {
            json.field("message").string(note.message());
        }
        if (!note.meta().isEmpty()) {
            json.field("meta").beginObject();
            note.meta().forEach((key, value) -> json.field(key).string(value));
            json.endObject();
        }
    }

    private static void resolved(JsonWriter json, int source, int target) {
        json.field("resolved").beginObject();
        json.field("source").value(source);
        json.field("target").value(target);
        json.endObject();
    }

    /** {@code GET /commits}. */
    public static void commits(JsonWriter json, Page page) {
        json.beginObject().field("commits").beginArray();
        page.commits().forEach(commit -> commit(json, commit));
        json.endArray();
        if (page.nextBefore() != null) {
            json.field("next_before").string(page.nextBefore());
        }
        if (page.truncatedAt() != null) {
            json.field("truncated_at").string(page.truncatedAt().toString());
        }
        json.endObject();
    }

    /** Record <i>branch</i>. */
    public static void branch(JsonWriter json, BranchRecord branch) {
        json.beginObject();
        branchFields(json, branch);
        json.endObject();
    }

    private static void branchFields(JsonWriter json, BranchRecord branch) {
        json.field("name").string(branch.name());
        json.field("head_commit_id").string(branch.head().toString());
        json.field("parent_branch").string(branch.parent());
        json.field("fork_commit_id").string(branch.forkCommit() == null ? null : text(branch.forkCommit()));
        json.field("created_at").micros(branch.createdMicros());
        json.field("created_by").string(branch.createdBy());
        json.field("protected").value(branch.isProtected());
    }

    /** {@code GET /branches?deleted=true}. */
    public static void deletedBranches(JsonWriter json, DeletedBranchRecord.Page page) {
        json.beginObject().field("branches").beginArray();
        for (DeletedBranchRecord deleted : page.branches()) {
            json.beginObject();
            branchFields(json, deleted.branch());
            json.field("deleted_at").micros(deleted.deletion().timeMicros());
            json.field("deleted_by").string(deleted.deletion().actor());
            note(json, deleted.deletion().note());
            json.endObject();
        }
        json.endArray();
        if (page.nextBefore() != null) {
            json.field("next_before").value(page.nextBefore().longValue());
        }
        json.endObject();
    }

    /** {@code GET /branches/{branch}/moves}. */
    public static void moves(JsonWriter json, MoveRecord.Page page) {
        json.beginObject().field("moves").beginArray();
        for (MoveRecord move : page.moves()) {
            json.beginObject();
            json.field("kind").string(move.kind().wireName());
            json.field("actor_id").string(move.stamp().actor());
            json.field("at").micros(move.stamp().timeMicros());
            json.field("from_commit_id").string(text(move.from()));
            json.field("to_commit_id").string(move.to().toString());
            note(json, move.stamp().note());
            json.endObject();
        }
        json.endArray();
        if (page.nextBefore() != null) {
            json.field("next_before").value(page.nextBefore().longValue());
        }
        json.endObject();
    }

    /** {@code GET /branches}. */
    public static void branches(JsonWriter json, List<BranchRecord> branches) {
        json.beginObject().field("branches").beginArray();
        branches.forEach(branch -> branch(json, branch));
        json.endArray().endObject();
    }

    /** The answer to a merge. */
    public static void merge(JsonWriter json, MergeResult result) {
        json.beginObject();
        mergeFields(json, result);
        json.endObject();
    }

    /** The answer to a revert, a restore or a pick. */
    public static void undo(JsonWriter json, UndoResult result) {
        json.beginObject();
        mergeFields(json, result.merged());
        leftOut(json, result.leftOut());
        json.endObject();
    }

    private static void leftOut(JsonWriter json, List<LeftOut> all) {
        json.field("left_out").beginArray();
        for (LeftOut each : all) {
            json.beginObject();
            json.field("entity_kind").string(each.kind().wireName());
            json.field("type_name").string(each.typeName());
            if (each.property() != null) {
                json.field("property").string(each.property());
            }
            json.field("count").value(each.count());
            json.endObject();
        }
        json.endArray();
    }

    private static void mergeFields(JsonWriter json, MergeResult result) {
        json.field("source").string(result.branches().source());
        json.field("target").string(result.branches().target());
        json.field("outcome").string(result.outcome().wireName());
        json.field("actor_id").string(result.actor());
        json.field("commit");
        commit(json, result.commit());
        MergeResult.SourceDeletion deletion = result.deletion();
        if (deletion != null) {
            json.field("branch_deleted").value(deletion.refusal() == null);
            if (deletion.refusal() != null) {
                json.field("branch_delete_error").string(deletion.refusal());
            }
        }
        MergeResult.Preview preview = result.preview();
        if (preview != null) {
            json.field("preview").beginObject();
            json.field("changes").value(preview.changes());
            json.field("merge_conflicts");
            ConflictJson.write(json, preview.conflicts());
            json.field("conflict_count").value(preview.conflictCount());
            resolved(json, preview.resolved().source(), preview.resolved().target());
            json.field("base_commit_id").string(preview.base().toString());
            json.endObject();
        }
    }

    /** The answer to a mutation. */
    public static void mutation(JsonWriter json, MutationResult result) {
        json.beginObject();
        json.field("branch").string(result.branch());
        json.field("query_name").string(result.queryName());
        json.field("affected_nodes").value(result.affectedNodes());
        json.field("affected_edges").value(result.affectedEdges());
        json.field("actor_id").string(result.actor());
        json.field("commit");
        commit(json, result.commit());
        if (result.operation() != null) {
            json.field("branch_operation");
            operation(json, result.operation());
        }
        AnsweredRows answer = result.answer();
        if (answer != null) {
            json.field("columns").beginArray();
            answer.columns().forEach(json::string);
            json.endArray();
            json.field("rows").json(answer.rows(json.int64()).getBytes(StandardCharsets.UTF_8));
        }
        json.endObject();
    }

    private static void operation(JsonWriter json, BranchOperation operation) {
        json.beginObject().field("kind").string(operation.kind());
        if (operation.outcome() == null) {
            json.field("name").string(operation.name());
        } else {
            json.field("source").string(operation.source());
            json.field("target").string(operation.target());
            json.field("outcome").string(operation.outcome().wireName());
        }
        if (operation.leftOut() != null) {
            leftOut(json, operation.leftOut());
        }
        json.endObject();
    }

    /** The answer to a load. */
    public static void load(JsonWriter json, LoadResult result) {
        json.beginObject();
        LoadResult.Target target = result.target();
        json.field("branch").string(target.branch());
        if (target.base() != null) {
            json.field("base_branch").string(target.base());
        }
        json.field("branch_created").value(target.created());
        json.field("mode").string(result.mode().wireName());
        json.field("nodes");
        loads(json, result.nodes());
        json.field("edges");
        loads(json, result.edges());
        json.field("total_entities").value(result.totalEntities());
        json.field("inserted").value(result.inserted());
        json.field("updated").value(result.updated());
        json.field("deleted").value(result.deleted());
        json.field("unchanged").value(result.unchanged());
        json.field("edges_without_id").value(result.edgesWithoutId());
        json.field("actor_id").string(result.actor());
        json.field("commit");
        commit(json, result.commit());
        json.endObject();
    }

    private static void loads(JsonWriter json, List<LoadResult.TypeLoad> loads) {
        json.beginArray();
        for (LoadResult.TypeLoad load : loads) {
            json.beginObject().field("name").string(load.name());
            json.field("entities_loaded").value(load.entitiesLoaded()).endObject();
        }
        json.endArray();
    }

    /** {@code GET /snapshot}. */
    public static void snapshot(JsonWriter json, SnapshotRecord snapshot) {
        json.beginObject();
        json.field("graph_branch").string(snapshot.branch());
        json.field("graph_commit_id").string(snapshot.commitId().toString());
        json.field("log_offset").value(snapshot.logOffset());
        json.field("created_at").micros(snapshot.createdMicros());
        json.field("schema_digest").string(snapshot.schemaDigest());
        json.field("types").beginArray();
        for (SnapshotRecord.TypeCount type : snapshot.types()) {
            json.beginObject().field("kind").string(type.kind().wireName());
            json.field("type_name").string(type.typeName());
            json.field("entity_count").value(type.entityCount()).endObject();
        }
        json.endArray().endObject();
    }

    /** {@code GET /schema}. */
    public static void schema(JsonWriter json, SchemaRecord schema) {
        json.beginObject();
        json.field("schema_source").string(schema.source());
        json.field("schema_digest").string(schema.digest());
        json.field("graph_commit_id").string(schema.commitId().toString());
        json.endObject();
    }

    /** The value of a Blob property, as the command line shows it. */
    public static void blob(JsonWriter json, BlobCell cell) {
        json.beginObject();
        json.field("graph_commit_id").string(cell.snapshot().toString());
        json.field("blob").beginObject();
        switch (cell) {
            case BlobCell.Managed managed -> {
                json.field("size").value(managed.blob().size());
                json.field("etag").string(managed.blob().etag());
            }
            case BlobCell.External(Ulid ignored, String uri) ->
                json.field("uri").string(uri);
        }
        json.endObject().endObject();
    }

    private static @Nullable String text(@Nullable Ulid id) {
        return id == null ? null : id.toString();
    }
}
