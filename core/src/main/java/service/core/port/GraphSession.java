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

/**
 * A consistent look at one graph: branches, history and views all of the same instant, however long it stays open.
 * Holds a read transaction (or, inside {@link CommitLog}'s writer, the write transaction), so it belongs to one thread
 * and must be closed soon.
 */
public interface GraphSession extends AutoCloseable {
    /** The live branch of that name, or null. */
    @Nullable
    Branch branch(String name);

    /** Live branches by name. */
    List<Branch> branches();

    /** How many branches live; costs the same however many. */
    int branchCount();

    /**
     * Names of live branches, at most so many, from around the place that a name has or would have in their order: in
     * proportion to the names given, not to the branches there are.
     */
    List<String> branchNamesAround(String name, int max);

    /** Whether the incarnation is of a live branch, and which; null when it was deleted. */
    @Nullable
    Branch branchOf(int incarnation);

    /**
     * The last move, at or before a time, of the branch that bore the name then; null when none did. Costs a search in
     * that branch's history, and a look at every incarnation ever made when the name was used again since.
     *
     * @param timeMicros microseconds since the epoch
     */
    @Nullable
    BranchMove moveAsOf(String name, long timeMicros);

    /** The first move of the first branch that bore the name, or null when none ever did. */
    @Nullable
    BranchMove firstMove(String name);

    /** Where a commit stands, or null when there is none of that id. */
    @Nullable
    CommitPosition position(Ulid commit);

    /** The last offset applied: every event at or below it is visible, none above. */
    long appliedOffset();

    /**
     * A view of a state. Close it before the session.
     *
     * @throws service.core.error.ServiceException SNAPSHOT_RECLAIMED when cleanup has taken the state
     */
    @MustBeClosed
    GraphView view(ReadPoint point);

    /**
     * Whether cleanup has taken the images of the event at an offset, made on that incarnation
     * ({@link CommitHeader#incarnation}): its changes cannot be read any more, by anybody. Its header can.
     */
    boolean isReclaimed(int incarnation, long offset);

    /**
     * Offset of the commit at a place of a branch's first-parent history, 0 being the genesis; up to
     * {@link Branch#historyLength} − 1.
     */
    long history(int incarnation, long sequence);

    /**
     * The offsets of the commits at {@code into.length} places of a history, from a place on; costs less than one by
     * one.
     */
    void history(int incarnation, long sequence, long[] into);

    /** The place of a commit in the first-parent history of the incarnation that it was made on. */
    long sequence(CommitPosition position);

    /**
     * The last place of a history, at or below the given one, that holds a merge commit, or −1: a walk of the commit
     * graph goes from merge to merge.
     */
    long lastMerge(int incarnation, long sequence);

    /** The header of the commit at an offset; the offset must be a commit's. */
    CommitHeader header(long offset);

    /**
     * The event at an offset. Materialised: for events of bounded size; the changes of a long commit are walked with
     * {@link #commit}.
     */
    Event event(long offset);

    /** The event at an offset with an empty list of changes: costs the same however many it has. */
    Event outline(long offset);

    /**
     * The commit at an offset, where it lies: valid until the next call on this session that asks for an event. Ask
     * {@link #isReclaimed} after this and before its changes.
     *
     * @param mark where its changes go on, as {@link ChangeReader#mark} gave it; 0 for the first change
     */
    CommitReader commit(long offset, long mark);

    /** The schema in force at a point, reclaimed or not. */
    Catalog catalog(ReadPoint point);

    /** The last write that the actor named with the key, however long ago, or null. */
    @Nullable
    RememberedWrite remembered(@Nullable String actor, String key);

    @Override
    void close();
}
