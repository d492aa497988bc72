package service.core.budget;

import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * Disk space for bytes that requests do not keep on the heap: sorted runs, large commits on their way to the log.
 *
 * <p>An implementation must bound the bytes of all open spills together, must leave no files when the process is
 * killed, and must never return a buffer whose pages can fail later: appended bytes are on disk, or
 * {@link Spill#append} has thrown. Any thread.
 */
public interface SpillSpace {
    /** Without space: bytes that do not fit on the heap are refused. */
    SpillSpace NONE = new SpillSpace() {
        @Override
        public Spill open() {
            throw new ServiceException(
                    ErrorCode.OVERLOADED, "the request needs temporary disk space, and this process has none");
        }

        @Override
        public void addReclaimer(MemoryPool.Reclaimer reclaimer) {}
    };

    /** Opens an empty spill. */
    Spill open();

    /** Bytes of all open spills; 0 where they are not counted. */
    default long used() {
        return 0;
    }

    /** Registers a cache that holds spills and can release them when space is short. See {@link MemoryPool}. */
    void addReclaimer(MemoryPool.Reclaimer reclaimer);
}
