package service.log.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.port.CommitLog;
import service.core.port.StorageGauges;
import service.core.port.WriteCommand;
import service.log.format.EventLog;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.StorageFailure;

/**
 * The one thread that writes a graph, and its queue. A group of waiting commands shares one fsync; {@link GroupCommit}
 * says what happens inside a group, this class what happens between groups: taking, answering, recovering.
 *
 * <p>After a storage failure the writer is <em>recovering</em>: before the next group it lets the sink settle a group
 * whose outcome is unknown, reads the durable end of the log again and lets the projections catch up with it; as long
 * as that fails, writes are answered RECOVERY_REQUIRED.
 *
 * <p>Futures are completed on the writer thread: dependent actions must be short, or run on another thread
 * ({@code thenAcceptAsync}).
 */
public final class Writer implements CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);

    private final EventLog log;
    private final GroupSink sink;
    private final Projector projector;
    private final WriterSettings settings;
    private final LongConsumer listener;
    private final MonotonicClock clock;
    private final GroupCommit groups;
    private final CommandQueue queue;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private boolean recovering = true;

    /** Whether the sink must settle the last group. */
    private boolean unsettled;

    /** The cause of the last failed recovery; null when recovered. */
    private volatile @Nullable RuntimeException obstacle;

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
        this.listener = listener;
        this.clock = new MonotonicClock(machineMicros);
        this.groups = new GroupCommit(log, sink, projector, clock, settings.meter());
        this.queue = new CommandQueue(settings);
        this.thread = Thread.ofPlatform()
                .name("writer-" + log.directory().getFileName())
                .daemon(true)
                .unstarted(this::run);
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
        Writer writer = new Writer(log, sink, projector, settings, machineMicros, listener);
        writer.thread.start();
        return writer;
    }

    @Override
    public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs) {
        Pending<R> pending = new Pending<>(command, blobs);
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
        return pending.future();
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
        Step step = new Step(work, new CompletableFuture<>());
        if (queue.isClosed()) {
            step.done.completeExceptionally(shuttingDown());
            return step.done;
        }
        steps.add(step);
        queue.nudge();
        if (stopped) {
            refuseRest();
        }
        return step.done;
    }

    private record Step(Runnable work, CompletableFuture<Void> done) {}

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
        return new StorageGauges.WriterGauges(queue.size(), commandCount.get(), refusedCount.get(), obstacle != null);
    }

    @Override
    public void close() {
        queue.close();
        try {
            if (!thread.join(settings.closeWait())) {
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

    private void run() {
        List<Pending<?>> group = new ArrayList<>(settings.groupCommandsMax());
        while (true) {
            group.clear();
            queue.take(group);
            if (!group.isEmpty()) {
                commit(group);
            }
            Step step = steps.poll();
            if (step != null) {
                run(step);
                if (!steps.isEmpty()) {
                    queue.nudge();
                }
            } else if (group.isEmpty() && queue.isClosed()) {
                break;
            }
        }
        stopped = true;
        refuseRest();
    }

    private void commit(List<Pending<?>> group) {
        try {
            process(group);
        } catch (Throwable e) {
            LOG.error("{}: a group of {} writes failed", log.directory(), group.size(), e);
            recovering = true;
            failAll(group, GroupCommit.internal(e));
        }
        commandCount.getAndAdd(group.size());
    }

    private void run(Step step) {
        if (recovering && !recover()) {
            step.done.completeExceptionally(notRecovered());
            return;
        }
        try {
            step.work.run();
        } catch (Throwable e) {
            recovering = true;
            step.done.completeExceptionally(e);
            return;
        }
        step.done.complete(null);
    }

    private void process(List<Pending<?>> group) {
        if (recovering && !recover()) {
            failAll(group, notRecovered());
            return;
        }
        switch (groups.run(group)) {
            case GroupCommit.Result.Done done -> {
                if (done.appended()) {
                    groupCount.getAndIncrement();
                    tellListener();
                }
                completeAll(group);
            }
            case GroupCommit.Result.Durable durable -> {
                LOG.warn(
                        "{}: events are durable, their projection failed: catching up",
                        log.directory(),
                        durable.cause());
                recovering = true;
                if (recover()) {
                    groupCount.getAndIncrement();
                    tellListener();
                    completeAll(group);
                } else {
                    failAll(group, notRecovered());
                }
            }
            case GroupCommit.Result.Failed failed -> {
                if (!failed.cause().equals(logged)) {
                    LOG.warn("{}: a group of {} writes failed", log.directory(), group.size(), failed.cause());
                    logged = failed.cause();
                }
                recovering = true;
                failAll(group, failed.answer());
            }
            case GroupCommit.Result.Unknown unknown -> {
                LOG.warn("{}: the outcome of {} writes is unknown", log.directory(), group.size(), unknown.cause());
                unsettled = true;
                recovering = true;
                failAll(group, unknown.answer());
            }
        }
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

    private void tellListener() {
        try {
            listener.accept(log.tail().offset());
        } catch (RuntimeException e) {
            LOG.error("{}: the listener of commits failed", log.directory(), e);
        }
    }

    private static void completeAll(List<Pending<?>> group) {
        for (Pending<?> pending : group) {
            pending.complete();
        }
    }

    private static void failAll(List<Pending<?>> group, RuntimeException answer) {
        for (Pending<?> pending : group) {
            pending.fail(answer);
        }
    }

    /** Refuses commands submitted while the thread stopped; called by their submitters, too. */
    private void refuseRest() {
        synchronized (queue) {
            List<Pending<?>> rest = new ArrayList<>();
            do {
                rest.clear();
                queue.drain(rest);
                failAll(rest, shuttingDown());
            } while (!rest.isEmpty());
            for (Step step = steps.poll(); step != null; step = steps.poll()) {
                step.done.completeExceptionally(shuttingDown());
            }
        }
    }

    private static ServiceException shuttingDown() {
        return new ServiceException(ErrorCode.SHUTTING_DOWN, "the graph is being closed: send the write again later");
    }

    /** The answer to writes whose outcome is unknown until storage has recovered. */
    private ServiceException notRecovered() {
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
