package service.log.segment;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.event.EventFormatException;
import service.core.port.ObjectStoreException;
import service.core.value.Sha256;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.log.format.GraphImages.Kind;
import service.log.lmdb.StorageFailure;
import service.log.retain.BaseFile;

/**
 * Makes the copy of a log from the newest image of a bucket that verifies: its bytes have the digest of its name, and a
 * segment ends where it ends or continues it. A checkpoint is used only if it was made of a copy of the newest base
 * image. One that is damaged is passed over for the one before. Only reads the bucket. One thread.
 */
final class ImageRestore {
    private static final Logger LOG = LoggerFactory.getLogger(ImageRestore.class);
    private static final int BUFFER = 1 << 20;
    private static final int TABLES_MAGIC_BYTES = 4;

    /** Of the blobs that images of earlier versions name. */
    private static final int DIGEST_BYTES = 32;

    private final ImageStore images;
    private final Path directory;
    private final Supplier<EventLog> opening;
    private final Predicate<ImageHeader> isContinued;
    private @Nullable ImageKey missingBase;
    private List<ImageKey> checkpoints = List.of();

    /**
     * A restore.
     *
     * @param directory of the copy, empty
     * @param opening opens the copy
     * @param isContinued whether the segments of the bucket continue an image
     */
    ImageRestore(ImageStore images, Path directory, Supplier<EventLog> opening, Predicate<ImageHeader> isContinued) {
        this.images = images;
        this.directory = directory;
        this.opening = opening;
        this.isContinued = isContinued;
    }

