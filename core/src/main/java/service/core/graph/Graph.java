package service.core.graph;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import service.core.port.Branch;

/**
 * One served graph: every use-case, each a class of its own behind this facade. What HTTP, MCP and
 * the command line call.
 *
 * <p>Every method throws {@code ServiceException} for what the caller can mend. Reads run on the
 * calling thread. Writes compile and decode on the calling thread, then wait in the writer's queue;
 * their futures complete (on the writer thread: do nothing slow there) when the outcome is durable.
 *
 * <p>Thread rule: any thread.
 */
public interface Graph {
    String id();

    /**
     * Runs a read.
     *
     * @param source GQ text
     * @param name the query of the source to run; may be null when there is exactly one
     * @param params JSON object of arguments, or null
     */
    void query(
            ReadTarget target,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            BooleanSupplier cancelled,
            RowSink sink);

    /** Runs a stored read. */
    void queryStored(
            ReadTarget target,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            BooleanSupplier cancelled,
            RowSink sink);

    /**
     * Runs a mutation.
     *
     * @param condition the commit that must be the branch's head, or null
     */
    CompletableFuture<MutationResult> mutate(
            @Nullable String actor,
            String branch,
            String source,
            @Nullable String name,
            @Nullable ObjectNode params,
            Settings settings,
            @Nullable String condition);

    CompletableFuture<MutationResult> mutateStored(
            @Nullable String actor,
            String branch,
            String name,
            @Nullable ObjectNode params,
            Settings settings,
            @Nullable String condition);

    /** The stored queries of the applied cluster revision, by name. */
    List<StoredQuery> storedQueries();

    /**
     * Loads NDJSON records as one commit, parsing them as they arrive.
     *
     * @param from create the branch from this one when it is missing; null to refuse
     */
    CompletableFuture<LoadResult> load(
            @Nullable String actor,
            String branch,
            @Nullable String from,
            LoadMode mode,
            InputStream records,
            @Nullable String condition);

    List<Branch> branches();

    Branch branch(String name);

    CompletableFuture<Branch> createBranch(@Nullable String actor, String name, String from);

    /** Answers with the branch as it was. */
    CompletableFuture<Branch> deleteBranch(@Nullable String actor, String name);

    SnapshotRecord snapshot(ReadTarget target);

    /**
     * The first-parent history of a branch, newest first.
     *
     * @param before a commit id, exclusive, or null for the head
     */
    Page commits(String branch, int limit, @Nullable String before);

    CommitRecord commit(String id);

    SchemaRecord schema(ReadTarget target);

    /**
     * Streams a state as NDJSON, nodes before edges, each by type name then id, at the speed of the
     * stream, with bounded memory.
     *
     * @param typeNames only these types; empty for all
     */
    void export(ReadTarget target, List<String> typeNames, java.io.OutputStream into);
}
