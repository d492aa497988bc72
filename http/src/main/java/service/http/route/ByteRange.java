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
 * @param start the first byte
 * @param end the last byte, which is in the value
 */
record ByteRange(long start, long end) {
    private static final Pattern ONE = Pattern.compile("bytes=([0-9]*)-([0-9]*)", Pattern.CASE_INSENSITIVE);
    private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

    long length() {
        return end - start + 1;
    }

    /**
     * Reads the header {@code Range}; null for the whole value, which also stands for what is malformed, of other
     * units, or several ranges.
     *
     * @param values of the header
     * @param length of the value
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

    private static ByteRange suffix(long count, long length) {
        if (count == 0 || length == 0) {
            throw unsatisfiable(length, Math.max(0, length - 1), length);
        }
        return new ByteRange(Math.max(0, length - count), length - 1);
    }

    /** A number of any length; what no value reaches counts as the greatest. */
    private static long number(String digits) {
        return new BigInteger(digits).min(LONG_MAX).longValueExact();
    }

    private static ServiceException unsatisfiable(long start, long end, long length) {
        return new ServiceException(
                ErrorCode.RANGE_NOT_SATISFIABLE,
                "the range begins behind the end: the value has " + length + " bytes",
                new ErrorDetail.BlobRange(start, end, length));
    }
}
