package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the storage of one graph, for metrics. Reading it costs some system calls and no scan.
 *
 * @param events number of events in the log
 * @param writer null in a process that does not write the graph
 * @param environments the log and the tables
 * @param checkpoint null in a process that does not write the graph
 * @param diskFreeBytes bytes that the file system of the graph has left
 * @param diskBytes size of that file system
 * @param lag null in the process that writes the graph
 */
public record StorageGauges(
        long events,
        @Nullable WriterGauges writer,
        List<Environment> environments,
        @Nullable Checkpoint checkpoint,
        Retention retention,
        long diskFreeBytes,
        long diskBytes,
        @Nullable FollowLag lag) {
    public StorageGauges {
        environments = List.copyOf(environments);
    }

    /**
     * The writer of the graph.
     *
     * @param queued commands that wait
     * @param commands commands answered since the start
     * @param refused commands refused since the start because too many waited
     * @param failing whether writes are refused because storage has failed and has not recovered
     */
    public record WriterGauges(int queued, long commands, long refused, boolean failing) {}

    /**
     * A memory-mapped environment.
     *
     * @param name {@code log} or {@code projection}
     * @param fileBytes size of its file
     * @param mapBytes size of its map, which grows when the file reaches it
     * @param readers its read transactions
     */
    public record Environment(String name, long fileBytes, long mapBytes, Readers readers) {}

    /**
     * The read transactions of an environment.
     *
     * @param open those open in this process
     * @param oldestNanos age of the oldest of them; 0 when none is open
     * @param slots reader slots that are taken, of all processes, kept ones included
     * @param slotsMax the number of reader slots
     */
    public record Readers(int open, long oldestNanos, int slots, int slotsMax) {}

    /**
     * The newest checkpoint.
     *
     * @param ageMillis its age; without a checkpoint, the time since the graph was opened
     * @param behind number of events that a replay from it would apply
     */
    public record Checkpoint(long ageMillis, long behind) {}

    /**
     * What cleanup has reclaimed.
     *
     * @param mainMark first offset of {@code main} whose events are whole; 0 while all are
     * @param pinned states below the marks that live branches need
     * @param pending whether the physical deletion is not complete
     */
    public record Retention(long mainMark, long pinned, boolean pending) {}
}
