package service.log.commit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.lifecycle.Alarm;
import service.core.port.CommitLog;
import service.core.port.StorageGauges;
import service.core.port.WriteCommand;
import service.log.follow.TailLooks;
import service.log.format.EventLog;
import service.log.group.GroupSink;

/**
 * The writer of a graph, and its queue. It runs on one thread of the {@link WriterPool} at a time, its <em>writer
 * thread</em>, while it has work. A group of waiting commands shares one fsync; {@link GroupCommit} says what happens
 * inside a group, this class what happens between groups: taking, answering, recovering.
 *
 * <p>After a storage failure the writer is <em>recovering</em> ({@link DurableEnd}); as long as that fails, writes are
 * answered RECOVERY_REQUIRED.
 *
 * <p>Where other processes may append to the log ({@link GroupSink#isShared}), the sink decides who is first. When
 * another process was, the writer takes in what it has stored, decides every command of the group again, and tries the
 * next place. A group that needs no event is answered only over everything that was stored when its commands came: the
 * writer looks once for the whole group.
 *
 * <p>Futures are completed on the writer thread: dependent actions must be short, or {@code thenAcceptAsync}.
 */
public final class Writer implements CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    /** How long after its time a write may still be answered by its outcome. */
    private static final Duration MOMENT = Duration.ofMillis(300);

    private final EventLog log;
    private final GroupSink sink;
    private final Projector projector;
    private final WriterSettings settings;
    private final DurableEnd durable;
    private final GroupCommit groups;
    private final CommandQueue queue;
    private final Steps steps;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<Pending<?>> group;
    private final OtherWriters others;
    private final TailLooks looks = new TailLooks();
    /** The failure that was logged last: a lasting one is the same for every group, and is logged once. */
    private @Nullable Throwable logged;

    private volatile boolean stopped;
    private final AtomicLong groupCount = new AtomicLong();
    private final AtomicLong commandCount = new AtomicLong();
    private final AtomicLong refusedCount = new AtomicLong();

    private Writer(
            EventLog log,
            GroupSink sink,
            Projector projector,
            WriterSettings settings,
            LongSupplier machineMicros,
            LongConsumer listener) {
        this.log = log;
        this.sink = sink;
        this.projector = projector;
        this.settings = settings;
        MonotonicClock clock = new MonotonicClock(machineMicros);
        this.durable = new DurableEnd(log, sink, projector, clock, listener);
        this.steps = new Steps(durable);
        this.groups = new GroupCommit(log, sink, projector, clock, settings.meter());
        this.group = new ArrayList<>(settings.groupCommandsMax());
        this.queue = new CommandQueue(settings, WriterPool.OF_PROCESS, this::run, this::refuseWaiting);
        this.others = new OtherWriters(sink, durable, queue, groups::answer);
    }

    /**
     * Starts the writer of a log. Log and projector must be closed after the writer, by their owner.
     *
     * @param sink makes groups durable; when it has, {@code log} reads them. {@link EventLog#sink}, or one around it
     * @param machineMicros the machine's clock, microseconds since the epoch
     * @param listener called on the writer thread after each durable and visible group with its last offset, before the
     *     futures complete; must return at once
     */
    public static Writer start(
            EventLog log,
            GroupSink sink,
            Projector projector,
            WriterSettings settings,
            LongSupplier machineMicros,
            LongConsumer listener) {
        return new Writer(log, sink, projector, settings, machineMicros, listener);
    }

    @Override
    public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs, Duration patience) {
        Pending<R> pending = new Pending<>(command, blobs, patience);
        if (queue.isClosed()) {
            pending.fail(shuttingDown());
            return pending.future();
        }
        if (!queue.offer(pending)) {
            refusedCount.getAndIncrement();
            throw ServiceException.of(
                    ErrorCode.TOO_MANY_REQUESTS,
                    Reason.WRITER_QUEUE,
                    settings.queueCommandsMax() + " writes are waiting on this graph: try again in a moment");
        }
        if (stopped) {
            refuseRest();
        }
        if (sink.isShared()) {
            Alarm.unlessDone(pending.future(), patience.plus(MOMENT), pending::giveUp);
        }
        return pending.future();
    }

    /**
     * Waits until sessions show everything that was stored at some moment after a time, by this process and by others.
     *
     * @param sinceNanos of {@link System#nanoTime}
     * @return completes with the offset that sessions opened from then on show at least; exceptionally with
     *     NOT_YET_HERE or RECOVERY_REQUIRED when the store does not answer within some seconds
     */
    public CompletableFuture<Long> awaitTail(long sinceNanos) {
        if (!sink.isShared()) {
            return CompletableFuture.completedFuture(log.tail().offset());
        }
        CompletableFuture<Long> answer = looks.await(sinceNanos);
        if (!answer.isDone()) {
            queue.nudge();
            if (stopped) {
                refuseRest();
            }
        }
        return answer;
    }

    /**
     * Takes in what other processes have stored, unless that was done a short time ago, as by a writer that is busy.
     * That one learns here whether another process waits for a turn. Waits for the store; not on the writer thread.
     *
     * @param recent how long ago
     */
    public void poll(Duration recent) {
        if (isTailKnownSince(System.nanoTime() - recent.toNanos())) {
            others.poll();
        } else if (sink.hasNew()) {
            CommitLog.await(awaitTail(System.nanoTime()));
        }
    }

    /**
     * Whether a look at the store, or a group stored there, has succeeded that began after a time of
     * {@link System#nanoTime}.
     */
    boolean isTailKnownSince(long nanos) {
        return looks.isKnownSince(nanos);
    }

    /**
     * Runs a piece of maintenance on the writer thread, between two groups, with no transaction open. Commits wait for
     * it, so it must be short: divide longer work into pieces and submit one after the other. A group of commits runs
     * between two pieces.
     *
     * @return completes when it has run; exceptionally with what it threw, with RECOVERY_REQUIRED while storage does
     *     not recover, and with SHUTTING_DOWN after {@link #close}
     */
    public CompletableFuture<Void> between(Runnable work) {
        if (queue.isClosed()) {
            return CompletableFuture.failedFuture(shuttingDown());
        }
        CompletableFuture<Void> done = steps.add(work);
        queue.nudge();
        if (stopped) {
            refuseRest();
        }
        return done;
    }

    @Override
    public int queueDepth() {
        return queue.size();
    }

    @Override
    public boolean isFull() {
        return queue.isFull();
    }

    /** Groups made durable since the start. */
    public long groups() {
        return groupCount.get();
    }

    /** Commands answered since the start. */
    public long commands() {
        return commandCount.get();
    }

    /** The state of this writer. Any thread. */
    public StorageGauges.WriterGauges gauges() {
        return new StorageGauges.WriterGauges(
                queue.size(), commandCount.get(), refusedCount.get(), durable.isBlocked());
    }

    @Override
    public void close() {
        queue.close();
        try {
            if (!ended.await(settings.closeWait().toNanos(), TimeUnit.NANOSECONDS)) {
                throw new ServiceException(
                        ErrorCode.INTERNAL,
                        "the writer of " + log.directory() + " did not stop within " + settings.closeWait());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceException(
                    ErrorCode.SHUTTING_DOWN,
                    "interrupted while the writer of " + log.directory() + " was stopping",
                    null,
                    e);
        }
    }

    /** Works until there is nothing to do for a moment, or another writer needs the thread. */
    private void run() {
        boolean over = false;
        try {
            over = work();
        } finally {
            queue.leave(over);
        }
        if (over) {
            stopped = true;
            refuseRest();
            ended.countDown();
        }
    }

    /** Returns whether the writer has ended. */
    private boolean work() {
        while (true) {
            group.clear();
            if (!queue.take(group)) {
                return false;
            }
            TailLooks.Look look = looks.begin();
            boolean isTailKnown = !group.isEmpty() && commit(group, look);
            if (!isTailKnown && look.isAwaited()) {
                look(look);
            }
            if (steps.runNext()) {
                if (!steps.isEmpty()) {
                    queue.nudge();
                }
            } else if (group.isEmpty() && queue.isClosed()) {
                return true;
            }
            if (WriterPool.OF_PROCESS.isWanted()) {
                return false;
            }
        }
    }

    /** Returns whether the look has succeeded with the group. */
    private boolean commit(List<Pending<?>> group, TailLooks.Look look) {
        try {
            return process(group, look);
        } catch (Throwable e) {
            LOG.error("{}: a group of {} writes failed", log.directory(), group.size(), e);
            durable.suspect();
            failAll(group, GroupCommit.internal(e));
            return false;
        } finally {
            commandCount.getAndAdd(group.size());
        }
    }

    /** Takes in what other processes have stored, for requests that wait for it. */
    private void look(TailLooks.Look look) {
        try {
            if (!durable.isRecovered()) {
                look.failed(durable.obstacleAnswer());
            } else if (others.take().isAll()) {
                look.succeeded(projector.appliedOffset());
            } else {
                look.unfinished();
                queue.nudge();
            }
        } catch (RuntimeException e) {
            look.failed(groups.answer(e));
        }
    }

    /** Answers a group; returns whether the look has succeeded with it. */
    private boolean process(List<Pending<?>> group, TailLooks.Look look) {
        boolean isTurn = false;
        boolean looked = false;
        while (true) {
            others.refuseLate(group);
            if (group.isEmpty()) {
                return false;
            }
            if (!durable.isRecovered()) {
                failAll(group, durable.obstacleAnswer());
                return false;
            }
            if (!isTurn && !others.awaitTurn(group, look)) {
                return false;
            }
            isTurn = true;
            long began = System.nanoTime();
            switch (groups.run(group)) {
                case GroupCommit.Result.Done done -> {
                    if (!done.appended() && !looked && sink.isShared()) {
                        long before = log.tail().offset();
                        if (!others.takeAll(group)) {
                            return false;
                        }
                        looked = true;
                        if (log.tail().offset() > before) {
                            group.forEach(Pending::decideAgain);
                            continue;
                        }
                    }
                    if (done.appended()) {
                        others.stored(group, System.nanoTime() - began);
                    }
                    return answered(group, done.appended(), look);
                }
                case GroupCommit.Result.Overtaken ignored -> {
                    // The next PUT proves that there is nothing more, and costs no further request.
                    if (!others.overtaken(group, System.nanoTime() - began)) {
                        return false;
                    }
                    isTurn = false;
                    looked = false;
                }
                case GroupCommit.Result.Durable stored -> {
                    LOG.warn(
                            "{}: events are durable, their projection failed: catching up",
                            log.directory(),
                            stored.cause());
                    durable.suspect();
                    if (durable.isRecovered()) {
                        return answered(group, true, look);
                    }
                    failAll(group, durable.obstacleAnswer());
                    return false;
                }
                case GroupCommit.Result.Failed failed -> {
                    if (!failed.cause().equals(logged)) {
                        LOG.warn("{}: a group of {} writes failed", log.directory(), group.size(), failed.cause());
                        logged = failed.cause();
                    }
                    durable.suspect();
                    failAll(group, failed.answer());
                    return false;
                }
                case GroupCommit.Result.Unknown unknown -> {
                    LOG.warn("{}: the outcome of {} writes is unknown", log.directory(), group.size(), unknown.cause());
                    durable.unknown();
                    failAll(group, unknown.answer());
                    return false;
                }
            }
        }
    }

    /** Answers a group over the end of the log, which its events or a look have shown; returns true. */
    private boolean answered(List<Pending<?>> group, boolean appended, TailLooks.Look look) {
        if (appended) {
            groupCount.getAndIncrement();
            durable.tellListener();
        }
        if (sink.isShared()) {
            look.succeeded(projector.appliedOffset());
        }
        group.forEach(Pending::complete);
        return true;
    }

    private static void failAll(List<Pending<?>> group, RuntimeException answer) {
        group.forEach(pending -> pending.fail(answer));
    }

    /** Refuses commands submitted while the thread stopped; called by their submitters, too. */
    private void refuseRest() {
        looks.close(shuttingDown());
        synchronized (queue) {
            refuseAll(shuttingDown());
        }
    }

    /** Refuses what waits while no thread can be had; called instead of {@link #run}. */
    private void refuseWaiting(ServiceException busy) {
        looks.begin().failed(busy);
        refuseAll(busy);
    }

    private void refuseAll(ServiceException answer) {
        queue.refuse(answer);
        steps.refuse(answer);
    }

    private static ServiceException shuttingDown() {
        return new ServiceException(ErrorCode.SHUTTING_DOWN, "the graph is being closed: send the write again later");
    }
}
