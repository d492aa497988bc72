package service.core.graph.load;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import service.core.error.ServiceException;
import service.core.io.BlockInputStream;

/**
 * Passes on bytes as long as they are UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
 * U+10FFFF) and not NUL; refuses the first other byte with its line. All bytes before it are passed on first, so that
 * an earlier fault is reported first.
 */
final class Utf8Input extends BlockInputStream {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long LOW_BITS = 0x0101010101010101L;

    /** The first two bytes of a file that gzip has packed. */
    private static final int GZIP = 0x1F;

    private static final int GZIP_NEXT = 0x8B;

    private final InputStream in;
    private int line;

    /** The number of missing continuation bytes, and the range of the next one. */
    private int missing;

    private int low = 0x80;
    private int high = 0xBF;
    private boolean bad;
    private long passed;

    /** The first byte of the input, and the byte that was refused. */
    private int first = -1;

    private int refused = -1;

    /** @param line the line on which the input begins */
    Utf8Input(InputStream in, int line) {
        this.in = in;
        this.line = line;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (bad) {
            throw refusal();
        }
        int n = in.read(into, offset, length);
        if (n < 0) {
            if (missing > 0) {
                throw refusal();
            }
            return n;
        }
        if (first < 0 && n > 0) {
            first = into[offset] & 0xFF;
        }
        int good = check(into, offset, n);
        passed += good;
        if (good < n) {
            bad = true;
            refused = into[offset + good] & 0xFF;
            if (good == 0) {
                throw refusal();
            }
        }
        return good;
    }

    private ServiceException refusal() {
        String fault =
                refused == 0 && !isUtf16() ? "the text holds the character NUL" : "the text is not UTF-8" + seems();
        return ServiceException.badRequest("line " + line + ": " + fault);
    }

    /** What the input seems to be instead, by how it begins. */
    private String seems() {
        if (first == GZIP && refused == GZIP_NEXT && passed == 1) {
            return "; it looks like gzip: unpack it first";
        }
        return isUtf16() ? "; it looks like UTF-16: save it as UTF-8" : "";
    }

    /** Such a text begins with a mark, or has a NUL beside its first character. */
    private boolean isUtf16() {
        return (passed == 0 && (refused == 0xFF || refused == 0xFE)) || (passed <= 1 && refused == 0);
    }

    /** The number of valid bytes. */
    private int check(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (i < end) {
            if (missing == 0 && i + 8 <= end) {
                long eight = (long) LONGS.get(bytes, i);
                long newlines = eight ^ 0x0A0A0A0A0A0A0A0AL;
                boolean special = (((eight - LOW_BITS) | (newlines - LOW_BITS) | eight) & HIGH_BITS) != 0;
                if (!special) {
                    i += 8;
                    continue;
                }
            }
            if (!accept(bytes[i] & 0xFF)) {
                return i - offset;
            }
            i++;
        }
        return length;
    }

    private boolean accept(int b) {
        if (missing > 0) {
            if (b < low || b > high) {
                return false;
            }
            low = 0x80;
            high = 0xBF;
            missing--;
            return true;
        }
        if (b < 0x80) {
            if (b == '\n') {
                line++;
            }
            return b != 0;
        }
        if (b >= 0xC2 && b <= 0xDF) {
            missing = 1;
        } else if (b >= 0xE0 && b <= 0xEF) {
            missing = 2;
            low = b == 0xE0 ? 0xA0 : 0x80;
            high = b == 0xED ? 0x9F : 0xBF;
        } else if (b >= 0xF0 && b <= 0xF4) {
            missing = 3;
            low = b == 0xF0 ? 0x90 : 0x80;
            high = b == 0xF4 ? 0x8F : 0xBF;
        } else {
            return false;
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
