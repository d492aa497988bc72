package service.core.lifecycle;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Closes several things of which none may keep the others open. */
public final class Closing {
    private Closing() {}

    /**
     * Closes all in their order, also when some fail.
     *
     * @throws RuntimeException the first failure, with the others as suppressed ones; an {@code Error} likewise
     */
    public static void all(List<? extends AutoCloseable> all) {
        Throwable first = null;
        for (AutoCloseable each : all) {
            try {
                each.close();
            } catch (Throwable e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        rethrow(first);
    }

    /** Closes all in their order, as {@link #all(List)} does. */
    public static void all(AutoCloseable... all) {
        all(List.of(all));
    }

    private static void rethrow(@Nullable Throwable failure) {
        switch (failure) {
            case null -> {}
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            default -> throw new IllegalStateException(failure);
        }
    }
}
