package service.core.gq.function;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A function has no value for its arguments. The exception is checked, so that the compiler asks each caller for the
 * place in the source and the entity that the run-time error R1 names.
 */
public final class ValueFault extends Exception {
    private static final long serialVersionUID = 1L;

    private final @Nullable String why;

    /**
     * A fault without a stack trace.
     *
     * @param what is wrong, without the place: {@code `x` is not a date}
     * @param why the reason, which a message says last; may be null
     */
    public ValueFault(String what, @Nullable String why) {
        super(what, null, false, false);
        this.why = why;
    }

    public String what() {
        return Objects.requireNonNull(getMessage());
    }

    public @Nullable String why() {
        return why;
    }
}
