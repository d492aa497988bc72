package service.core.gq.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.CallContext;
import service.core.gq.function.Function;
import service.core.gq.function.ListFunctions;
import service.core.gq.function.ValueFault;
import service.core.gq.plan.Expression;
import service.core.gq.plan.LoopResult;
import service.core.schema.TextPattern;
import service.core.text.Work;
import service.core.value.Direction;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;

/**
 * Evaluates expressions over one entity at a time, in three-valued logic: an unknown truth value is {@link Value#NULL}.
 * One evaluator serves one request, on one thread.
 */
public final class Evaluator {
    private final List<Value> arguments;
    private final long nowMicros;
    private final Work work;

    /** The items that the loops around the current expression are at, the outermost first. */
    private final List<Value> locals = new ArrayList<>();

    /** The pattern that each test has used last, with the bytes charged for it. */
    private final IdentityHashMap<Expression.TextTest, Compiled> patterns = new IdentityHashMap<>();

    /** What the slots from 1 on hold; null where expressions have no variables. */
    private @Nullable VariableRow row;

    private record Compiled(TextPattern pattern, long bytes) {}

    /**
     * An evaluator for one request.
     *
     * @param arguments by parameter index
     * @param nowMicros start of the request, which {@code now()} returns in milliseconds
     * @param work told of every step, and charged for regular expressions
     */
    public Evaluator(List<Value> arguments, long nowMicros, Work work) {
        this.arguments = arguments;
        this.nowMicros = nowMicros;
        this.work = work;
    }

    /** Sets the row whose variables the slots from 1 on are. It may move to another row between evaluations. */
    public void over(VariableRow row) {
        this.row = row;
    }

    /** Whether a condition is true; false and unknown are not. */
    public boolean holds(Expression condition, @Nullable EntityRow entity) {
        return isTrue(evaluate(condition, entity));
    }

    /**
     * The value of an expression.
     *
     * @param entity slot 0; null in an insert, which has no entity yet
     * @throws ServiceException BAD_REQUEST with the diagnostic R1 for an overflow, a division by zero or a text that is
     *     not a date
     */
    public Value evaluate(Expression expression, @Nullable EntityRow entity) {
        work.step();
        return switch (expression) {
            case Expression.Literal e -> e.value();
            case Expression.Argument e -> arguments.get(e.index());
            case Expression.PropertyOf e -> property(e.identityByType(), inSlot(e.slot(), entity));
            case Expression.IdOf e -> meta(Expression.Meta.ID, inSlot(e.slot(), entity));
            case Expression.TypeOf e -> meta(Expression.Meta.TYPE, inSlot(e.slot(), entity));
            case Expression.EndOf e -> end(e.end(), inSlot(e.slot(), entity));
            case Expression.EndTypeOf e -> endType(e, inSlot(e.slot(), entity));
            case Expression.Not e -> not(evaluate(e.operand(), entity));
            case Expression.And e -> junction(e.operands(), false, entity);
            case Expression.Or e -> junction(e.operands(), true, entity);
            case Expression.Compare e -> compare(e.operator(), evaluate(e.left(), entity), evaluate(e.right(), entity));
            case Expression.TextTest e -> textTest(e, evaluate(e.left(), entity), evaluate(e.right(), entity));
            case Expression.In e ->
                evaluate(e.list(), entity) instanceof Value.ListOf list
                        ? member(evaluate(e.left(), entity), list)
                        : Value.NULL;
            case Expression.ListOf e -> list(e, entity);
            case Expression.IsNull e ->
                new Value.Bool(evaluate(e.operand(), entity) instanceof Value.Null != e.negated());
            case Expression.Arithmetic e -> arithmetic(e, entity);
            case Expression.Negate e -> negate(e, entity);
            case Expression.Call e -> call(e, entity);
            case Expression.Search e -> throw new IllegalStateException("a search in a mutation: " + e.function());
            case Expression.Concat e -> concat(evaluate(e.left(), entity), evaluate(e.right(), entity));
            case Expression.Element e -> ListFunctions.element(evaluate(e.list(), entity), evaluate(e.index(), entity));
            case Expression.Slice e ->
                ListFunctions.slice(evaluate(e.list(), entity), evaluate(e.from(), entity), evaluate(e.to(), entity));
            case Expression.Case e -> choice(e, entity);
            case Expression.RecordOf e -> record(e, entity);
            case Expression.FieldOf e ->
                evaluate(e.subject(), entity) instanceof Value.Struct record ? record.get(e.name()) : Value.NULL;
            case Expression.Loop e -> loop(e, entity);
            case Expression.Local e -> locals.get(e.depth());
            case Expression.PropertyOfValue e -> property(e.identityByType(), ofValue(evaluate(e.subject(), entity)));
            case Expression.MetaOfValue e -> meta(e.meta(), ofValue(evaluate(e.subject(), entity)));
            // Only whether there is one may be asked.
            case Expression.EntityOf e -> meta(Expression.Meta.ID, inSlot(e.slot(), entity));
            case Expression.ValueOf e -> requireRow().value(e.slot());
            case Expression.Aggregate ignored -> throw unknown(expression);
            case Expression.OutputOf ignored -> throw unknown(expression);
        };
    }

