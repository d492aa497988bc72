package service.log.segment;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.EventFormatException;
import service.core.lifecycle.BackgroundLoop;
import service.log.format.EventLog;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;

/**
 * Makes each group durable as one segment. Order: blobs, segment, then the copy on this machine.
 *
 * <p>The create-only PUT of the segment decides between several writers: of two that put the same offset, one succeeds.
 * The other one is <em>overtaken</em>: nothing of its group is stored. It takes in what the others have stored and
 * decides its commands again.
 *
 * <p>An unknown outcome is settled by putting the same bytes again. {@code write} does so for a few seconds, so that
 * short failures only make a commit slower. After that the outcome is unknown to the writer, and a thread of the sink
 * repeats the request until it is known or the sink is closed.
 */
public final class SegmentSink implements GroupSink, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentSink.class);
    private static final Duration FOREVER = Duration.ofDays(36_500);

    /** How long one look takes in what others have stored before commits have their turn. */
    private static final Duration TAKE_MOST = Duration.ofSeconds(2);

    private final EventLog log;
    private final GroupSink copy;
    private final SegmentStore segments;
    private final Waits waits;
    private final Calls calls;
    private final NewSegments others;
    private final TurnRequest turn;
    private @Nullable KnownSegment known;

    /** The segment whose outcome the writer does not know. */
    private @Nullable Unsettled unsettled;

    /**
     * How long a sink waits for an unknown outcome.
     *
     * @param outcome before the writer answers that the outcome of a group is unknown
     * @param close before the sink is closed all the same
     */
    public record Waits(Duration outcome, Duration close) {
        static final Waits NONE = new Waits(Duration.ZERO, Duration.ZERO);
    }

    /**
     * What a sink calls; the first two must return at once.
     *
     * @param settled called on a thread of the sink when an unknown outcome is known
     * @param stored called on the writer thread after each segment
     * @param leftBehind asked when the next events are missing or damaged: whether a base image has them. May send
     *     requests
     */
    record Calls(Runnable settled, Runnable stored, BooleanSupplier leftBehind) {}

    /** A segment, and the thread that puts it; no thread when it is stored and only the copy lacks it. */
    private static final class Unsettled {
        private final SegmentPut put;
        private final RuntimeException cause;
        private @Nullable BackgroundLoop settling;

        /** Whether the copy must settle its own transaction first. */
        private boolean copyUnknown;

        private volatile SegmentPut.@Nullable Result result;

        Unsettled(SegmentPut put, RuntimeException cause) {
            this.put = put;
            this.cause = cause;
        }
    }

    /**
     * A sink.
     *
     * @param log the copy on this machine
     * @param waits how long it waits for outcomes
     * @param settled called on a thread of the sink when an unknown outcome is known; must return at once
     */
    public SegmentSink(EventLog log, SegmentStore segments, Waits waits, Runnable settled) {
        this(log, segments, waits, new Calls(settled, () -> {}, () -> false), new NewSegments(segments));
    }

    /**
     * A sink beside other processes.
     *
     * @param others takes what other processes have stored
     */
    SegmentSink(EventLog log, SegmentStore segments, Waits waits, Calls calls, NewSegments others) {
        this.others = others;
        this.turn = new TurnRequest(segments);
        this.log = log;
        this.copy = log.sink();
        this.segments = segments;
        this.waits = waits;
        this.calls = calls;
    }

    /** Compares a segment of the bucket before each group. Call it before the first one. */
    void watch(KnownSegment segment) {
        known = segment;
    }

    @Override
    @MustBeClosed
    @SuppressWarnings("MustBeClosedChecker") // closed by the group
    public OpenGroup begin(EncodedGroup group) {
        if (unsettled != null) {
            throw new IllegalStateException(segments.location() + ": the outcome of the last group is unknown");
        }
        return new Open(group, copy.begin(group));
    }

    /** A group whose events are in an open transaction of the copy. */
    private final class Open implements OpenGroup {
        private final EncodedGroup group;
        private final OpenGroup inCopy;

        Open(EncodedGroup group, OpenGroup inCopy) {
            this.group = group;
            this.inCopy = inCopy;
        }

        @Override
        public void stage() {
            inCopy.stage();
        }

        @Override
        public Outcome write(Progress progress) {
            Segment segment;
            try {
                inCopy.stage();
                segment = Segment.of(log.graph(), group, SegmentSink.this::file);
            } catch (IOException e) {
                return new Outcome.Refused(new UncheckedIOException(e));
            } catch (RuntimeException e) {
                return new Outcome.Refused(e);
            }
            boolean bringsBlobs = GroupBlobs.isIn(group);
            try {
                if (bringsBlobs) {
                    progress.bringing();
                } else if (!progress.sent()) {
                    segment.close();
                    return new Outcome.Withdrawn();
                }
                if (known != null) {
                    known.requireThere();
                }
                if (!others.end().isRecent() && isOvertaken()) {
                    segment.close();
                    return new Outcome.Overtaken();
                }
                if (bringsBlobs) {
                    putBlobs();
                    if (!progress.sent()) {
                        segment.close();
                        return new Outcome.Withdrawn();
                    }
                }
            } catch (RuntimeException e) {
                segment.close();
                // Blobs that were closed meanwhile cannot be read.
                return bringsBlobs && !progress.sent() ? new Outcome.Withdrawn() : new Outcome.Refused(e);
            }
            SegmentPut put = new SegmentPut(segments, segment, others.end());
            try {
                return stored(put, put.run(waits.outcome), inCopy);
            } catch (UncheckedIOException e) {
                Unsettled open = new Unsettled(put, answer(e));
                unsettled = open;
                open.settling = BackgroundLoop.start(
                        Thread.ofVirtual().name("settle-" + log.directory().getFileName()),
                        () -> repeat(open),
                        SegmentSink.this::failed);
                return new Outcome.Unknown(open.cause);
            } catch (RuntimeException e) {
                // A store throws others before a request is sent. If the segment is there, the next PUT is overtaken.
                put.segment().close();
                return new Outcome.Refused(e);
            }
        }

        private void putBlobs() {
            try {
                new GroupBlobs(segments, waits.outcome).put(group);
            } catch (UncheckedIOException e) {
                throw answer(e);
            }
        }

        @Override
        public void close() {
            inCopy.close();
        }
    }

    /** Looks before a PUT when the last look is old. */
    private boolean isOvertaken() {
        try {
            return others.hasNew(log.tail().offset());
        } catch (UncheckedIOException e) {
            throw answer(e);
        }
    }

    private Path file() {
        return log.directory().resolve("segment.put");
    }

    private Outcome stored(SegmentPut put, SegmentPut.Result result, OpenGroup inCopy) {
        switch (result) {
            case TAKEN -> {
                put.segment().close();
                return new Outcome.Overtaken();
            }
            case PASSED -> {
                Unsettled open = new Unsettled(put, passed());
                open.result = result;
                unsettled = open;
                return new Outcome.Unknown(open.cause);
            }
            case STORED -> noteStored(put);
        }
        Outcome copied = inCopy.write(Progress.NONE);
        if (copied instanceof Outcome.Failure failure) {
            Unsettled open = new Unsettled(put, failure.cause());
            open.result = result;
            open.copyUnknown = failure instanceof Outcome.Unknown;
            unsettled = open;
            return new Outcome.Unknown(failure.cause());
        }
        put.segment().close();
        return copied;
    }

    private void noteStored(SegmentPut put) {
        SegmentHeader header = put.segment().header();
        others.stored(header.first(), put.begun());
        if (known != null) {
            known.stored(header);
        }
        calls.stored.run();
    }

    private ServiceException passed() {
        return new ServiceException(
                ErrorCode.RECOVERY_REQUIRED,
                segments.location()
                        + " has gone on while this server did not write; the write may have been made: read,"
                        + " or repeat it under its idempotency key");
    }

    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public boolean hasNew() {
        return others.hasNew(log.tail().offset());
    }

    /** The pauses of a store that does not answer are those of its client, some seconds. */
    @Override
    public Taken takeNew() {
        return take(() -> others.take(log, TAKE_MOST));
    }

    @Override
    public Taken takeNext() {
        return take(() -> others.takeNext(log, TAKE_MOST));
    }

    @Override
    public void askForTurn() {
        turn.make();
    }

    @Override
    public boolean isAskedForTurn() {
        return turn.take();
    }

    private Taken take(LongSupplier taking) {
        long before = others.taken();
        try {
            long end = taking.getAsLong();
            return new Taken(others.taken() - before, end <= log.tail().offset());
        } catch (UncheckedIOException e) {
            throw notYetHere(
                    " does not answer, so that this server cannot tell whether it has the newest state; try again in a"
                            + " moment",
                    e);
        } catch (EventFormatException e) {
            if (!calls.leftBehind.getAsBoolean()) {
                throw e;
            }
            throw notYetHere(
                    " was cleaned up while this server was away: it makes its copy again; try again in a moment, or on"
                            + " another server",
                    e);
        } finally {
            if (known != null && others.taken() > before) {
                known.movedTo(others.newest());
            }
        }
    }

    private ServiceException notYetHere(String why, RuntimeException cause) {
        return new ServiceException(ErrorCode.NOT_YET_HERE, segments.location() + why, null, cause);
    }

    private @Nullable Duration repeat(Unsettled open) {
        try {
            open.result = open.put.run(FOREVER);
        } catch (UncheckedIOException e) {
            LOG.warn("{}: closed before the outcome of the last writes was known", segments.location(), e);
            return null;
        }
        calls.settled.run();
        return null;
    }

    private void failed(Throwable failure, int inARow) {
        LOG.atError().setCause(failure).log("{}: settling the last writes failed and is repeated", segments.location());
    }

    @Override
    public Outcome settle() {
        Unsettled open = unsettled;
        if (open == null) {
            throw new IllegalStateException(segments.location() + ": no outcome is unknown");
        }
        SegmentPut.Result result = open.result;
        if (result == null) {
            return new Outcome.Unknown(open.cause);
        }
        if (result != SegmentPut.Result.STORED) {
            // What the log has at this place comes with its next events.
            unsettled = null;
            open.put.segment().close();
            return new Outcome.Overtaken();
        }
        if (open.copyUnknown && copy.settle() instanceof Outcome.Unknown unknown) {
            return unknown;
        }
        open.copyUnknown = false;
        try {
            takeIntoCopy(open.put.segment());
        } catch (RuntimeException e) {
            return new Outcome.Unknown(e);
        }
        noteStored(open.put);
        unsettled = null;
        open.put.segment().close();
        return new Outcome.Durable();
    }

    /** The copy may have the events already, when only the answer to its commit was lost. */
    private void takeIntoCopy(Segment segment) {
        if (log.reloadTail().offset() < segment.header().first()) {
            SegmentIntake.take(segment.header().first(), log, segments, () -> {
                try {
                    return segment.open();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** What a caller gets while the store does not answer. */
    private RuntimeException answer(RuntimeException e) {
        return new ServiceException(
                ErrorCode.RECOVERY_REQUIRED,
                segments.location() + " does not answer; the write may have been made: read, or repeat it under its"
                        + " idempotency key",
                null,
                e);
    }

    /** Waits for an unknown outcome, then ends the thread that asks for it. */
    @Override
    public void close() {
        Unsettled open = unsettled;
        BackgroundLoop asking = open == null ? null : open.settling;
        if (asking == null || asking.await(waits.close)) {
            return;
        }
        asking.close();
        asking.interrupt();
        asking.await(BackgroundLoop.UNTIL_WOKEN);
    }
}
