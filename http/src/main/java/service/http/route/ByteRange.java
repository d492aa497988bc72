package service.http.route;

import java.math.BigInteger;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;

/**
 * One range of bytes (RFC 9110 §14): {@code a-b}, {@code a-} or {@code -n} of a value.
 *
 * <p>Undertow's {@code ByteRange} does not fit: it refuses {@code BYTES=} and numbers beyond a long, and accepts
 * {@code bytes=+0-1} and {@code bytes=0-1,}.
 *
 * @param start offset of the first byte
 * @param end offset of the last byte; less than the length of the value
 */
record ByteRange(long start, long end) {
    private static final Pattern ONE = Pattern.compile("bytes=([0-9]*)-([0-9]*)", Pattern.CASE_INSENSITIVE);
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    long length() {
        return end - start + 1;
    }

    /**
     * Reads the header {@code Range}. Returns null, which means the whole value, when the header is absent, malformed,
     * in another unit or has several ranges.
     *
     * @param values all values of the header
     * @param length of the value in bytes
     * @throws ServiceException RANGE_NOT_SATISFIABLE when no byte of the range is in the value
     */
    static @Nullable ByteRange of(List<String> values, long length) {
        Matcher one = values.size() == 1 ? ONE.matcher(values.getFirst().strip()) : null;
        if (one == null || !one.matches()) {
            return null;
        }
        String first = one.group(1);
        String last = one.group(2);
        if (first.isEmpty()) {
            return last.isEmpty() ? null : suffix(number(last), length);
        }
        long start = number(first);
        long end = last.isEmpty() ? Long.MAX_VALUE : number(last);
        if (end < start) {
            return null;
        }
        if (start >= length) {
            throw unsatisfiable(start, last.isEmpty() ? Math.max(0, length - 1) : end, length);
        }
        return new ByteRange(start, Math.min(end, length - 1));
    }

    /** The last bytes; those of an empty value are the whole value (RFC 9110, section 14.1.2). */
    private static @Nullable ByteRange suffix(long count, long length) {
        if (count == 0) {
            throw unsatisfiable(length, Math.max(0, length - 1), length);
        }
        if (length == 0) {
            return null;
        }
        return new ByteRange(Math.max(0, length - count), length - 1);
    }

    /** Parses digits; a number beyond {@code Long.MAX_VALUE} becomes {@code Long.MAX_VALUE}. */
    private static long number(String digits) {
        return new BigInteger(digits).min(LONG_MAX).longValueExact();
    }

    private static ServiceException unsatisfiable(long start, long end, long length) {
        return new ServiceException(
                ErrorCode.RANGE_NOT_SATISFIABLE,
                "the range begins after the end: the value has " + length + " bytes",
                new ErrorDetail.BlobRange(start, end, length));
    }
}
