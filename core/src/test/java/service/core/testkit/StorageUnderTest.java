package service.core.testkit;

import service.core.port.WritableGraphStorage;

/** A new graph with the schema {@link SmallGraph}, and the faults that the contracts of storage provoke. */
public interface StorageUnderTest extends AutoCloseable {
    WritableGraphStorage storage();

    /**
     * Sets what runs on the writer thread between the events of a group and their flush. It may block, or throw: then
     * the flush fails.
     */
    void beforeFlush(Runnable step);

    /**
     * The state that the next process finds if this one is killed now. The storage stays open, and both must be closed.
     *
     * @return a storage opened on that state
     */
    WritableGraphStorage afterCrash();

    /** Closes the storage and those that {@link #afterCrash} has opened. */
    @Override
    void close();
}
