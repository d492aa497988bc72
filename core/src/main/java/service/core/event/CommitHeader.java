package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.value.Ulid;

/**
 * A commit without its changes; cleanup keeps it.
 *
 * @param id strictly increasing within a graph
 * @param idempotency the caller's key, or null
 * @param schema the schema in force from here on; only for GENESIS and SCHEMA
 * @param sides what the resolutions of a merge took; null for a commit without resolutions
 */
public record CommitHeader(
        Stamp stamp,
        Ulid id,
        CommitKind kind,
        Lineage lineage,
        @Nullable IdempotencyKey idempotency,
        ChangeCounts counts,
        @Nullable SchemaChange schema,
        @Nullable TakenSides sides) {
    public CommitHeader {
        if (kind.isOfCommit() != (lineage.of() != null)) {
            throw new IllegalArgumentException("a commit of kind " + kind + " is made of " + lineage.of());
        }
    }

    /** The header of a commit without resolutions. */
    public CommitHeader(
            Stamp stamp,
            Ulid id,
            CommitKind kind,
            Lineage lineage,
            @Nullable IdempotencyKey idempotency,
            ChangeCounts counts,
            @Nullable SchemaChange schema) {
        this(stamp, id, kind, lineage, idempotency, counts, schema, null);
    }

    /**
     * The branch of a commit and the commits before it.
     *
     * @param branch name of the branch it was made on
     * @param incarnation incarnation of that branch
     * @param parent the branch's head before it; null for the genesis only
     * @param mergedParent the merged head; null unless the commit is a MERGE
     * @param of the commit that was reverted, restored or picked; null for other kinds. It is no parent
     */
    public record Lineage(
            String branch,
            int incarnation,
            @Nullable Ulid parent,
            @Nullable Ulid mergedParent,
            @Nullable Ulid of) {
        /** That of a commit which is made of no other. */
        public Lineage(String branch, int incarnation, @Nullable Ulid parent, @Nullable Ulid mergedParent) {
            this(branch, incarnation, parent, mergedParent, null);
        }
    }

    public long offset() {
        return stamp.offset();
    }

    public long timeMicros() {
        return stamp.timeMicros();
    }

    public @Nullable String actor() {
        return stamp.actor();
    }

    public String branch() {
        return lineage.branch();
    }

    public int incarnation() {
        return lineage.incarnation();
    }

    public @Nullable Ulid parent() {
        return lineage.parent();
    }

    public @Nullable Ulid mergedParent() {
        return lineage.mergedParent();
    }
}