    /** An image, and why it cannot be used. */
    private static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        Unusable(String finding) {
            super(finding, null, false, false);
        }
    }

    /** A base image that a checkpoint names and the bucket does not have; null when none is known. */
    @Nullable
    ImageKey missingBase() {
        return missingBase;
    }

    /**
     * Makes the copy and opens it.
     *
     * @return null when there is no image, and the graph must be read from its first segment
     * @throws EventFormatException naming the base image when it is damaged and no checkpoint has its events, or naming
     *     a damaged checkpoint with {@code EVERY_OBJECT}
     */
    @Nullable
    EventLog run(SegmentedLog.Source source) {
        checkpoints = source == SegmentedLog.Source.WHOLE_LOG
                ? List.of()
                : images.list(Kind.CHECKPOINT).reversed();
        ImageKey base = images.newestBase();
        for (ImageKey checkpoint : checkpoints) {
            if (source == SegmentedLog.Source.EVERY_OBJECT) {
                check(checkpoint);
            } else if (base == null || checkpoint.offset() >= base.offset()) {
                try {
                    return take(Kind.CHECKPOINT, checkpoint, base);
                } catch (Unusable e) {
                    LOG.warn("{} is passed over: {}", images.uri(Kind.CHECKPOINT, checkpoint), e.getMessage());
                }
            }
        }
        if (base == null) {
            return null;
        }
        try {
            return take(Kind.BASE, base, base);
        } catch (Unusable e) {
            throw EventFormatException.damaged(base.offset(), images.uri(Kind.BASE, base) + ": " + e.getMessage());
        }
    }

    /**
     * A sound checkpoint of the graph that has events after the end of its log; null when there is none. Segments are
     * missing then, because a checkpoint is made of events whose segments are stored.
     */
    @Nullable
    ImageKey checkpointAfter(EventLog log) {
        for (ImageKey checkpoint : checkpoints) {
            if (checkpoint.offset() > log.tail().offset()
                    && isOf(checkpoint, log)
                    && checkpoint.digest().equals(images.digest(Kind.CHECKPOINT, checkpoint))) {
                return checkpoint;
            }
        }
        return null;
    }

    private boolean isOf(ImageKey checkpoint, EventLog log) {
        try (InputStream stored = images.read(Kind.CHECKPOINT, checkpoint)) {
            if (stored == null) {
                return false;
            }
            try (InputStream in = new ZstdInputStreamNoFinalizer(stored)) {
                return ImageHeader.read(in).graph().equals(log.graph());
            }
        } catch (IOException damaged) {
            return false;
        }
    }

    private void check(ImageKey checkpoint) {
        String digest = images.digest(Kind.CHECKPOINT, checkpoint);
        if (digest != null && !digest.equals(checkpoint.digest())) {
            throw EventFormatException.damaged(
                    checkpoint.offset(),
                    images.uri(Kind.CHECKPOINT, checkpoint) + ": its bytes do not have the digest in its name");
        }
    }

    private static boolean isDigest(ImageKey image, MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest()).equals(image.digest());
    }

    private EventLog take(Kind kind, ImageKey image, @Nullable ImageKey base) throws Unusable {
        EventLog log = null;
        try {
            ImageHeader header = unpack(kind, image, base);
            log = opening.get();
            if (!log.graph().equals(header.graph())
                    || log.tail().offset() != header.offset()
                    || !Arrays.equals(log.tail().hash(), header.hash())) {
                throw new Unusable("its log does not end as it says");
            }
            if (base != null) {
                new CopyOrigin(directory).write(new CopyOrigin.Base(base, header.madeMicros(), log.retention()));
            }
            EventLog opened = log;
            log = null;
            return opened;
        } catch (IOException | EventFormatException | StorageFailure e) {
            throw new Unusable(String.valueOf(e.getMessage()));
        } finally {
            if (log != null) {
                log.close();
            }
        }
    }

    private ImageHeader unpack(Kind kind, ImageKey image, @Nullable ImageKey base) throws IOException, Unusable {
        FileTrees.delete(directory);
        Files.createDirectories(directory);
        MessageDigest digest = Sha256.begin();
        try (InputStream stored = images.read(kind, image)) {
            if (stored == null) {
                throw new Unusable("it is missing");
            }
            DigestInputStream bytes = new DigestInputStream(stored, digest);
            ImageHeader header;
            try (InputStream in = new ZstdInputStreamNoFinalizer(bytes)) {
                header = ImageHeader.read(in);
                requireUsable(kind, image, header, base);
                copy(in, directory.resolve(EventLog.DIRECTORY).resolve("data.mdb"), header.logBytes());
                copyTables(in, header);
                byte[] count = in.readNBytes(Long.BYTES);
                if (count.length < Long.BYTES) {
                    throw new EOFException("it ends before its list of blobs");
                }
                long blobs =
                        ByteBuffer.wrap(count).order(ByteOrder.LITTLE_ENDIAN).getLong();
                if (blobs < 0 || blobs > Integer.MAX_VALUE) {
                    throw new Segment.Damage("number of its blobs");
                }
                in.skipNBytes(blobs * DIGEST_BYTES);
                if (in.read() >= 0) {
                    throw new Segment.Damage("bytes after its end");
                }
                bytes.transferTo(OutputStream.nullOutputStream());
            }
            if (!isDigest(image, digest)) {
                throw new Unusable("its bytes do not have the digest in its name");
            }
            return header;
        }
    }

    private void requireUsable(Kind kind, ImageKey image, ImageHeader header, @Nullable ImageKey base) throws Unusable {
        if (header.offset() != image.offset()) {
            throw new Unusable("it ends with event " + header.offset());
        }
        if (kind == Kind.CHECKPOINT && !Objects.equals(header.base(), base)) {
            ImageKey named = header.base();
            if (base == null && named != null) {
                missingBase = named;
                throw new Unusable("its base image " + images.uri(Kind.BASE, named) + " is missing");
            }
            throw new Unusable("it was made without the newest base image");
        }
        if (!isContinued.test(header)) {
            throw new Unusable("no segment of the graph continues it");
        }
    }

    /** The file of the tables becomes the checkpoint of the copy, under the name that fits its first bytes. */
    private void copyTables(InputStream in, ImageHeader header) throws IOException {
        PushbackInputStream tables = new PushbackInputStream(in, TABLES_MAGIC_BYTES);
        byte[] first = tables.readNBytes((int) Math.min(TABLES_MAGIC_BYTES, header.tableBytes()));
        tables.unread(first);
        String name = BaseFile.name(header.tables(), BaseFile.ending(first));
        copy(tables, directory.resolve("checkpoint").resolve(name), header.tableBytes());
    }

    private static void copy(InputStream in, Path file, long length) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        byte[] buffer = new byte[(int) Math.min(BUFFER, Math.max(1, length))];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long left = length; left > 0; ) {
                if (Thread.currentThread().isInterrupted()) {
                    throw new ObjectStoreException(
                            ObjectStoreException.Kind.UNREACHABLE, file + ": interrupted", null, null);
                }
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (count < 0) {
                    throw new EOFException("it ends before its length");
                }
                out.write(buffer, 0, count);
                left -= count;
            }
        }
    }
}
