package service.core.budget;

import java.util.concurrent.Callable;

/**
 * Work on a thread that must not wait, such as the I/O thread of a server: where it would have to, it is given up with
 * a {@link WouldWaitException}, and its caller does it again, from the start, on a thread that may. So the work must
 * have no effect before it asks for what it may wait for. Any thread.
 */
public final class NoWaiting {
    private static final ThreadLocal<Boolean> HERE = ThreadLocal.withInitial(() -> false);

    private NoWaiting() {}

    /** The work was given up, without an effect, where it would have waited. */
    public static final class WouldWaitException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private WouldWaitException() {
            super("this thread must not wait", null, false, false);
        }
    }

    /**
     * Does work on this thread as long as it need not wait.
     *
     * @throws WouldWaitException when it has to
     */
    public static <T> T call(Callable<T> work) throws Exception {
        HERE.set(true);
        try {
            return work.call();
        } finally {
            HERE.set(false);
        }
    }

    /** Whether this thread must not wait. */
    public static boolean isHere() {
        return HERE.get();
    }

    /**
     * To be called before a wait, or before work that may be long.
     *
     * @throws WouldWaitException on a thread that must not wait
     */
    public static void giveUp() {
        if (isHere()) {
            throw new WouldWaitException();
        }
    }
}