    /** The entity in a slot; null where the slot of a row holds none. */
    private @Nullable EntityRow inSlot(int slot, @Nullable EntityRow entity) {
        if (slot > 0) {
            return requireRow().entity(slot);
        }
        if (entity == null) {
            throw new IllegalStateException("the expression needs an entity");
        }
        return entity;
    }

    private @Nullable EntityRow ofValue(Value value) {
        return value instanceof Value.Entity of ? requireRow().entity(of) : null;
    }

    private static Value meta(Expression.Meta meta, @Nullable EntityRow entity) {
        if (entity == null) {
            return Value.NULL;
        }
        return switch (meta) {
            case ID -> new Value.Text(entity.id());
            case TYPE -> new Value.Text(entity.typeName());
            case SRC -> end(Direction.OUT, entity);
            case DST -> end(Direction.IN, entity);
            case SRC_TYPE, DST_TYPE -> throw new IllegalStateException("the checker refuses the type of an end here");
        };
    }

    private VariableRow requireRow() {
        if (row == null) {
            throw new IllegalStateException("the expression needs the variables of a row");
        }
        return row;
    }

    private static IllegalStateException unknown(Expression expression) {
        return new IllegalStateException("not within a mutation: " + expression);
    }

    private static Value property(Map<Integer, Integer> identityByType, @Nullable EntityRow entity) {
        Integer identity = entity == null ? null : identityByType.get(entity.type());
        Value value = entity == null || identity == null
                ? null
                : entity.image().properties().get(identity);
        return value == null ? Value.NULL : value;
    }

    private static Value end(Direction end, @Nullable EntityRow entity) {
        if (entity == null) {
            return Value.NULL;
        }
        String id =
                end == Direction.OUT ? entity.image().from() : entity.image().to();
        return id == null ? Value.NULL : new Value.Text(id);
    }

    private static Value endType(Expression.EndTypeOf of, @Nullable EntityRow entity) {
        if (entity == null) {
            return Value.NULL;
        }
        String name = of.names()
                .get(
                        of.end() == Direction.OUT
                                ? entity.image().fromType()
                                : entity.image().toType());
        return name == null ? Value.NULL : new Value.Text(name);
    }

    private static boolean isTrue(Value value) {
        return value instanceof Value.Bool bool && bool.value();
    }

    private static Value not(Value value) {
        return value instanceof Value.Bool bool ? new Value.Bool(!bool.value()) : Value.NULL;
    }

    /**
     * True decides {@code or} and false decides {@code and}; otherwise one unknown operand makes the result unknown.
     */
    private Value junction(List<Expression> operands, boolean deciding, @Nullable EntityRow entity) {
        boolean unknown = false;
        for (Expression operand : operands) {
            Value value = evaluate(operand, entity);
            if (!(value instanceof Value.Bool bool)) {
                unknown = true;
            } else if (bool.value() == deciding) {
                return bool;
            }
        }
        return unknown ? Value.NULL : new Value.Bool(!deciding);
    }

    private static Value compare(Expression.ComparisonOperator operator, Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        if (left instanceof Value.ListOf || left instanceof Value.Struct) {
            return equality(operator, left, right);
        }
        int order = ValueOrder.compare(left, right);
        return new Value.Bool(
                switch (operator) {
                    case EQUAL -> order == 0;
                    case NOT_EQUAL -> order != 0;
                    case LESS -> order < 0;
                    case LESS_OR_EQUAL -> order <= 0;
                    case GREATER -> order > 0;
                    case GREATER_OR_EQUAL -> order >= 0;
                });
    }

    private static Value equality(Expression.ComparisonOperator operator, Value left, Value right) {
        Boolean equal = ValueOrder.equality(left, right);
        return equal == null ? Value.NULL : new Value.Bool(equal == (operator == Expression.ComparisonOperator.EQUAL));
    }

    private Value textTest(Expression.TextTest test, Value left, Value right) {
        if (left instanceof Value.ListOf list) {
            return right instanceof Value.Null ? Value.NULL : member(right, list);
        }
        if (!(left instanceof Value.Text(String text)) || !(right instanceof Value.Text(String wanted))) {
            return Value.NULL;
        }
        return new Value.Bool(
                switch (test.operator()) {
                    case CONTAINS -> text.contains(wanted);
                    case STARTS_WITH -> text.startsWith(wanted);
                    case ENDS_WITH -> text.endsWith(wanted);
                    case MATCHES -> pattern(test, wanted).isIn(text, work::steps);
                });
    }

