package service.core.blob;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.value.Sha256;
import service.core.value.Value;

/**
 * The managed bytes of one request until its write is over. Each content is stored once; the first
 * {@link #HEAP_BYTES_MAX} bytes are on the heap, further bytes in a file that is deleted on close. A request of 32 MiB
 * therefore holds 256 KiB of heap while it waits for the writer.
 *
 * <p>One thread at a time stages: the request's, then the writer's. Reading and {@link #keep} may run concurrently with
 * it.
 */
public final class StagedBlobs implements AutoCloseable {
    /** Maximum number of bytes of one request ({@code docs/blobs.md}), which one commit makes durable at once. */
    public static final int BYTES_MAX = 32 << 20;

    static final int HEAP_BYTES_MAX = 256 << 10;

    /** A stage for writes without blobs. */
    public static final StagedBlobs NONE = new StagedBlobs(null, true);

    private final StageFile.@Nullable Opener files;
    private final boolean keeps;
    private final Map<Value.ManagedBlob, Long> starts = new ConcurrentHashMap<>();
    private final Map<Value.ManagedBlob, byte[]> kept = new ConcurrentHashMap<>();
    private byte[] heap = new byte[0];
    private @Nullable StageFile file;
    private long finished;
    private final AtomicLong keptBytes = new AtomicLong();
    private @Nullable Incoming open;

    private StagedBlobs(StageFile.@Nullable Opener files, boolean keeps) {
        this.files = files;
        this.keeps = keeps;
    }

    /** A stage that measures and hashes the bytes and stores none. */
    static StagedBlobs measuring() {
        return new StagedBlobs(null, false);
    }

    /**
     * An empty stage.
     *
     * @param files opens its file, if it needs one
     */
    public static StagedBlobs in(StageFile.Opener files) {
        return new StagedBlobs(files, true);
    }

    /** A blob whose bytes are still arriving. */
    final class Incoming {
        private final MessageDigest digest = Sha256.begin();
        private long length;

        void write(byte[] bytes, int count) {
            if (finished + length + count > BYTES_MAX) {
                throw tooMuch();
            }
            append(finished + length, bytes, count);
            digest.update(bytes, 0, count);
            length += count;
        }

        long length() {
            return length;
        }

        /** Copies bytes from an offset and returns their number. */
        int read(long offset, byte[] into) {
            int count = (int) Math.min(into.length, length - offset);
            copy(finished + offset, into, 0, count);
            return count;
        }

        /** Ends the blob and stores it, unless the stage has the same content already. */
        Value.ManagedBlob finish() {
            Value.ManagedBlob blob = new Value.ManagedBlob(digest.digest(), length);
            if (keeps && starts.putIfAbsent(blob, finished) == null) {
                finished += length;
            }
            open = null;
            return blob;
        }

        /** Ends the blob and drops it. */
        void drop() {
            open = null;
        }
    }

    /** Begins a blob; one at a time. */
    Incoming begin() {
        if (open != null || (keeps && files == null)) {
            throw new IllegalStateException("no blob can be staged here now");
        }
        Incoming incoming = new Incoming();
        open = incoming;
        return incoming;
    }

    /** Stores a whole blob on the heap. */
    Value.ManagedBlob keep(byte[] bytes) {
        Value.ManagedBlob blob = new Value.ManagedBlob(Sha256.of(bytes), bytes.length);
        if (kept.putIfAbsent(blob, bytes) == null && keptBytes.addAndGet(bytes.length) > BYTES_MAX) {
            throw tooMuch();
        }
        return blob;
    }

    private static ServiceException tooMuch() {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT,
                "one write takes at most " + BYTES_MAX + " bytes of blobs; split it",
                new ErrorDetail.ResourceLimit("blob_bytes", BYTES_MAX, null));
    }

    public boolean isEmpty() {
        return starts.isEmpty() && kept.isEmpty();
    }

    /** Whether {@link #close} would release anything. */
    public boolean isHolding() {
        return !isEmpty() || file != null;
    }

    /** The number of bytes of all blobs. */
    public long bytes() {
        return finished + keptBytes.get();
    }

    public boolean contains(Value.ManagedBlob blob) {
        return starts.containsKey(blob) || kept.containsKey(blob);
    }

    /** Copies {@code count} bytes of a staged blob, from an offset. */
    public void read(Value.ManagedBlob blob, long offset, byte[] into, int count) {
        byte[] whole = kept.get(blob);
        if (whole != null) {
            System.arraycopy(whole, (int) offset, into, 0, count);
            return;
        }
        Long start = starts.get(blob);
        if (start == null || offset + count > blob.size()) {
            throw new IllegalArgumentException("no such bytes: " + blob.hex());
        }
        copy(start + offset, into, 0, count);
    }

    private synchronized void append(long at, byte[] bytes, int count) {
        if (!keeps) {
            return;
        }
        if (file == null && at + count <= HEAP_BYTES_MAX) {
            if (at + count > heap.length) {
                int room = (int) Math.max(at + count, Math.min(HEAP_BYTES_MAX, 2L * heap.length));
                heap = Arrays.copyOf(heap, room);
            }
            System.arraycopy(bytes, 0, heap, (int) at, count);
            return;
        }
        spilled(at).write(at, bytes, count);
    }

    /** The file. When it is created, the bytes on the heap are copied into it. */
    private StageFile spilled(long heapBytes) {
        StageFile current = file;
        if (current == null) {
            if (files == null) {
                throw new IllegalStateException("nothing is staged here");
            }
            current = files.open();
            file = current;
            current.write(0, heap, (int) heapBytes);
            heap = new byte[0];
        }
        return current;
    }

    private synchronized void copy(long at, byte[] into, int offset, int count) {
        StageFile from = file;
        if (from == null) {
            System.arraycopy(heap, (int) at, into, offset, count);
        } else {
            from.read(at, into, offset, count);
        }
    }

    /** Releases the bytes. Idempotent. */
    @Override
    public synchronized void close() {
        StageFile current = file;
        file = null;
        heap = new byte[0];
        starts.clear();
        kept.clear();
        if (current != null) {
            current.close();
        }
    }
}
