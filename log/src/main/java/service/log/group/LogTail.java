package service.log.group;

import service.core.event.Event;
import service.core.value.Ulid;

/**
 * The end of a log, which the next event continues.
 *
 * @param offset of the last event; the log has at least the genesis
 * @param hash of the last event
 * @param timeMicros of the last event
 * @param lastCommit the greatest commit id that the log has assigned: that of its last commit
 * @param nextIncarnation the number of the next branch
 * @param generation the offset of the last event that reclaimed history; −1 without one. The blobs of the next event
 *     are stored elsewhere under it
 */
public record LogTail(
        long offset, byte[] hash, long timeMicros, Ulid lastCommit, int nextIncarnation, long generation) {
    /** Before the first generation. */
    public static final long FIRST_GENERATION = -1;

    /**
     * The end after one more event.
     *
     * @param eventHash of the event
     */
    public LogTail after(Event event, byte[] eventHash) {
        return new LogTail(
                event.offset(),
                eventHash,
                event.timeMicros(),
                event instanceof Event.Commit commit ? commit.header().id() : lastCommit,
                event instanceof Event.BranchCreated ? nextIncarnation + 1 : nextIncarnation,
                event instanceof Event.HistoryReclaimed ? event.offset() : generation);
    }
}