    private TextPattern pattern(Expression.TextTest test, String text) {
        Compiled known = patterns.get(test);
        if (known != null && known.pattern.text().equals(text)) {
            return known.pattern;
        }
        if (known != null) {
            patterns.remove(test);
            work.release(known.bytes);
        }
        long[] charged = new long[1];
        TextPattern pattern = TextPattern.ofQuery(text, bytes -> {
            work.charge(bytes);
            charged[0] = bytes;
        });
        patterns.put(test, new Compiled(pattern, charged[0]));
        return pattern;
    }

    /**
     * No value is in an empty list, not even null. Otherwise a null value, or a null item without a match, gives
     * unknown.
     */
    private Value member(Value value, Value.ListOf list) {
        if (list.items().isEmpty()) {
            return new Value.Bool(false);
        }
        if (value instanceof Value.Null) {
            return value;
        }
        boolean unknown = false;
        for (Value item : list.items()) {
            work.step();
            Boolean equal = ValueOrder.equality(item, value);
            if (Boolean.TRUE.equals(equal)) {
                return new Value.Bool(true);
            }
            unknown |= equal == null;
        }
        return unknown ? Value.NULL : new Value.Bool(false);
    }

    private Value list(Expression.ListOf expression, @Nullable EntityRow entity) {
        List<Value> items = new ArrayList<>(expression.items().size());
        expression.items().forEach(item -> items.add(evaluate(item, entity)));
        return new Value.ListOf(items);
    }

    private Value arithmetic(Expression.Arithmetic expression, @Nullable EntityRow entity) {
        Value left = evaluate(expression.left(), entity);
        Value right = evaluate(expression.right(), entity);
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        return Numbers.compute(expression.operator(), left, right, expression.type(), expression.origin(), entity);
    }

    private Value negate(Expression.Negate expression, @Nullable EntityRow entity) {
        Value operand = evaluate(expression.operand(), entity);
        return operand instanceof Value.Null
                ? operand
                : Numbers.negate(operand, expression.type(), expression.origin(), entity);
    }

    private Value concat(Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        work.charge(HeapBytes.of(left) + HeapBytes.of(right));
        return left instanceof Value.ListOf one && right instanceof Value.ListOf two
                ? ListFunctions.joined(one, two)
                : new Value.Text(((Value.Text) left).value() + ((Value.Text) right).value());
    }

    private Value choice(Expression.Case choice, @Nullable EntityRow entity) {
        int chosen = 0;
        while (chosen < choice.conditions().size()
                && !isTrue(evaluate(choice.conditions().get(chosen), entity))) {
            chosen++;
        }
        return evaluate(choice.results().get(chosen), entity);
    }

    private Value record(Expression.RecordOf record, @Nullable EntityRow entity) {
        List<Value> values = new ArrayList<>();
        record.values().forEach(value -> values.add(evaluate(value, entity)));
        return new Value.Struct(record.type().names(), values);
    }

    private Value loop(Expression.Loop loop, @Nullable EntityRow entity) {
        if (!(evaluate(loop.list(), entity) instanceof Value.ListOf(List<Value> items))) {
            return Value.NULL;
        }
        List<Value> made = new ArrayList<>();
        LoopResult result = new LoopResult(loop.kind());
        locals.add(Value.NULL);
        try {
            for (Value item : items) {
                locals.set(loop.depth(), item);
                Value holds = evaluate(loop.where(), entity);
                if (loop.kind() == Expression.LoopKind.LIST && isTrue(holds)) {
                    Value mapped = evaluate(loop.map(), entity);
                    work.charge(HeapBytes.of(mapped) + HeapBytes.REFERENCE);
                    made.add(mapped);
                } else {
                    result.add(holds);
                }
            }
        } finally {
            locals.removeLast();
        }
        return loop.kind() == Expression.LoopKind.LIST ? new Value.ListOf(made) : result.value();
    }

    private Value call(Expression.Call call, @Nullable EntityRow entity) {
        Function function = call.function();
        List<Expression> operands = call.arguments();
        Value[] values = new Value[operands.size()];
        Arrays.fill(values, Value.NULL);
        for (int i = 0; i < values.length; i++) {
            values[i] = evaluate(operands.get(i), entity);
            if (function.isDecidedByFirst() && !(values[i] instanceof Value.Null)) {
                break;
            }
        }
        try {
            return function.value(values, new CallContext(call.type(), nowMicros, work));
        } catch (ValueFault e) {
            throw RuntimeFault.at(e, call.origin(), entity);
        }
    }
}
