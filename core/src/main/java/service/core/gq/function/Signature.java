package service.core.gq.function;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.ValueType;

/** The arguments that a function takes, and the type of its result. */
public sealed interface Signature {
    /** The arguments in words, for the refusal of a call with another number of them: {@code one argument}. */
    String counted();

    /**
     * One argument for each parameter; those after the required ones may be left out.
     *
     * @param required number of parameters that need an argument
     */
    record Each(List<Parameter<?>> parameters, int required, String counted, Typing type) implements Signature {
        /** One argument for each parameter. */
        Each(List<Parameter<?>> parameters, String counted, Typing type) {
            this(parameters, parameters.size(), counted, type);
        }
    }

    /**
     * One or more arguments of one type, which is the type of the result.
     *
     * @param ordered whether the type must have an order
     */
    record Alike(String counted, boolean ordered) implements Signature {}

    /** Gives the type of the result. */
    interface Typing {
        /**
         * The type of the result.
         *
         * @param first the type of the first argument; null without one, and for an empty list
         */
        ValueType of(@Nullable ValueType first);
    }
}
