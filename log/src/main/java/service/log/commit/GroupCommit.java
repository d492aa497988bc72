package service.log.commit;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.EncodedEvent;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.lifecycle.SideThread;
import service.core.port.CommitMeter;
import service.core.port.DraftStamp;
import service.core.port.WriteCommand.Draft;
import service.core.port.WriteSession;
import service.log.format.EventLog;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.GroupSink.Outcome;
import service.log.lmdb.StorageFailure;

/**
 * Makes one group of commands durable: all its events in one write to the {@link GroupSink}, then one unsynced
 * transaction of the projections.
 *
 * <p>A command that refuses, or fails while it decides, changes nothing and does not affect other commands, because
 * checks come before the first put. When a map is full or a projection fails on an event, both transactions are aborted
 * and the group runs again, after the map has grown or without that command. This ends, because maps grow to a limit
 * and every other repetition removes a command.
 */
final class GroupCommit {
    /** How a group ended. */
    sealed interface Result {
        /** Durable and visible. */
        record Done(boolean appended) implements Result {}

        /** The events are durable, but the projections have not taken them. */
        record Durable(Throwable cause) implements Result {}

        /** Not durable: another process has appended other events. The commands must be decided again. */
        record Overtaken() implements Result {}

        /** Not durable. */
        record Failed(ServiceException answer, Throwable cause) implements Result {}

        /** Durable or not: the sink must settle it before the next group. */
        record Unknown(ServiceException answer, Throwable cause) implements Result {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

    /** Number of changes from which a second thread saves more time than it costs. */
    static final int LONG_CHANGES_MIN = 8_192;

    private final EventLog log;
    private final GroupSink sink;
    private final Projector projector;
    private final WriterClock clock;
    private final CommitMeter meter;
    private final EventCodec codec = new EventCodec();

    GroupCommit(EventLog log, GroupSink sink, Projector projector, WriterClock clock, CommitMeter meter) {
        this.log = log;
        this.sink = sink;
        this.projector = projector;
        this.clock = clock;
        this.meter = meter;
    }

    Result run(List<Pending<?>> group) {
        while (true) {
            group.forEach(Pending::restart);
            try {
                Result result = attempt(group);
                if (result != null) {
                    return result;
                }
            } catch (MapFull full) {
                try {
                    if (full.inLog) {
                        log.grow();
                    } else {
                        projector.grow();
                    }
                } catch (RuntimeException e) {
                    return failed(e);
                }
            }
        }
    }

    /** Runs the group once; null when it must run again without a removed command. */
    private @Nullable Result attempt(List<Pending<?>> group) throws MapFull {
        boolean durable = false;
        boolean projectorOpen = false;
        EncodedGroup events = new EncodedGroup(codec, log.graph(), log.tail());
        CommitGroupEvent recorded = CommitGroupEvent.begun();
        try (GroupSink.OpenGroup open = sink.begin(events)) {
            Writing writing = new Writing(events, open);
            try {
                projectorOpen = true;
                WriteSession session = projecting(() -> projector.begin(clock));
                for (Pending<?> pending : group) {
                    if (pending.begin() && !take(pending, session, writing)) {
                        return null;
                    }
                }
                if (events.isEmpty()) {
                    return new Result.Done(false);
                }
                long written = System.nanoTime();
                Outcome outcome = open.write(new Told(group));
                long syncNanos = System.nanoTime() - written;
                switch (outcome) {
                    case Outcome.Durable ignored -> durable = true;
                    case Outcome.Refused refused -> {
                        return failed(fullOr(refused.cause(), true));
                    }
                    case Outcome.Overtaken ignored -> {
                        return new Result.Overtaken();
                    }
                    case Outcome.Withdrawn ignored -> {
                        return null;
                    }
                    case Outcome.Unknown unknown -> {
                        return new Result.Unknown(answer(unknown.cause()), unknown.cause());
                    }
                }
                measure(events, syncNanos);
                projector.commit();
                projectorOpen = false;
                if (recorded != null) {
                    recorded.end(log.directory(), group.size(), events, syncNanos);
                }
                return new Result.Done(true);
            } finally {
                if (projectorOpen) {
                    projector.abort();
                }
            }
        } catch (RuntimeException e) {
            return durable ? new Result.Durable(e) : failed(e);
        } catch (Error e) {
            if (durable) {
                return new Result.Durable(e);
            }
            throw e;
        }
    }

    private void measure(EncodedGroup events, long syncNanos) {
        long bytes = 0;
        for (EncodedGroup.Part part : events.parts()) {
            EncodedEvent event = part.event();
            meter.event(event.changes().count(), event.length());
            bytes += event.length();
        }
        meter.group(events.parts().size(), bytes, syncNanos);
    }

    /** Tells the commands of a group how far it is. */
    private record Told(List<Pending<?>> group) implements GroupSink.Progress {
        @Override
        public void bringing() {
            group.forEach(Pending::brings);
        }

        @Override
        public boolean sent() {
            return group.stream().allMatch(Pending::sent);
        }
    }

    /** The group that is being written, as bytes and at the sink. */
    private record Writing(EncodedGroup events, GroupSink.OpenGroup open) {}

