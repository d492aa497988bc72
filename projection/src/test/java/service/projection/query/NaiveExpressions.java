package service.projection.query;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.ArithmeticOperator;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Refinement;
import service.core.testkit.HeapGraph;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.core.value.ValueType;

/**
 * Evaluates expressions for one row at a time. Numbers are computed without bounds, then checked. Every operand is
 * evaluated, except those that {@code and} and {@code or} do not need.
 */
final class NaiveExpressions {
    private static final long MILLIS_PER_DAY = 86_400_000L;

    final HeapGraph graph;
    private Plan.Stage stage;
    private final List<Value> arguments;
    private final NaiveForms forms = new NaiveForms(this);

    NaiveExpressions(HeapGraph graph, List<Value> arguments) {
        this.graph = graph;
        this.arguments = arguments;
    }

    /** Sets the stage that the expressions are part of. */
    void begin(Plan.Stage of) {
        stage = of;
    }

    /** The entity that a value is; null for null. */
    HeapGraph.Entity entity(Value value) {
        return forms.entity(value);
    }

    static boolean isTrue(Value value) {
        return value.equals(bool(true));
    }

    static Value bool(boolean value) {
        return new Value.Bool(value);
    }

    private static NaiveFault fault() {
        return new NaiveFault(false);
    }

    /** @param group the rows that an aggregate runs over */
    Value eval(Expression expression, NaiveEvaluator.Row row, List<NaiveEvaluator.Row> group) {
        return switch (expression) {
            case Expression.Literal e -> e.value();
            case Expression.Argument e -> arguments.get(e.index());
            case Expression.PropertyOf e -> {
                HeapGraph.Entity entity = row.get(e.slot());
                Integer property = entity == null ? null : e.identityByType().get(entity.type);
                yield property == null ? Value.NULL : entity.get(property);
            }
            case Expression.IdOf e -> text(row.get(e.slot()), entity -> entity.id);
            case Expression.TypeOf e ->
                text(
                        row.get(e.slot()),
                        entity -> graph.catalog.requireType(entity.type).name());
            case Expression.EndOf e -> end(row.get(e.slot()), e.end());
            case Expression.EndTypeOf e -> endType(row.get(e.slot()), e.end());
            case Expression.EntityOf e -> text(row.get(e.slot()), entity -> entity.id + " " + entity.type);
            case Expression.ValueOf e -> row.values.getOrDefault(e.slot(), Value.NULL);
            case Expression.Not e -> {
                Value value = eval(e.operand(), row, group);
                yield value instanceof Value.Bool(boolean b) ? bool(!b) : value;
            }
            case Expression.And e -> connective(e.operands(), false, row, group);
            case Expression.Or e -> connective(e.operands(), true, row, group);
            case Expression.Compare e -> compare(e.operator(), eval(e.left(), row, group), eval(e.right(), row, group));
            case Expression.TextTest e -> test(e.operator(), eval(e.left(), row, group), eval(e.right(), row, group));
            case Expression.In e -> in(eval(e.left(), row, group), eval(e.list(), row, group));
            case Expression.ListOf e -> new Value.ListOf(all(e.items(), row, group));
            case Expression.IsNull e -> bool((eval(e.operand(), row, group) instanceof Value.Null) != e.negated());
            case Expression.Aggregate e -> aggregate(e, group);
            case Expression.OutputOf e ->
                eval(stage.result().outputs().get(e.index()).expression(), row, group);
            case Expression.Arithmetic e ->
                arithmetic(e.operator(), eval(e.left(), row, group), eval(e.right(), row, group), e.type());
            case Expression.Negate e ->
                arithmetic(ArithmeticOperator.SUBTRACT, new Value.Int(0), eval(e.operand(), row, group), e.type());
            case Expression.Call e -> call(e.function(), all(e.arguments(), row, group), e.type());
            default -> forms.eval(expression, row, group);
        };
    }

    List<Value> all(List<Expression> expressions, NaiveEvaluator.Row row, List<NaiveEvaluator.Row> group) {
        return expressions.stream().map(e -> eval(e, row, group)).toList();
    }

    static Value text(HeapGraph.Entity entity, java.util.function.Function<HeapGraph.Entity, String> text) {
        return entity == null ? Value.NULL : new Value.Text(text.apply(entity));
    }

    Value endType(HeapGraph.Entity edge, Direction end) {
        return text(
                edge,
                of -> graph.catalog
                        .requireType(end == Direction.OUT ? of.sourceType : of.destinationType)
                        .name());
    }

