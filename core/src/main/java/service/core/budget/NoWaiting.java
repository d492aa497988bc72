package service.core.budget;

import java.util.concurrent.Callable;

/**
 * Runs work on a thread that must not wait, such as the I/O thread of a server. Where the work would have to wait, it
 * ends with a {@link WouldWaitException}, and the caller repeats it from the start on a thread that may wait. So the
 * work must have no effect before the first point at which it may wait. Any thread.
 */
public final class NoWaiting {
    private static final ThreadLocal<Mark> MARKS = ThreadLocal.withInitial(Mark::new);

    private NoWaiting() {}

    /** Whether its thread must not wait now. */
    private static final class Mark {
        boolean set;
    }

    /** Thrown where the work would have waited; the work had no effect. */
    public static final class WouldWaitException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private WouldWaitException() {
            super("this thread must not wait", null, false, false);
        }
    }

    /**
     * Runs work on this thread until it would have to wait.
     *
     * @throws WouldWaitException when it would have to wait
     */
    public static <T> T call(Callable<T> work) throws Exception {
        Mark mark = MARKS.get();
        mark.set = true;
        try {
            return work.call();
        } finally {
            mark.set = false;
        }
    }

    /** Whether this thread must not wait. */
    public static boolean isHere() {
        return MARKS.get().set;
    }

    /**
     * Call this before a wait, or before work that may take long.
     *
     * @throws WouldWaitException on a thread that must not wait
     */
    public static void giveUp() {
        if (isHere()) {
            throw new WouldWaitException();
        }
    }
}
