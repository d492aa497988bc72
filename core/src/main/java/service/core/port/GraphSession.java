package service.core.port;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/**
 * A consistent view of one graph: branches, history and views of the same instant, however long it stays open. Holds a
 * read transaction (or, inside {@link CommitLog}'s writer, the write transaction), so it belongs to one thread and must
 * be closed soon.
 */
public interface GraphSession extends AutoCloseable {
    /** The live branch of that name, or null. */
    @Nullable
    Branch branch(String name);

    /** Live branches by name. */
    List<Branch> branches();

    /** The number of live branches, in constant time. */
    int branchCount();

    /**
     * Names of live branches, at most {@code max}, next to the position of a name in their order. Costs in proportion
     * to the returned names, not to the number of branches.
     */
    List<String> branchNamesAround(String name, int max);

    /** The live branch of the incarnation; null when it was deleted. */
    @Nullable
    Branch branchOf(int incarnation);

    /** The live tag of that name, or null. */
    @Nullable
    Tag tag(String name);

    /**
     * Live tags in the order of their names' bytes; costs in proportion to them.
     *
     * @param after begin after this name, which need not exist; null for the first
     * @param max the number of tags at most
     */
    List<Tag> tags(@Nullable String after, int max);

    /** The number of live tags, in constant time. */
    int tagCount();

    /**
     * The last move, at or before a time, of the branch that had the name then; null when there was none. Costs a
     * search in that branch's history, and one step per incarnation ever made if the name was used again since.
     *
     * @param timeMicros microseconds since the epoch
     */
    @Nullable
    BranchMove moveAsOf(String name, long timeMicros);

    /** The first move of the first branch that had the name; null when there was none. */
    @Nullable
    BranchMove firstMove(String name);

    /**
     * The events that moved a branch, newest first, to its creation. Costs a search in its history for each.
     *
     * @param incarnation of a live or deleted branch
     * @param before only events below this offset
     * @param max how many at most
     */
    List<BranchStep> steps(int incarnation, long before, int max);

    /**
     * Deleted branches, the one with the highest incarnation first.
     *
     * @param before only those with a lower incarnation
     * @param max how many at most; live branches between them are passed over
     */
    List<DeletedBranch> deletedBranches(int before, int max);

    /** The position of a commit; null when the id is unknown. */
    @Nullable
    CommitPosition position(Ulid commit);

    /**
     * The commits whose ids end with a suffix, by id; at most {@code limit}. Reads the ids of all commits.
     *
     * @param step runs before each id
     */
    List<Ulid> commits(UlidSuffix suffix, int limit, Runnable step);

    /** The last applied offset: every event at or below it is visible, none above. */
    long appliedOffset();

    /**
     * A view of a state. Close it before the session.
     *
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has removed the state
     */
    @MustBeClosed
    GraphView view(ReadPoint point);

    /**
     * The state at a point as a later schema of its branch would show it, for the checks of a migration. Its indexes
     * are not complete: it must not be sought.
     *
     * @param schema has the identities of the schema at the point, as far as it keeps its types and properties
     */
    @MustBeClosed
    GraphView viewAs(ReadPoint point, Catalog schema);

    /**
     * Whether cleanup has removed the images of the event at an offset, made on that incarnation
     * ({@link CommitHeader#incarnation}): its changes cannot be read any more. Its header can.
     */
    boolean isReclaimed(int incarnation, long offset);

    /** Rises with each step of a cleanup: while it is the same, so are the answers of {@link #isReclaimed}. */
    long reclaimedRevision();

    /**
     * Offset of the commit at an index of a branch's first-parent history, 0 being the genesis; up to
     * {@link Branch#historyLength} − 1.
     */
    long history(int incarnation, long sequence);

    /** The offsets of {@code into.length} consecutive commits of a history; costs less than separate calls. */
    void history(int incarnation, long sequence, long[] into);

    /** The index of a commit in the first-parent history of the incarnation that it was made on. */
    long sequence(CommitPosition position);

    /**
     * The last index of a history, at or below the given one, that holds a merge commit; −1 when there is none. A walk
     * of the commit graph goes from merge to merge.
     */
    long lastMerge(int incarnation, long sequence);

    /**
     * The events that changed an entity, on any branch, descending by offset. Costs in proportion to them, not to the
     * events of other entities. Those that cleanup has reclaimed may be missing.
     *
     * @param type its type's identity
     * @param before only events before this offset
     * @param max the newest so many
     */
    List<CommitPosition> changesOf(int type, String id, long before, int max);

    /**
     * The greatest index of a first-parent history, up to the given one, whose commit has lost its images to cleanup;
     * −1 when there is none. While nothing was reclaimed it costs nothing, and afterwards a search for each
     * incarnation.
     */
    long lastReclaimed(int incarnation, long sequence);

    /**
     * The offsets of the newest commit that was made on each incarnation and has lost its images to cleanup,
     * descending. Costs as much as {@link #lastReclaimed}.
     */
    List<Long> reclaimed();

    /** The header of the commit at an offset; the offset must be a commit's. */
    CommitHeader header(long offset);

    /**
     * The event at an offset, as objects: for events of bounded size. Use {@link #commit} for the changes of a long
     * commit.
     */
    Event event(long offset);

    /** The event at an offset without its changes, in constant time. */
    Event outline(long offset);

    /**
     * The commit at an offset, read in place: valid until the next call on this session that returns an event. Call
     * {@link #isReclaimed} after this and before reading its changes.
     *
     * @param mark where its changes continue, as {@link ChangeReader#mark} returned it; 0 for the first change
     */
    CommitReader commit(long offset, long mark);

    /** The schema in force at a point, which may be reclaimed. */
    Catalog catalog(ReadPoint point);

    /** The last write that the actor named with the key, at any time; null when there is none. */
    @Nullable
    RememberedWrite remembered(@Nullable String actor, String key);

    @Override
    void close();
}
