package service.core.lifecycle;

/** Waits that an interrupt does not end. Any thread. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Something to wait for. */
    @FunctionalInterface
    public interface Wait<T, E extends Exception> {
        /**
         * Waits. It is called again after an interrupt, so it begins by asking whether there is still something to wait
         * for.
         */
        T get() throws InterruptedException, E;
    }

    /**
     * Repeats a wait until it returns, or throws something else than {@link InterruptedException}. A thread that was
     * interrupted meanwhile is marked as interrupted afterwards.
     */
    public static <T, E extends Exception> T get(Wait<T, E> wait) throws E {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
