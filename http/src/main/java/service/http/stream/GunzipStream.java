package service.http.stream;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.io.BlockInputStream;

/**
 * Reads a body with {@code Content-Encoding: gzip} as it arrives: one member or several, one after the other, as log
 * shippers send them. Every byte of the body belongs to a member with a right checksum and length, else the read throws
 * a {@code ServiceException} with BAD_REQUEST; Java's own stream passes over what follows the first member where it
 * cannot read it. Above the limit it throws RESOURCE_LIMIT, so that a small body cannot become a large one.
 *
 * <p>Holds memory outside of the heap from the first read until it is closed. Thread rule: one thread.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952</a>
 */
public final class GunzipStream extends BlockInputStream {
    private static final int PACKED_BYTES = 8 << 10;
    private static final int FIXED_REST_BYTES = 6;
    private static final int DEFLATE = 8;
    private static final int HEADER_CHECK = 2;
    private static final int EXTRA = 4;
    private static final int NAME = 8;
    private static final int COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private final InputStream in;
    private final long bytesMax;
    private final CRC32 sum = new CRC32();
    private final byte[] packed = new byte[PACKED_BYTES];
    private @Nullable Inflater inflater;
    private int at;
    private int limit;
    private long total;
    private boolean isOpen;
    private boolean isFirst = true;
    private boolean isEnded;

    /**
     * A stream over a body of which nothing has been read.
     *
     * @param bytesMax of the body without compression
     */
    public GunzipStream(InputStream in, long bytesMax) {
        this.in = in;
        this.bytesMax = bytesMax;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Inflater data = inflater();
        while (length > 0) {
            if (isEnded || (!isOpen && !begin(data))) {
                return -1;
            }
            int count = inflate(data, into, offset, length);
            if (count > 0) {
                sum.update(into, offset, count);
                total += count;
                if (total > bytesMax) {
                    throw BodyReader.tooLarge(bytesMax, null);
                }
                return count;
            }
            if (data.finished()) {
                end(data);
            } else if (data.needsInput()) {
                at = limit;
                requireMore();
                data.setInput(packed, at, limit - at);
            } else {
                throw refused("it needs a dictionary");
            }
        }
        return 0;
    }

    private Inflater inflater() {
        Inflater now = inflater == null ? new Inflater(true) : inflater;
        inflater = now;
        return now;
    }

    private static int inflate(Inflater data, byte[] into, int offset, int length) {
        try {
            return data.inflate(into, offset, length);
        } catch (DataFormatException e) {
            throw refused("its data is damaged");
        }
    }

    /** Reads the head of a member; returns false at the end of the body. */
    private boolean begin(Inflater data) throws IOException {
        if (at == limit && !fill()) {
            isEnded = true;
            if (isFirst) {
                throw refused("it is empty");
            }
            return false;
        }
        if (next() != 0x1F || next() != 0x8B || next() != DEFLATE) {
            throw refused(isFirst ? "it does not begin as one" : "something else follows its end");
        }
        int flags = next();
        if ((flags & RESERVED) != 0) {
            throw refused("it has flags that are not known");
        }
        skip(FIXED_REST_BYTES);
        if ((flags & EXTRA) != 0) {
            skip(next() | next() << 8);
        }
        for (int text = NAME; text <= COMMENT; text <<= 1) {
            while ((flags & text) != 0 && next() != 0) {
                // The name or the comment is of no interest.
            }
        }
        skip((flags & HEADER_CHECK) == 0 ? 0 : 2);
        data.reset();
        data.setInput(packed, at, limit - at);
        sum.reset();
        isOpen = true;
        isFirst = false;
        return true;
    }

    /** Reads the end of a member, which has its checksum and its length. */
    private void end(Inflater data) throws IOException {
        at = limit - data.getRemaining();
        if (number() != sum.getValue()) {
            throw refused("its checksum is not that of its data");
        }
        if (number() != (data.getBytesWritten() & 0xFFFF_FFFFL)) {
            throw refused("its length is not that of its data");
        }
        isOpen = false;
    }

    private long number() throws IOException {
        return next() | next() << 8 | next() << 16 | (long) next() << 24;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    private int next() throws IOException {
        if (at == limit) {
            requireMore();
        }
        return packed[at++] & 0xFF;
    }

    private void requireMore() throws IOException {
        if (!fill()) {
            throw refused("it ends too early");
        }
    }

    private boolean fill() throws IOException {
        int count = in.read(packed, 0, packed.length);
        at = 0;
        limit = Math.max(0, count);
        return count > 0;
    }

    private static ServiceException refused(String why) {
        return ServiceException.badRequest(
                "the body is not gzip, which `Content-Encoding` announces: " + why + "; nothing was written");
    }

    @Override
    public void close() {
        Inflater data = inflater;
        if (data != null) {
            data.end();
            isEnded = true;
        }
    }
}
