package service.http.server;

import io.undertow.connector.ByteBufferPool;
import io.undertow.connector.PooledByteBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of connections. The buffer that was returned last is lent next, because it is in the cache of the
 * processor. Buffers that are not lent are kept up to a number; the rest is left to the collector.
 *
 * <p>Undertow's own pool keeps buffers by thread, behind one lock, and frees surplus ones from a queue of the thread
 * that returns them. A virtual thread that writes one event has no kept buffers when it starts and never reads its
 * queue: each of its buffers was allocated, and the memory came back only when the JVM had reached the limit of direct
 * memory and stopped for a full collection.
 *
 * <p>Any thread.
 */
final class BufferPool implements ByteBufferPool {
    private final boolean direct;
    private final int bytes;
    private final int keptMax;
    private final ArrayDeque<ByteBuffer> kept;
    private final ByteBufferPool onHeap;

    /**
     * An empty pool.
     *
     * @param bytes of each buffer
     * @param keptMax maximum number of buffers that are kept
     */
    BufferPool(int bytes, int keptMax) {
        this(true, bytes, keptMax);
    }

    private BufferPool(boolean direct, int bytes, int keptMax) {
        this.direct = direct;
        this.bytes = bytes;
        this.keptMax = keptMax;
        this.kept = new ArrayDeque<>(keptMax);
        this.onHeap = direct ? new BufferPool(false, bytes, 0) : this;
    }

    @Override
    public PooledByteBuffer allocate() {
        ByteBuffer free;
        synchronized (kept) {
            free = kept.pollFirst();
        }
        if (free == null) {
            free = direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
        }
        return new Lent(free);
    }

    private void takeBack(ByteBuffer buffer) {
        buffer.clear();
        synchronized (kept) {
            if (kept.size() < keptMax) {
                kept.addFirst(buffer);
            }
        }
    }

    /** The number of buffers that are kept. */
    int kept() {
        synchronized (kept) {
            return kept.size();
        }
    }

    @Override
    public ByteBufferPool getArrayBackedPool() {
        return onHeap;
    }

    @Override
    public int getBufferSize() {
        return bytes;
    }

    @Override
    public boolean isDirect() {
        return direct;
    }

    /** Lets the collector have the buffers that are kept. */
    @Override
    public void close() {
        synchronized (kept) {
            kept.clear();
        }
    }

    private final class Lent implements PooledByteBuffer {
        private volatile @Nullable ByteBuffer buffer;

        Lent(ByteBuffer buffer) {
            this.buffer = buffer;
        }

        @Override
        public ByteBuffer getBuffer() {
            ByteBuffer lent = buffer;
            if (lent == null) {
                throw new IllegalStateException("the buffer was returned");
            }
            return lent;
        }

        @Override
        public synchronized void close() {
            ByteBuffer lent = buffer;
            buffer = null;
            if (lent != null) {
                takeBack(lent);
            }
        }

        @Override
        public boolean isOpen() {
            return buffer != null;
        }
    }
}
