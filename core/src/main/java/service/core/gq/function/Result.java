package service.core.gq.function;

import java.util.Objects;
import java.util.function.Function;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * The result of a function.
 *
 * @param <R> what the function computes
 * @param type the type of the result
 * @param boxed makes a value of that type
 */
record Result<R>(Signature.Typing type, Function<R, Value> boxed) {
    static final Result<String> STRING = new Result<>(first -> PropertyType.STRING, Value.Text::new);

    static final Result<Number> I64 =
            new Result<>(first -> PropertyType.I64, number -> new Value.Int(number.longValue()));

    static final Result<Double> F64 = new Result<>(first -> PropertyType.F64, Value.Real::new);

    /** The type of an empty list, whose items have none: any will do. */
    private static final ValueType EMPTY_LIST = new PropertyType.ListOf(ScalarType.STRING);

    static final Result<Value> INTEGERS = value(first -> new PropertyType.ListOf(ScalarType.I64));

    /** A list of texts. */
    static final Result<Value> STRINGS = value(first -> new PropertyType.ListOf(ScalarType.STRING));

    static final Result<Value> I64_OR_NULL = value(first -> PropertyType.I64);

    static final Result<Value> F64_OR_NULL = value(first -> PropertyType.F64);

    /** A list as the first argument, or a text. */
    static final Result<Value> SAME_TEXT_OR_LIST =
            value(first -> first == null ? EMPTY_LIST : ValueType.isList(first) ? first : PropertyType.STRING);

    /** A list as the first argument. */
    static final Result<Value> SAME_LIST = value(first -> first == null ? EMPTY_LIST : first);

    static final Result<Value> DATE = value(first -> PropertyType.DATE);

    static final Result<Value> DATETIME = value(first -> PropertyType.DATETIME);

    /** The type in which a number, the first argument, is computed with. */
    static final Result<Value> ARITHMETIC =
            value(first -> Family.arithmeticType((PropertyType) Objects.requireNonNull(first)));

    /** The nodes of a path, the first argument. */
    static final Result<Value> NODES =
            value(first -> ValueType.listOf(((ValueType.Path) Objects.requireNonNull(first)).nodes()));

    static final Result<Value> EDGES =
            value(first -> ValueType.listOf(((ValueType.Path) Objects.requireNonNull(first)).edges()));

    /** Date or DateTime, as the first argument. */
    static final Result<Value> SAME_MOMENT = value(Objects::requireNonNull);

    private static Result<Value> value(Signature.Typing type) {
        return new Result<>(type, Function.identity());
    }
}
