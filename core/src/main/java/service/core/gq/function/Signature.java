package service.core.gq.function;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;

/** The arguments that a function takes, and the type of its result. */
public sealed interface Signature {
    /** The arguments in words, for the refusal of a call with another number of them: {@code one argument}. */
    String counted();

    /** One argument for each parameter. */
    record Each(List<Parameter<?>> parameters, String counted, Typing type) implements Signature {}

    /** One or more arguments of one type, which is the type of the result. */
    record Alike(String counted) implements Signature {}

    /** Gives the type of the result. */
    interface Typing {
        /**
         * The type of the result.
         *
         * @param first the type of the first argument; null without one, and for an empty list
         */
        PropertyType of(@Nullable PropertyType first);
    }
}