    Value end(HeapGraph.Entity edge, Direction end) {
        if (edge == null) {
            return Value.NULL;
        }
        return new Value.Text(
                end == Direction.OUT
                        ? graph.all(edge.sourceType).get(edge.source).id
                        : graph.all(edge.destinationType).get(edge.destination).id);
    }

    private Value connective(
            List<Expression> operands, boolean deciding, NaiveEvaluator.Row row, List<NaiveEvaluator.Row> group) {
        boolean unknown = false;
        for (Expression operand : operands) {
            Value value = eval(operand, row, group);
            if (value.equals(bool(deciding))) {
                return value;
            }
            unknown |= value instanceof Value.Null;
        }
        return unknown ? Value.NULL : bool(!deciding);
    }

    static Value compare(Expression.ComparisonOperator operator, Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        if (left instanceof Value.ListOf || left instanceof Value.Struct) {
            Value equal = NaiveForms.equal(left, right);
            boolean negated = operator == Expression.ComparisonOperator.NOT_EQUAL;
            return equal instanceof Value.Bool(boolean is) ? bool(is != negated) : equal;
        }
        int order = ValueOrder.compare(left, right);
        return bool(
                switch (operator) {
                    case EQUAL -> order == 0;
                    case NOT_EQUAL -> order != 0;
                    case LESS -> order < 0;
                    case LESS_OR_EQUAL -> order <= 0;
                    case GREATER -> order > 0;
                    case GREATER_OR_EQUAL -> order >= 0;
                });
    }

