package service.log.spill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.budget.MemoryPool;
import service.core.budget.Spill;
import service.core.budget.SpillSpace;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.lmdb.StorageFailure;

/**
 * Spills in temporary files. Each file is deleted from its directory as soon as it is open, so that its space returns
 * to the file system when it is closed or when the process ends, however it ends. Bytes are written through the channel
 * and only then mapped for reading, so that a full disk is an error of {@link Spill#append} and never a fault of a
 * mapped page. Any thread; each spill as {@link Spill} says.
 */
public final class FileSpillSpace implements SpillSpace {
    private static final int COPY_BYTES = 256 << 10;

    /** Copy buffers of all spills together: memory that no account counts, so there is a fixed number. */
    private static final int COPIES = 4;

    private static final Logger LOG = LoggerFactory.getLogger(FileSpillSpace.class);

    /** At most one warning in this time: each request of a server may fail. */
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong warnedNanos = new AtomicLong(System.nanoTime() - WARN_NANOS);
    private final Path directory;

    /** Counts bytes on disk as the memory pool counts bytes on the heap. */
    private final MemoryPool space;

    private final Semaphore copying = new Semaphore(COPIES, true);
    private final Queue<ByteBuffer> copies = new ConcurrentLinkedQueue<>();

    /**
     * A spill space.
     *
     * @param directory an existing directory on a disk
     * @param bytesMax bytes of all open spills together
     */
    public FileSpillSpace(Path directory, long bytesMax) {
        this.directory = directory;
        this.space = new MemoryPool(bytesMax);
    }

    /** Why no temporary file can be made in a directory; null when one can. Makes one and deletes it. */
    public static @Nullable String unusable(Path directory) {
        try {
            Files.delete(temporary(directory));
            return null;
        } catch (IOException e) {
            return StorageFailure.why(e);
        }
    }

    private static Path temporary(Path directory) throws IOException {
        return Files.createTempFile(directory, "service-", ".spill");
    }

    @Override
    public long used() {
        return space.used();
    }

    @Override
    public Spill open() {
        try {
            Path file = temporary(directory);
            FileChannel channel;
            try {
                channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } catch (Throwable e) {
                Files.deleteIfExists(file);
                throw e;
            }
            try {
                Files.delete(file);
                return new FileSpill(channel);
            } catch (Throwable e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void addReclaimer(MemoryPool.Reclaimer reclaimer) {
        space.addReclaimer(reclaimer);
    }

    /** The path is for the log: the caller may be a client of a server. */
    private ServiceException failed(IOException cause) {
        String why = StorageFailure.why(cause);
        long now = System.nanoTime();
        long last = warnedNanos.get();
        if (now - last >= WARN_NANOS && warnedNanos.compareAndSet(last, now)) {
            LOG.warn("{}: a temporary file cannot be written ({})", directory, why);
        }
        String message;
        if (!Files.isDirectory(directory)) {
            message = "no temporary file can be made: the directory that SERVICE_SPILL_DIRECTORY names is missing; make"
                    + " it again, or name another one and restart";
        } else if (!Files.isWritable(directory)) {
            message =
                    "no temporary file can be made: the directory that SERVICE_SPILL_DIRECTORY names cannot be written;"
                            + " allow it, or name another one and restart";
        } else {
            message = "a temporary file cannot be written (" + why + "): free space in the directory that"
                    + " SERVICE_SPILL_DIRECTORY names, or name another one and restart";
        }
        return new ServiceException(ErrorCode.STORAGE_FULL, message, null, cause);
    }

    private final class FileSpill implements Spill {
        private final FileChannel channel;
        private @Nullable MappedByteBuffer mapped;
        private long length;
        private boolean closed;

        FileSpill(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void append(DirectBuffer from, int index, int count) {
            if (!space.tryReserve(count)) {
                throw new ServiceException(
                        ErrorCode.OVERLOADED,
                        "the server has no temporary disk space free for this request at the moment ("
                                + space.bytesMax() + " bytes in all, SERVICE_SPILL_BYTES); try again later");
            }
            length += count;
            copying.acquireUninterruptibly();
            ByteBuffer copy = copies.poll();
            try {
                copy = copy == null ? ByteBuffer.allocateDirect(COPY_BYTES) : copy;
                write(from, index, count, copy);
            } catch (IOException e) {
                throw failed(e);
            } finally {
                if (copy != null) {
                    copies.add(copy);
                }
                copying.release();
            }
        }

        private void write(DirectBuffer from, int index, int count, ByteBuffer copy) throws IOException {
            int done = 0;
            while (done < count) {
                int part = Math.min(COPY_BYTES, count - done);
                copy.clear();
                from.getBytes(index + done, copy, part);
                copy.flip();
                while (copy.hasRemaining()) {
                    channel.write(copy);
                }
                done += part;
            }
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public DirectBuffer map() {
            if (length == 0) {
                return new UnsafeBuffer(new byte[0]);
            }
            try {
                MappedByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
                mapped = bytes;
                return new UnsafeBuffer(bytes);
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void detach() {
            // Its opener closes it.
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            if (mapped != null) {
                IoUtil.unmap(mapped);
            }
            try {
                channel.close();
            } catch (IOException e) {
                throw failed(e);
            } finally {
                space.release(length);
            }
        }
    }
}
