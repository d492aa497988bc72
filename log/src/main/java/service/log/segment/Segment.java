package service.log.segment;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.agrona.DirectBuffer;
import service.core.event.EncodedEvent;
import service.core.port.ObjectStore;
import service.core.value.Ulid;
import service.log.group.EncodedGroup;

/**
 * The bytes of one segment, which do not change any more: they are put again, under the same key, until the outcome is
 * known. Close it afterwards. One thread at a time.
 */
final class Segment implements ObjectStore.Content, AutoCloseable {
    private static final int LEVEL = 3;
    private static final int COPY_BYTES = 64 << 10;

    /** The bytes of an object are not a segment, or not the one that belongs at its place. */
    static final class Damage extends IOException {
        private static final long serialVersionUID = 1L;

        Damage(String finding) {
            super(finding);
        }
    }

    private final SegmentHeader header;
    private final SpooledBytes bytes;

    private Segment(SegmentHeader header, SpooledBytes bytes) {
        this.header = header;
        this.bytes = bytes;
    }

    /** Makes the segment of a group that is not empty. */
    static Segment of(Ulid graph, EncodedGroup group, SpooledBytes.Place place) throws IOException {
        List<EncodedGroup.Part> parts = group.parts();
        long eventBytes = 0;
        for (EncodedGroup.Part part : parts) {
            eventBytes += part.event().length();
        }
        SegmentHeader header = new SegmentHeader(
                graph,
                group.before().offset() + 1,
                group.tail().offset(),
                group.before().hash(),
                group.tail().hash(),
                eventBytes,
                new byte[0]);
        return write(header, place, events -> {
            for (EncodedGroup.Part part : parts) {
                part.event().forEachPiece(events);
            }
        });
    }

    /** Passes the events of a segment on. */
    interface Source {
        void writeTo(EncodedEvent.Pieces events);
    }

    /** Makes a segment. */
    static Segment write(SegmentHeader header, SpooledBytes.Place place, Source source) throws IOException {
        SpooledBytes spool = new SpooledBytes(place);
        try {
            CRC32C crc = new CRC32C();
            OutputStream out = new CheckedOutputStream(spool, crc);
            out.write(header.encode());
            try (Compressed events = new Compressed(out)) {
                source.writeTo(events);
            }
            spool.write(ByteBuffer.allocate(Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt((int) crc.getValue())
                    .array());
            return new Segment(header, spool);
        } catch (IOException | RuntimeException e) {
            spool.close();
            throw e;
        }
    }

    SegmentHeader header() {
        return header;
    }

    @Override
    public long length() {
        return bytes.length();
    }

    @Override
    public InputStream open() throws IOException {
        return bytes.open();
    }

    /** Whether a stream has the bytes of this segment, to its end. */
    boolean isSame(InputStream other) throws IOException {
        try (InputStream own = open()) {
            while (true) {
                byte[] mine = own.readNBytes(COPY_BYTES);
                if (!Arrays.equals(mine, other.readNBytes(COPY_BYTES))) {
                    return false;
                }
                if (mine.length == 0) {
                    return true;
                }
            }
        }
    }

    @Override
    public void close() {
        bytes.close();
    }

    /** Compresses pieces of events. */
    private static final class Compressed implements EncodedEvent.Pieces, AutoCloseable {
        private final ZstdOutputStreamNoFinalizer zstd;
        private final byte[] chunk = new byte[COPY_BYTES];

        /** @param out stays open */
        Compressed(OutputStream out) throws IOException {
            zstd = new ZstdOutputStreamNoFinalizer(
                    new FilterOutputStream(out) {
                        @Override
                        public void write(byte[] from, int offset, int count) throws IOException {
                            out.write(from, offset, count);
                        }

                        @Override
                        public void close() {}
                    },
                    LEVEL);
        }

        @Override
        public void take(DirectBuffer bytes, int index, int length) {
            try {
                for (int at = 0; at < length; at += chunk.length) {
                    int count = Math.min(chunk.length, length - at);
                    bytes.getBytes(index + at, chunk, 0, count);
                    zstd.write(chunk, 0, count);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            zstd.close();
        }
    }
}
