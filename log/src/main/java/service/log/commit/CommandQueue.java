package service.log.commit;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;
import service.core.blob.StagedBlobs;

/**
 * Passes commands from any thread to the writer thread. When the queue is empty, the writer spins for a few
 * microseconds, then sleeps until a submitter wakes it.
 */
final class CommandQueue {
    /** Bytes of blobs from which a group takes no further command. */
    private static final long BLOB_BYTES_MAX = StagedBlobs.BYTES_MAX;

    private final ManyToOneConcurrentArrayQueue<Pending<?>> queue;
    private final WriterSettings settings;
    private volatile @Nullable Thread sleeper;
    private volatile boolean closed;
    private volatile boolean nudged;

    CommandQueue(WriterSettings settings) {
        this.settings = settings;
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
    }

    /**
     * Writer thread: fills an empty list with the next group, waiting for its first command; leaves it empty after
     * {@link #close} or {@link #nudge}.
     */
    void take(List<Pending<?>> group) {
        drain(group);
        while (group.isEmpty()) {
            if (nudged || (closed && queue.isEmpty())) {
                nudged = false;
                return;
            }
            idle();
            drain(group);
        }
        if (settings.commitGroupMicros() > 0) {
            gather(group);
        }
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

    private void idle() {
        if (spin()) {
            return;
        }
        sleeper = Thread.currentThread();
        if (queue.isEmpty() && !closed && !nudged) {
            LockSupport.park(this);
        }
        sleeper = null;
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

    private void gather(List<Pending<?>> group) {
        long end = System.nanoTime() + settings.commitGroupMicros() * 1_000;
        while (!isFull(group) && !closed) {
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
