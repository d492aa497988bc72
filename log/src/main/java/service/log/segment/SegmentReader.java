package service.log.segment;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the events of a segment from a stream. The bytes are proved only at the end: {@link #finish} compares the
 * checksum, and the caller checks the chain of the events. One thread.
 */
final class SegmentReader implements AutoCloseable {
    /** The position of its length in an event. */
    private static final int LENGTH_AT = 8;

    private static final int BEGIN_BYTES = 12;

    private final SegmentHeader header;
    private final CheckedInputStream checked;
    private final WithoutEnd frame;
    private final ZstdInputStreamNoFinalizer events;
    private final ByteBuffer begin = ByteBuffer.allocate(BEGIN_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long left;
    private UnsafeBuffer event = new UnsafeBuffer(ByteBuffer.allocateDirect(64 << 10));

    /**
     * Reads the header.
     *
     * @throws Segment.Damage when the bytes are no segment
     */
    SegmentReader(InputStream object) throws IOException {
        frame = new WithoutEnd(object);
        checked = new CheckedInputStream(frame, new CRC32C());
        header = SegmentHeader.read(checked);
        events = new ZstdInputStreamNoFinalizer(checked);
        left = header.eventBytes();
    }

    SegmentHeader header() {
        return header;
    }

    /**
     * The next event; null at the end. Valid until the next call.
     *
     * @throws IOException when the segment is damaged
     */
    @Nullable
    UnsafeBuffer next() throws IOException {
        if (left == 0) {
            return null;
        }
        if (events.readNBytes(begin.array(), 0, BEGIN_BYTES) < BEGIN_BYTES) {
            throw new EOFException("its events end early");
        }
        int length = begin.getInt(LENGTH_AT);
        if (length < BEGIN_BYTES || length > left) {
            throw new Segment.Damage("length of an event");
        }
        if (length > event.capacity()) {
            event = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        }
        event.putBytes(0, begin.array());
        byte[] chunk = new byte[Math.min(length, 64 << 10)];
        for (int at = BEGIN_BYTES; at < length; ) {
            int count = events.read(chunk, 0, Math.min(chunk.length, length - at));
            if (count < 0) {
                throw new EOFException("its events end early");
            }
            event.putBytes(at, chunk, 0, count);
            at += count;
        }
        left -= length;
        return new UnsafeBuffer(event, 0, length);
    }

    /**
     * Reads to the end of the object.
     *
     * @throws Segment.Damage when its checksum differs or more bytes follow
     */
    void finish() throws IOException {
        if (left != 0 || events.read() >= 0) {
            throw new Segment.Damage("length of its events");
        }
        checked.transferTo(OutputStream.nullOutputStream());
        if (frame.end() != (int) checked.getChecksum().getValue()) {
            throw new Segment.Damage("checksum");
        }
    }

    @Override
    public void close() throws IOException {
        events.close();
    }

    /** All bytes of a stream but the last four. */
    private static final class WithoutEnd extends InputStream {
        private static final int END_BYTES = Integer.BYTES;

        private final InputStream in;
        private final byte[] held = new byte[64 << 10];
        private int from;
        private int to;
        private boolean ended;

        WithoutEnd(InputStream in) {
            this.in = in;
        }

        private boolean fill() throws IOException {
            while (to - from <= END_BYTES && !ended) {
                System.arraycopy(held, from, held, 0, to - from);
                to -= from;
                from = 0;
                int count = in.read(held, to, held.length - to);
                if (count < 0) {
                    ended = true;
                } else {
                    to += count;
                }
            }
            return to - from > END_BYTES;
        }

        @Override
        public int read() throws IOException {
            return fill() ? held[from++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int count = Math.min(length, to - from - END_BYTES);
            System.arraycopy(held, from, into, offset, count);
            from += count;
            return count;
        }

        /** The last four bytes, when all others were read. */
        int end() throws IOException {
            if (fill() || to - from < END_BYTES) {
                throw new EOFException("it ends early");
            }
            return ByteBuffer.wrap(held, from, END_BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getInt();
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
