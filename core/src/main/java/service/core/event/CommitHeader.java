package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * A commit without its changes: what remains of it even after cleanup.
 *
 * @param offset position in the log
 * @param id strictly increasing within a graph
 * @param branch name of the branch it was made on
 * @param incarnation incarnation of that branch
 * @param parent the branch's head before it; null for the genesis only
 * @param mergedParent the merged head; null unless {@code kind} is MERGE
 * @param timeMicros microseconds since the epoch
 * @param actor who made it, or null
 * @param idempotency the caller's key, or null
 * @param schema the schema in force from here on; only for GENESIS and SCHEMA
 */
public record CommitHeader(
        long offset,
        Ulid id,
        CommitKind kind,
        String branch,
        int incarnation,
        @Nullable Ulid parent,
        @Nullable Ulid mergedParent,
        long timeMicros,
        @Nullable String actor,
        @Nullable IdempotencyKey idempotency,
        ChangeCounts counts,
        @Nullable SchemaChange schema) {}