    /**
     * Runs one command; false when its events made the transactions unusable and the group must run again without it.
     */
    private boolean take(Pending<?> pending, WriteSession session, Writing writing) throws MapFull {
        Draft draft;
        try {
            draft = pending.decide(session);
        } catch (ServiceException refusal) {
            pending.refuse(refusal);
            return true;
        } catch (StorageFailure | LmdbException storage) {
            throw storage;
        } catch (RuntimeException | StackOverflowError | AssertionError unexpected) {
            LOG.error("{}: a command failed while it decided", log.directory(), unexpected);
            pending.refuse(internal(unexpected));
            return true;
        }
        if (draft == null) {
            return true;
        }
        Event event;
        try {
            event = stampAndEncode(draft, pending, writing);
        } catch (ServiceException | IllegalArgumentException refusal) {
            pending.refuse(refusal instanceof ServiceException ? refusal : internal(refusal));
            return true;
        }
        return project(pending, event, writing) && takeSecond(pending, session, writing);
    }

    /** Appends the second event of a pair; a failure removes the first event, too. */
    private boolean takeSecond(Pending<?> pending, WriteSession session, Writing writing) throws MapFull {
        Event event;
        try {
            Draft draft = pending.next(session);
            if (draft == null) {
                return true;
            }
            event = stampAndEncode(draft, pending, writing);
        } catch (ServiceException refusal) {
            pending.exclude(refusal);
            return false;
        } catch (StorageFailure | LmdbException storage) {
            throw storage;
        } catch (RuntimeException unexpected) {
            LOG.error("{}: the second event of a pair cannot be made", log.directory(), unexpected);
            pending.exclude(internal(unexpected));
            return false;
        }
        return project(pending, event, writing);
    }

    private Event stampAndEncode(Draft draft, Pending<?> pending, Writing writing) {
        EncodedGroup events = writing.events;
        Event event = DraftStamp.stamp(
                draft, events.nextOffset(), clock.nowMicros(), clock::nextId, events.nextIncarnation());
        events.add(event, pending.blobs());
        return event;
    }

    /** Whether the event is long: it is staged and projected at the same time. */
    private static boolean isLong(Event event) {
        return event instanceof Event.Commit commit && commit.changes().count() >= LONG_CHANGES_MIN;
    }

    /** Gives the last event to the sink and to the tables. */
    private boolean project(Pending<?> pending, Event event, Writing writing) throws MapFull {
        try {
            if (isLong(event)) {
                stageAndProject(event, writing);
            } else {
                logging(writing.open::stage);
                project(event);
            }
        } catch (StorageFailure | LmdbException storage) {
            throw storage;
        } catch (ServiceException refusal) {
            pending.exclude(refusal);
            return false;
        } catch (RuntimeException | StackOverflowError | AssertionError unexpected) {
            LOG.error(
                    "{}: event {} cannot be kept or projected; its command is refused",
                    log.directory(),
                    event.offset(),
                    unexpected);
            pending.exclude(internal(unexpected));
            return false;
        }
        pending.appended(event);
        return true;
    }

    private void project(Event event) throws MapFull {
        projecting(() -> {
            projector.apply(event);
            return event;
        });
    }

    /**
     * The two halves use different environments, and neither reads what the other writes. The side thread has ended
     * before either transaction is used again, also after a failure.
     */
    private void stageAndProject(Event event, Writing writing) throws MapFull {
        SideThread stage = SideThread.start(writing.open::stage);
        try {
            project(event);
        } finally {
            stage.await();
        }
        logging(stage::rethrow);
    }

    private Result failed(RuntimeException e) {
        return new Result.Failed(answer(e), e);
    }

    /** What the callers of a group get that has failed. */
    ServiceException answer(RuntimeException e) {
        return switch (e) {
            case StorageFailure storage -> storage.asAnswer();
            case LmdbException lmdb -> StorageFailure.of(lmdb, log.directory()).asAnswer();
            case ServiceException answer -> answer;
            default -> internal(e);
        };
    }

    static ServiceException internal(Throwable cause) {
        if (cause instanceof EventFormatException damage) {
            return new ServiceException(ErrorCode.GRAPH_QUARANTINED, String.valueOf(damage.getMessage()), null, damage);
        }
        return new ServiceException(
                ErrorCode.INTERNAL, "the write failed for a reason that is ours: see the log", null, cause);
    }

    private interface Step<T> {
        T run();
    }

    private void logging(Runnable step) throws MapFull {
        try {
            step.run();
        } catch (StorageFailure e) {
            throw fullOr(e, true);
        }
    }

    private <T> T projecting(Step<T> step) throws MapFull {
        try {
            return step.run();
        } catch (StorageFailure e) {
            throw fullOr(e, false);
        } catch (LmdbException e) {
            throw fullOr(StorageFailure.of(e, log.directory()), false);
        }
    }

    private static <E extends RuntimeException> E fullOr(E e, boolean inLog) throws MapFull {
        if (e instanceof StorageFailure failure && failure.kind() == StorageFailure.Kind.MAP_FULL) {
            throw new MapFull(inLog);
        }
        return e;
    }

    /** Signals inside this class: abort, grow the map, run again. */
    private static final class MapFull extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean inLog;

        MapFull(boolean inLog) {
            super(null, null, false, false);
            this.inLog = inLog;
        }
    }
}