    private static Value test(Expression.TextOperator operator, Value left, Value right) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        if (left instanceof Value.ListOf) {
            return in(right, left);
        }
        String wanted = ((Value.Text) right).value();
        String text = ((Value.Text) left).value();
        return bool(
                switch (operator) {
                    case CONTAINS -> text.contains(wanted);
                    case STARTS_WITH -> text.startsWith(wanted);
                    case ENDS_WITH -> text.endsWith(wanted);
                    case MATCHES ->
                        java.util.regex.Pattern.compile(wanted).matcher(text).find();
                });
    }

    private static Value in(Value value, Value list) {
        if (list instanceof Value.Null) {
            return Value.NULL;
        }
        boolean unknown = false;
        for (Value item : ((Value.ListOf) list).items()) {
            Value equal = NaiveForms.equal(item, value);
            if (isTrue(equal)) {
                return equal;
            }
            unknown |= equal instanceof Value.Null;
        }
        return unknown ? Value.NULL : bool(false);
    }

    private static Value arithmetic(ArithmeticOperator operator, Value left, Value right, ValueType type) {
        if (left instanceof Value.Null || right instanceof Value.Null) {
            return Value.NULL;
        }
        if (isReal(type)) {
            double a = real(left);
            double b = real(right);
            if (b == 0 && isDivision(operator)) {
                throw fault();
            }
            return finite(
                    switch (operator) {
                        case ADD -> a + b;
                        case SUBTRACT -> a - b;
                        case MULTIPLY -> a * b;
                        case DIVIDE -> a / b;
                        case REMAINDER -> a % b;
                    });
        }
        BigInteger a = whole(left);
        BigInteger b = whole(right);
        if (b.signum() == 0 && isDivision(operator)) {
            throw fault();
        }
        return fitting(
                switch (operator) {
                    case ADD -> a.add(b);
                    case SUBTRACT -> a.subtract(b);
                    case MULTIPLY -> a.multiply(b);
                    case DIVIDE -> a.divide(b);
                    case REMAINDER -> a.remainder(b);
                },
                type);
    }

    private static boolean isDivision(ArithmeticOperator operator) {
        return operator == ArithmeticOperator.DIVIDE || operator == ArithmeticOperator.REMAINDER;
    }

    static boolean isReal(ValueType type) {
        return type instanceof PropertyType.Scalar(ScalarType kind)
                && (kind == ScalarType.F64 || kind == ScalarType.F32);
    }

    private static boolean mayExceedI64(ValueType type) {
        return type instanceof PropertyType.AnyInteger
                || (type instanceof PropertyType.Scalar(ScalarType kind) && kind == ScalarType.U64);
    }

    static Value finite(double value) {
        if (!Double.isFinite(value)) {
            throw fault();
        }
        return new Value.Real(value);
    }

    /** An integer that need not fit I64 fits U64 or I64; any other fits I64. */
    private static Value fitting(BigInteger value, ValueType type) {
        if (value.bitLength() < 64) {
            return new Value.Int(value.longValue());
        }
        if (!mayExceedI64(type) || value.signum() < 0 || value.bitLength() > 64) {
            throw fault();
        }
        return new Value.UInt(value.longValue());
    }

    static BigInteger whole(Value value) {
        return value instanceof Value.UInt(long bits)
                ? new BigInteger(Long.toUnsignedString(bits))
                : BigInteger.valueOf(((Value.Int) value).value());
    }

    static double real(Value value) {
        return value instanceof Value.Real(double real) ? real : whole(value).doubleValue();
    }

    private static Value call(Function function, List<Value> values, ValueType type) {
        if (function == Function.NOW) {
            return new Value.DateTime(0);
        }
        if (function == Function.COALESCE) {
            return values.stream()
                    .filter(value -> !(value instanceof Value.Null))
                    .findFirst()
                    .map(value -> isReal(type) ? new Value.Real(real(value)) : value)
                    .orElse(Value.NULL);
        }
        Value value = values.getFirst();
        if (values.stream().anyMatch(Value.Null.class::isInstance)) {
            return Value.NULL;
        }
        return switch (function) {
            case NOW, COALESCE -> throw new IllegalStateException();
            case LOWER -> new Value.Text(((Value.Text) value).value().toLowerCase(Locale.ROOT));
            case UPPER -> new Value.Text(((Value.Text) value).value().toUpperCase(Locale.ROOT));
            case LENGTH ->
                new Value.Int(
                        value instanceof Value.Text(String text)
                                ? text.codePoints().count()
                                : value instanceof Value.Path path
                                        ? path.edges().items().size()
                                        : ((Value.ListOf) value).items().size());
            case ABS -> {
                if (value instanceof Value.UInt) {
                    yield value;
                }
                yield isReal(type)
                        ? new Value.Real(Math.abs(real(value)))
                        : fitting(whole(value).abs(), type);
            }
            case ROUND ->
                isReal(type)
                        ? new Value.Real(new BigDecimal(real(value))
                                .setScale(0, RoundingMode.HALF_UP)
                                .doubleValue())
                        : value;
            case DATE -> new Value.Date((int) day(value).toEpochDay());
            case DATETIME -> new Value.DateTime(millis(value));
            case YEAR -> new Value.Int(day(value).getYear());
            case MONTH -> new Value.Int(day(value).getMonthValue());
            case DAY -> new Value.Int(day(value).getDayOfMonth());
            case DATE_DIFF -> new Value.Int(ChronoUnit.DAYS.between(day(values.get(1)), day(value)));
            case DATETIME_DIFF -> new Value.Int(millis(value) - millis(values.get(1)));
            case TRUNCATE -> truncate(value, ((Value.Text) values.get(1)).value());
            default -> NaiveFunctions.call(function, values, type);
        };
    }

    private static Value truncate(Value value, String unit) {
        boolean date = value instanceof Value.Date;
        LocalDateTime moment = LocalDateTime.ofEpochSecond(Math.floorDiv(millis(value), 1000L), 0, ZoneOffset.UTC);
        LocalDate day = moment.toLocalDate();
        LocalDateTime first = switch (unit) {
            case "year" -> day.withDayOfYear(1).atStartOfDay();
            case "quarter" -> day.with(IsoFields.DAY_OF_QUARTER, 1).atStartOfDay();
            case "month" -> day.withDayOfMonth(1).atStartOfDay();
            case "week" ->
                day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)).atStartOfDay();
            case "day" -> day.atStartOfDay();
            case "hour" -> moment.truncatedTo(ChronoUnit.HOURS);
            case "minute" -> moment.truncatedTo(ChronoUnit.MINUTES);
            case "second" -> moment;
            default -> throw fault();
        };
        if (first.getYear() < 0 || (date && List.of("hour", "minute", "second").contains(unit))) {
            throw fault();
        }
        return date
                ? new Value.Date((int) first.toLocalDate().toEpochDay())
                : new Value.DateTime(first.toEpochSecond(ZoneOffset.UTC) * 1000);
    }

    static LocalDate day(Value value) {
        return switch (value) {
            case Value.Date(int epochDay) -> LocalDate.ofEpochDay(epochDay);
            case Value.DateTime(long millis) -> LocalDate.ofEpochDay(Math.floorDiv(millis, MILLIS_PER_DAY));
            default -> LocalDate.parse(((Value.Text) value).value());
        };
    }

    static long millis(Value value) {
        return switch (value) {
            case Value.Date(int epochDay) -> epochDay * MILLIS_PER_DAY;
            case Value.DateTime(long millis) -> millis;
            default ->
                OffsetDateTime.parse(((Value.Text) value).value()).toInstant().toEpochMilli();
        };
    }

    private Value aggregate(Expression.Aggregate aggregate, List<NaiveEvaluator.Row> all) {
        Refinement refinement = aggregate.refinement();
        List<NaiveEvaluator.Row> rows = all.stream()
                .filter(row -> refinement.where() == null || isTrue(eval(refinement.where(), row, List.of(row))))
                .toList();
        ValueType type = aggregate.type();
        List<Value> values = new ArrayList<>();
        Set<Value> seen = new HashSet<>();
        List<List<Value>> ordered = new ArrayList<>();
        for (NaiveEvaluator.Row row : rows) {
            Value value = eval(aggregate.operand(), row, List.of(row));
            List<Value> keys = new ArrayList<>();
            refinement.order().forEach(key -> keys.add(eval(key.expression(), row, List.of(row))));
            keys.add(value);
            if (!(value instanceof Value.Null) && (!aggregate.distinct() || seen.add(normal(value)))) {
                values.add(value);
                ordered.add(keys);
            }
        }
        Comparator<Value> order = ValueOrder.COMPARATOR;
        return switch (aggregate.function()) {
            case COUNT -> new Value.Int(values.size());
            case MIN -> values.stream().min(order).orElse(Value.NULL);
            case MAX -> values.stream().max(order).orElse(Value.NULL);
            case COLLECT -> collected(refinement, ordered);
            case STDEV -> deviation(values);
            case MEDIAN -> percentile(values, 0.5);
            case PERCENTILE -> {
                Value place = eval(refinement.fraction(), new NaiveEvaluator.Row(), List.of());
                yield place instanceof Value.Null ? Value.NULL : percentile(values, real(place));
            }
            case SUM, AVG -> {
                if (values.isEmpty()) {
                    yield Value.NULL;
                }
                boolean reals = values.getFirst() instanceof Value.Real;
                double sum = values.stream().mapToDouble(NaiveExpressions::real).sum();
                BigInteger exact = reals
                        ? BigInteger.ZERO
                        : values.stream().map(NaiveExpressions::whole).reduce(BigInteger.ZERO, BigInteger::add);
                double total = reals ? sum : exact.doubleValue();
                if (aggregate.function() == Expression.AggregateFunction.AVG) {
                    yield finite(total / values.size());
                }
                yield reals ? finite(total) : fitting(exact, type);
            }
        };
    }

    /** @param rows the keys of each element, then the element */
    private Value collected(Refinement refinement, List<List<Value>> rows) {
        long limit = refinement.limit() == null
                ? Long.MAX_VALUE
                : ((Value.Int) eval(refinement.limit(), new NaiveEvaluator.Row(), List.of())).value();
        return new Value.ListOf(rows.stream()
                .sorted((left, right) -> {
                    for (int i = 0; i < left.size(); i++) {
                        int by = ValueOrder.compare(left.get(i), right.get(i));
                        if (by != 0) {
                            boolean down = i < refinement.order().size()
                                    && refinement.order().get(i).descending();
                            return down ? -by : by;
                        }
                    }
                    return 0;
                })
                .map(List::getLast)
                .limit(limit)
                .toList());
    }

    private static Value deviation(List<Value> values) {
        if (values.size() < 2) {
            return Value.NULL;
        }
        double mean =
                values.stream().mapToDouble(NaiveExpressions::real).average().orElseThrow();
        double squares = values.stream()
                .mapToDouble(value -> (real(value) - mean) * (real(value) - mean))
                .sum();
        return finite(Math.sqrt(squares / (values.size() - 1)));
    }

    private static Value percentile(List<Value> values, double fraction) {
        double[] sorted =
                values.stream().mapToDouble(NaiveExpressions::real).sorted().toArray();
        if (sorted.length == 0) {
            return Value.NULL;
        }
        double place = fraction * (sorted.length - 1);
        int below = (int) Math.floor(place);
        double share = place - below;
        double above = sorted[Math.min(below + 1, sorted.length - 1)];
        return new Value.Real(share == 0 ? sorted[below] : sorted[below] * (1 - share) + above * share);
    }

    /** Normalises values, so that values equal in the language are equal in Java. */
    static Value normal(Value value) {
        return switch (value) {
            case Value.Real(double real)
            when real == Math.rint(real) && Math.abs(real) < 1e15 -> new Value.Int((long) real);
            case Value.UInt(long bits) when bits >= 0 -> new Value.Int(bits);
            case Value.ListOf(List<Value> items) ->
                new Value.ListOf(items.stream().map(NaiveExpressions::normal).toList());
            case Value.Struct(List<String> names, List<Value> fields) ->
                new Value.Struct(
                        names, fields.stream().map(NaiveExpressions::normal).toList());
            default -> value;
        };
    }
}
