package service.core.gq.function;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A function has no value for its arguments. The exception is checked, so that the compiler asks each caller for the
 * place in the source and the entity that the run-time error R1 names.
 */
public final class ValueFault extends Exception {
    private static final long serialVersionUID = 1L;

    /** The code of most faults. */
    private static final String ARITHMETIC = "R1";

    private final String code;
    private final @Nullable String why;

    /**
     * A fault without a stack trace.
     *
     * @param what is wrong, without the place: {@code `x` is not a date}
     * @param why the reason, which a message says last; may be null
     */
    public ValueFault(String what, @Nullable String why) {
        this(ARITHMETIC, what, why);
    }

    /** The same with another diagnostics code than R1. */
    public ValueFault(String code, String what, @Nullable String why) {
        super(what, null, false, false);
        this.code = code;
        this.why = why;
    }

    /** The code of the diagnostics. */
    public String code() {
        return code;
    }

    public String what() {
        return Objects.requireNonNull(getMessage());
    }

    public @Nullable String why() {
        return why;
    }
}
