package service.log.commit;

import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.format.EventLog;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.StorageFailure;

/**
 * Keeps the writer, the log and the projections at the same end between groups. After a failure it lets the sink settle
 * a group whose outcome is unknown, reads the durable end of the log again and lets the projections catch up with it.
 * Where other processes write too, it takes in what they have stored. Writer thread only, but for {@link #isBlocked}.
 */
final class DurableEnd {
    private static final Logger LOG = LoggerFactory.getLogger(DurableEnd.class);

    private final EventLog log;
    private final GroupSink sink;
    private final Projector projector;
    private final MonotonicClock clock;
    private final LongConsumer listener;
    private boolean recovering = true;

    /** Whether the sink must settle the last group. */
    private boolean unsettled;

    /** The cause of the last failed recovery; null when recovered. */
    private volatile @Nullable RuntimeException obstacle;

    DurableEnd(EventLog log, GroupSink sink, Projector projector, MonotonicClock clock, LongConsumer listener) {
        this.log = log;
        this.sink = sink;
        this.projector = projector;
        this.clock = clock;
        this.listener = listener;
    }

    /** Notes that log and projections may be apart. */
    void suspect() {
        recovering = true;
    }

    /** Notes that the outcome of the last group is unknown. */
    void unknown() {
        unsettled = true;
        recovering = true;
    }

    /** Whether the last recovery has failed. Any thread. */
    boolean isBlocked() {
        return obstacle != null;
    }

    /** Recovers if that is needed; false when storage fails. */
    boolean isRecovered() {
        return !recovering || recover();
    }

    /**
     * Settles the last group, reads the durable end of the log and lets the projections catch up; false when storage
     * fails.
     */
    private boolean recover() {
        try {
            if (unsettled && sink.settle() instanceof GroupSink.Outcome.Unknown unknown) {
                throw unknown.cause();
            }
            boolean settled = unsettled;
            unsettled = false;
            LogTail tail = log.reloadTail();
            clock.startAfter(tail);
            if (projector.appliedOffset() < tail.offset()) {
                projector.catchUp(tail.offset());
            }
            if (settled) {
                tellListener();
            }
            recovering = false;
            obstacle = null;
            return true;
        } catch (RuntimeException e) {
            obstacle = e instanceof LmdbException lmdb ? StorageFailure.of(lmdb, log.directory()) : e;
            LOG.error("{}: recovery failed, writes are refused", log.directory(), e);
            return false;
        }
    }

    /** Takes in and shows what other processes have stored. Only when this is recovered. */
    GroupSink.Taken takeNew() {
        return show(sink::takeNew);
    }

    /** The same, but at most the next group, by one request, where that is possible. */
    GroupSink.Taken takeNext() {
        return show(sink::takeNext);
    }

    private GroupSink.Taken show(Supplier<GroupSink.Taken> taking) {
        boolean isShown = false;
        try {
            GroupSink.Taken taken = taking.get();
            LogTail tail = log.tail();
            if (projector.appliedOffset() < tail.offset()) {
                clock.startAfter(tail);
                projector.follow(tail.offset());
                tellListener();
            }
            isShown = true;
            return taken;
        } finally {
            if (!isShown) {
                // The log may have events that the projections lack.
                recovering = true;
            }
        }
    }

    /** The last offset that sessions show. */
    long shownOffset() {
        return projector.appliedOffset();
    }

    void tellListener() {
        try {
            listener.accept(log.tail().offset());
        } catch (RuntimeException e) {
            LOG.error("{}: the listener of commits failed", log.directory(), e);
        }
    }

    /** The answer to writes whose outcome is unknown until storage has recovered. */
    ServiceException obstacleAnswer() {
        StorageFailure.Kind kind = obstacle instanceof StorageFailure failure ? failure.kind() : StorageFailure.Kind.IO;
        boolean full = kind.code() == ErrorCode.STORAGE_FULL;
        boolean stopped = kind == StorageFailure.Kind.STOPPED;
        return new ServiceException(
                full ? ErrorCode.STORAGE_FULL : ErrorCode.RECOVERY_REQUIRED,
                (full ? "the disk is full" : "storage failed")
                        + (stopped
                                ? " and takes no writes of this graph until the server is restarted"
                                : " and the graph has not recovered")
                        + "; the write may have been made: read, or"
                        + " repeat it under its idempotency key",
                null,
                obstacle);
    }
}
