package service.core.gq.function;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueConversion;
import service.core.value.ValueOrder;

/**
 * All of a function but its name. A declaration begins with the parameters, as {@code takes(TEXT)}, and ends with the
 * result and the value: {@code gives} for a function that has a value for all arguments, {@code givesOrFails} for one
 * that throws for some.
 *
 * @param takesNull whether the body also gets arguments that are null; otherwise one of them makes the result null
 * @param canFail whether the body may throw
 */
record Declaration(Signature signature, boolean takesNull, boolean canFail, Body body) {
    /** The value of a call. */
    interface Body {
        Value of(Value[] arguments, CallContext context) throws ValueFault;
    }

    /** A function without arguments. */
    static Declaration gives(Result<Value> result, Function<CallContext, Value> value) {
        Signature signature = new Signature.Each(List.of(), "no argument", result.type());
        return new Declaration(signature, false, false, (arguments, context) -> value.apply(context));
    }

    /** The first argument that is not null. */
    static Declaration firstKnown() {
        return new Declaration(
                new Signature.Alike("at least one argument", false), true, false, (arguments, context) -> {
                    for (Value argument : arguments) {
                        if (!(argument instanceof Value.Null)) {
                            boolean real = context.type().equals(PropertyType.F64);
                            return real ? ValueConversion.convert(argument, PropertyType.F64) : argument;
                        }
                    }
                    return Value.NULL;
                });
    }

    /**
     * The greatest or the least argument.
     *
     * @param sign 1 for the greatest, -1 for the least
     */
    static Declaration extreme(int sign) {
        Signature signature = new Signature.Alike("at least one argument", true);
        return new Declaration(signature, false, false, (arguments, context) -> {
            Value extreme = arguments[0];
            for (Value argument : arguments) {
                extreme = sign * ValueOrder.compare(argument, extreme) > 0 ? argument : extreme;
            }
            boolean real = context.type().equals(PropertyType.F64);
            return real ? ValueConversion.convert(extreme, PropertyType.F64) : extreme;
        });
    }

    /** A part of a text from a position on, with a length that may be left out. */
    static Declaration substring() {
        List<Parameter<?>> parameters = List.of(Parameter.TEXT, Parameter.INTEGER, Parameter.INTEGER);
        Signature signature =
                new Signature.Each(parameters, 2, "a string and one or two numbers", Result.STRING.type());
        return new Declaration(signature, false, false, (arguments, context) -> {
            long length = arguments.length > 2 ? Parameter.INTEGER.read(arguments[2]) : Long.MAX_VALUE;
            return new Value.Text(TextFunctions.part(
                    Parameter.TEXT.read(arguments[0]), Parameter.INTEGER.read(arguments[1]), length));
        });
    }

    /** The integers from one to another, by a step that may be left out. */
    static Declaration range() {
        List<Parameter<?>> parameters = List.of(Parameter.WHOLE, Parameter.WHOLE, Parameter.WHOLE);
        Signature signature = new Signature.Each(parameters, 2, "two or three numbers", Result.INTEGERS.type());
        return new Declaration(signature, false, true, (arguments, context) -> {
            Value step = arguments.length > 2 ? arguments[2] : new Value.Int(1);
            return ListFunctions.range(arguments[0], arguments[1], step, context.work());
        });
    }

    static <A> One<A> takes(Parameter<A> parameter) {
        return new One<>(parameter);
    }

    /** Takes two arguments, which {@code counted} says in words. */
    static <A, B> Two<A, B> takes(String counted, Parameter<A> first, Parameter<B> second) {
        return new Two<>(counted, first, second);
    }

    /** Takes three arguments, which {@code counted} says in words. */
    static <A, B, C> Three<A, B, C> takes(String counted, Parameter<A> first, Parameter<B> second, Parameter<C> third) {
        return new Three<>(counted, first, second, third);
    }

    /** The value of a function of one argument. */
    interface OfOne<A, R> {
        R of(A argument, CallContext context) throws ValueFault;
    }

    /** The value of a function of two arguments. */
    interface OfTwo<A, B, R> {
        R of(A first, B second, CallContext context) throws ValueFault;
    }

    /** The value of a function of three arguments. */
    interface OfThree<A, B, C, R> {
        R of(A first, B second, C third) throws ValueFault;
    }

    /** The begin of the declaration of a function of one argument. */
    record One<A>(Parameter<A> parameter) {
        <R> Declaration gives(Result<R> result, Function<A, R> value) {
            return as(result, false, (argument, context) -> value.apply(argument));
        }

        <R> Declaration givesOrFails(Result<R> result, OfOne<A, R> value) {
            return as(result, true, value);
        }

        /** A value that asks the context of the call for more than its arguments. */
        <R> Declaration gives(Result<R> result, BiFunction<A, CallContext, R> value) {
            return as(result, false, value::apply);
        }

        private <R> Declaration as(Result<R> result, boolean canFail, OfOne<A, R> value) {
            Signature signature = new Signature.Each(List.of(parameter), "one argument", result.type());
            return new Declaration(
                    signature,
                    false,
                    canFail,
                    (arguments, context) -> result.boxed().apply(value.of(parameter.read(arguments[0]), context)));
        }
    }

    /** The begin of the declaration of a function of two arguments. */
    record Two<A, B>(String counted, Parameter<A> first, Parameter<B> second) {
        <R> Declaration gives(Result<R> result, BiFunction<A, B, R> value) {
            return as(result, false, (one, two, context) -> value.apply(one, two));
        }

        <R> Declaration givesOrFails(Result<R> result, OfTwo<A, B, R> value) {
            return as(result, true, value);
        }

        private <R> Declaration as(Result<R> result, boolean canFail, OfTwo<A, B, R> value) {
            Signature signature = new Signature.Each(List.of(first, second), counted, result.type());
            return new Declaration(
                    signature,
                    false,
                    canFail,
                    (arguments, context) -> result.boxed()
                            .apply(value.of(first.read(arguments[0]), second.read(arguments[1]), context)));
        }
    }

    /** The begin of the declaration of a function of three arguments. */
    record Three<A, B, C>(String counted, Parameter<A> first, Parameter<B> second, Parameter<C> third) {
        <R> Declaration givesOrFails(Result<R> result, OfThree<A, B, C, R> value) {
            Signature signature = new Signature.Each(List.of(first, second, third), counted, result.type());
            return new Declaration(signature, false, true, (arguments, context) -> {
                R given = value.of(first.read(arguments[0]), second.read(arguments[1]), third.read(arguments[2]));
                return result.boxed().apply(given);
            });
        }
    }
}
