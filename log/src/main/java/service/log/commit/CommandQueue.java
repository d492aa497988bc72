package service.log.commit;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * Passes commands from any thread to the writer of a graph. When the queue is empty, the writer spins for a few
 * microseconds, then sleeps for a moment until a submitter wakes it, then gives its thread back. The next command takes
 * another one of the pool.
 */
final class CommandQueue {
    /** Bytes of blobs from which a group takes no further command. */
    private static final long BLOB_BYTES_MAX = StagedBlobs.BYTES_MAX;

    /** How long a writer without work keeps its thread: longer than clients need to send the next command. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ManyToOneConcurrentArrayQueue<Pending<?>> queue;
    private final WriterSettings settings;
    private final WriterPool pool;
    private final Runnable writer;
    private final Consumer<ServiceException> refusal;

    /** Whether the writer has a thread or waits for one. */
    private final AtomicBoolean running = new AtomicBoolean();

    private volatile @Nullable Thread sleeper;
    private volatile boolean closed;
    private volatile boolean nudged;

    /**
     * @param writer takes commands and handles them until {@link #take} returns false
     * @param refusal answers all that waits, because no thread can be had for the writer; no writer runs meanwhile
     */
    CommandQueue(WriterSettings settings, WriterPool pool, Runnable writer, Consumer<ServiceException> refusal) {
        this.settings = settings;
        this.pool = pool;
        this.writer = writer;
        this.refusal = refusal;
        this.queue = new ManyToOneConcurrentArrayQueue<>(settings.queueCommandsMax());
    }

    /** Any thread; false when the queue is full. */
    boolean offer(Pending<?> pending) {
        // The capacity of the queue itself is the next power of two.
        if (isFull() || !queue.offer(pending)) {
            return false;
        }
        wake();
        return true;
    }

    boolean isFull() {
        return queue.size() >= settings.queueCommandsMax();
    }

    int size() {
        return queue.size();
    }

    /** Makes {@link #take} return without commands once the queue is empty. */
    void close() {
        closed = true;
        wake();
    }

    /** Makes {@link #take} return once, with the commands in the queue, if any. */
    void nudge() {
        nudged = true;
        wake();
    }

    boolean isClosed() {
        return closed;
    }

    private void wake() {
        // A writer that announced its sleep before this check must see the element.
        VarHandle.fullFence();
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        begin();
    }

    private void begin() {
        while (!running.get() && running.compareAndSet(false, true)) {
            if (pool.run(writer)) {
                return;
            }
            if (closed) {
                // Who closes the graph waits for the end of its writer, and can lend it the own thread.
                writer.run();
                return;
            }
            nudged = false;
            refusal.accept(
                    new ServiceException(
                            ErrorCode.OVERLOADED,
                            "the machine gives this process no further thread, and nothing was written; try again in a second"));
            running.set(false);
            // A submitter that saw the writer running before this must have its command answered here.
            VarHandle.fullFence();
            if (isIdle()) {
                return;
            }
        }
    }

    /** Whether the writer has nothing to do now. */
    private boolean isIdle() {
        return queue.isEmpty() && !nudged && !closed;
    }

    /**
     * Writer: gives the thread back. When there is work, the writer is queued for another turn.
     *
     * @param ended whether it never needs a thread again
     */
    void leave(boolean ended) {
        if (ended) {
            return;
        }
        running.set(false);
        // A submitter that saw the writer running before this must have its command seen here.
        VarHandle.fullFence();
        if (!isIdle()) {
            begin();
        }
    }

    /**
     * Writer thread: fills an empty list with the next group, waiting a moment for its first command; leaves it empty
     * after {@link #close} or {@link #nudge}.
     *
     * @return false when there was nothing for a moment, or another writer needs the thread: it is to be given back
     */
    boolean take(List<Pending<?>> group) {
        drain(group);
        while (group.isEmpty()) {
            if (nudged || (closed && queue.isEmpty())) {
                nudged = false;
                return true;
            }
            if (pool.isWanted() || !idle()) {
                return false;
            }
            drain(group);
        }
        if (settings.commitGroupMicros() > 0) {
            gather(group, settings.commitGroupMicros() * 1_000, Integer.MAX_VALUE);
        }
        return true;
    }

    /**
     * Takes the commands in the queue, up to the size of a group: a number of commands, or of bytes of blobs, which
     * LMDB keeps in memory until the group is committed.
     */
    void drain(List<Pending<?>> group) {
        long bytes = blobBytes(group);
        while (group.size() < settings.groupCommandsMax() && bytes < BLOB_BYTES_MAX) {
            Pending<?> pending = queue.poll();
            if (pending == null) {
                return;
            }
            group.add(pending);
            bytes += pending.blobs().bytes();
        }
    }

    /** Answers all commands that wait. Not while the writer runs. */
    void refuse(ServiceException answer) {
        for (Pending<?> next = queue.poll(); next != null; next = queue.poll()) {
            next.fail(answer);
        }
    }

    private boolean isFull(List<Pending<?>> group) {
        return group.size() >= settings.groupCommandsMax() || blobBytes(group) >= BLOB_BYTES_MAX;
    }

    private static long blobBytes(List<Pending<?>> group) {
        long bytes = 0;
        for (Pending<?> pending : group) {
            bytes += pending.blobs().bytes();
        }
        return bytes;
    }

    /** Waits for something to do; false when there was nothing for a moment. */
    private boolean idle() {
        if (spin()) {
            return true;
        }
        long end = System.nanoTime() + LINGER_NANOS;
        long left = LINGER_NANOS;
        sleeper = Thread.currentThread();
        while (isIdle() && left > 0) {
            LockSupport.parkNanos(this, left);
            left = end - System.nanoTime();
        }
        sleeper = null;
        return !isIdle();
    }

    /** Spins; true when there is something to do. */
    private boolean spin() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < settings.spinMicros() * 1_000) {
            if (!queue.isEmpty() || nudged) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Writer thread: waits for more commands, until a group has enough of them or a time is over. */
    void gather(List<Pending<?>> group, long nanos, int enough) {
        long end = System.nanoTime() + nanos;
        drain(group);
        while (group.size() < enough && !isFull(group) && !closed) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return;
            }
            sleeper = Thread.currentThread();
            if (queue.isEmpty()) {
                LockSupport.parkNanos(this, left);
            }
            sleeper = null;
            drain(group);
        }
    }
}
