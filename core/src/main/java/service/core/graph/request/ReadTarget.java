package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.value.CalendarText;

/** The state that a read refers to, fixed for its whole duration. */
public sealed interface ReadTarget {
    ReadTarget MAIN = new AtBranch("main");

    record AtBranch(String branch) implements ReadTarget {}

    /**
     * The state that a commit made.
     *
     * @param commitId a whole id; doors resolve any other ref before ({@code GraphAccess.commitId})
     */
    record AtSnapshot(String commitId) implements ReadTarget {}

    /**
     * The state that a branch pointed to at a time.
     *
     * @param time RFC 3339 with an offset, as the caller wrote it
     */
    record AtTime(String branch, String time) implements ReadTarget {
        private static final String PARAMETER = "`as_of`";

        public AtTime {
            micros(time, PARAMETER);
        }

        /** Microseconds since the epoch; further digits are cut off. */
        long micros() {
            return micros(time, PARAMETER);
        }

        /** @param what the message names */
        static long micros(String time, String what) {
            // Without an offset the text would mean another time on another machine.
            boolean offset = time.matches(".*([Zz]|[+-][0-9]{2}:[0-9]{2})");
            try {
                if (offset) {
                    return CalendarText.parseMicros(time);
                }
            } catch (IllegalArgumentException e) {
                throw malformed(time, what, e);
            }
            throw malformed(time, what, null);
        }

        private static ServiceException malformed(String time, String what, @Nullable Throwable cause) {
            return new ServiceException(
                    ErrorCode.BAD_REQUEST,
                    what + " must be a time in RFC 3339 with an offset, such as 2024-01-01T12:34:56.789Z, not `" + time
                            + "`",
                    null,
                    cause);
        }
    }

    /**
     * The target that a request names with these three parameters; {@code as_of} is allowed with {@code branch} only.
     *
     * @throws ServiceException BAD_REQUEST when they exclude each other
     */
    static ReadTarget of(@Nullable String branch, @Nullable String snapshot, @Nullable String asOf) {
        if (snapshot != null && (branch != null || asOf != null)) {
            throw ServiceException.badRequest(
                    (branch != null ? "`branch`" : "`as_of`") + " and `snapshot` exclude each other; give one of them");
        }
        if (snapshot != null) {
            return new AtSnapshot(snapshot);
        }
        if (asOf != null) {
            return new AtTime(branch == null ? "main" : branch, asOf);
        }
        return branch == null ? MAIN : new AtBranch(branch);
    }
}
