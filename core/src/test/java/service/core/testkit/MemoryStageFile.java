package service.core.testkit;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import service.core.blob.StageFile;

/** A stage's file on the heap. */
public final class MemoryStageFile implements StageFile {
    private final AtomicInteger open;
    private byte[] bytes = new byte[0];
    private int length;
    private boolean closed;

    /** @param open counts the files that are not closed */
    public MemoryStageFile(AtomicInteger open) {
        this.open = open;
        open.incrementAndGet();
    }

    @Override
    public void write(long at, byte[] from, int count) {
        if (closed || at > length) {
            throw new IllegalStateException(closed ? "closed" : at + " is beyond " + length);
        }
        int end = (int) at + count;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        System.arraycopy(from, 0, bytes, (int) at, count);
        length = Math.max(length, end);
    }

    @Override
    public void read(long at, byte[] into, int offset, int count) {
        if (closed || at + count > length) {
            throw new IllegalStateException(closed ? "closed" : (at + count) + " is beyond " + length);
        }
        System.arraycopy(bytes, (int) at, into, offset, count);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            open.decrementAndGet();
        }
    }
}
