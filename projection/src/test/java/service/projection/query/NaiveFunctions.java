package service.projection.query;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.WeekFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import service.core.gq.function.Function;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.core.value.ValueType;

/** Values of functions, computed over lists of code points, decimals and the calendar of Java. */
final class NaiveFunctions {
    private NaiveFunctions() {}

    static Value call(Function function, List<Value> values, ValueType type) {
        Value value = values.getFirst();
        return switch (function) {
            case COST -> {
                Value.Path path = (Value.Path) value;
                yield new Value.Real(path.cost() == null ? path.edges().items().size() : path.cost());
            }
            case NODES -> ((Value.Path) value).nodes();
            case EDGES -> ((Value.Path) value).edges();
            case TRIM -> {
                List<Integer> points = points(value);
                while (!points.isEmpty() && Character.isWhitespace(points.getFirst())) {
                    points.removeFirst();
                }
                while (!points.isEmpty() && Character.isWhitespace(points.getLast())) {
                    points.removeLast();
                }
                yield text(points);
            }
            case LEFT -> part(value, BigInteger.ZERO, NaiveExpressions.whole(values.get(1)));
            case RIGHT -> {
                List<Integer> points = points(value);
                BigInteger drop = BigInteger.valueOf(points.size()).subtract(NaiveExpressions.whole(values.get(1)));
                yield part(value, drop, BigInteger.valueOf(points.size()));
            }
            case SUBSTRING ->
                part(
                        value,
                        NaiveExpressions.whole(values.get(1)),
                        values.size() > 2 ? NaiveExpressions.whole(values.get(2)) : BigInteger.TEN.pow(20));
            case INDEX_OF -> {
                List<Integer> wanted = points(values.get(1));
                int at = Collections.indexOfSubList(points(value), wanted);
                yield new Value.Int(at);
            }
            case REPLACE -> {
                String part = string(values.get(1));
                yield part.isEmpty()
                        ? value
                        : new Value.Text(String.join(string(values.get(2)), pieces(string(value), part)));
            }
            case SPLIT -> {
                String separator = string(values.get(1));
                List<String> pieces = separator.isEmpty()
                        ? points(value).stream().map(Character::toString).toList()
                        : pieces(string(value), separator);
                yield new Value.ListOf(
                        pieces.stream().<Value>map(Value.Text::new).toList());
            }
            case JOIN -> {
                List<String> texts = new ArrayList<>();
                for (Value item : ((Value.ListOf) value).items()) {
                    if (item instanceof Value.Text(String text)) {
                        texts.add(text);
                    } else if (!(item instanceof Value.Null)) {
                        texts.add(NaiveExpressions.whole(item).toString());
                    }
                }
                yield new Value.Text(String.join(string(values.get(1)), texts));
            }
            case REVERSE -> {
                if (value instanceof Value.ListOf(List<Value> items)) {
                    List<Value> reversed = new ArrayList<>(items);
                    Collections.reverse(reversed);
                    yield new Value.ListOf(reversed);
                }
                List<Integer> points = points(value);
                Collections.reverse(points);
                yield text(points);
            }
            case TO_STRING ->
                new Value.Text(
                        switch (value) {
                            case Value.Text(String text) -> text;
                            case Value.Bool(boolean is) -> is ? "true" : "false";
                            case Value.Real(double number) -> Double.toString(number);
                            case Value.Date ignored ->
                                NaiveExpressions.day(value).toString();
                            case Value.DateTime(long millis) -> instant(millis);
                            default -> NaiveExpressions.whole(value).toString();
                        });
            case FLOOR -> rounded(value, RoundingMode.FLOOR);
            case CEIL -> rounded(value, RoundingMode.CEILING);
            case SQRT -> NaiveExpressions.finite(Math.sqrt(NaiveExpressions.real(value)));
            case POWER ->
                NaiveExpressions.finite(
                        StrictMath.pow(NaiveExpressions.real(value), NaiveExpressions.real(values.get(1))));
            case EXP -> NaiveExpressions.finite(StrictMath.exp(NaiveExpressions.real(value)));
            case LN -> NaiveExpressions.finite(StrictMath.log(NaiveExpressions.real(value)));
            case LOG10 -> NaiveExpressions.finite(StrictMath.log10(NaiveExpressions.real(value)));
            case SIGN -> new Value.Int(exact(value).signum());
            case GREATEST, LEAST -> {
                List<Value> sorted =
                        values.stream().sorted(ValueOrder.COMPARATOR).toList();
                Value extreme = function == Function.LEAST ? sorted.getFirst() : sorted.getLast();
                yield NaiveExpressions.isReal(type) ? new Value.Real(NaiveExpressions.real(extreme)) : extreme;
            }
            case TO_INT -> toInt(value);
            case TO_FLOAT -> toFloat(value);
            case HOUR -> new Value.Int(utc(value).getHour());
            case MINUTE -> new Value.Int(utc(value).getMinute());
            case SECOND -> new Value.Int(utc(value).getSecond());
            case WEEKDAY -> {
                List<String> days =
                        List.of("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY");
                yield new Value.Int(1
                        + days.indexOf(
                                NaiveExpressions.day(value).getDayOfWeek().name()));
            }
            case WEEK -> new Value.Int(NaiveExpressions.day(value).get(WeekFields.ISO.weekOfWeekBasedYear()));
            case QUARTER -> new Value.Int((NaiveExpressions.day(value).getMonthValue() + 2) / 3);
            case TO_DATE -> {
                try {
                    yield new Value.Date((int) NaiveExpressions.day(value).toEpochDay());
                } catch (DateTimeException e) {
                    yield Value.NULL;
                }
            }
            case TO_DATETIME -> {
                try {
                    yield new Value.DateTime(NaiveExpressions.millis(value));
                } catch (DateTimeException e) {
                    yield Value.NULL;
                }
            }
            case DATE_ADD -> {
                LocalDate moved = moved(NaiveExpressions.day(value).atStartOfDay(), values)
                        .toLocalDate();
                yield new Value.Date((int) moved.toEpochDay());
            }
            case DATETIME_ADD -> {
                LocalDateTime moved = moved(utc(value).toLocalDateTime(), values);
                yield new Value.DateTime(moved.toInstant(ZoneOffset.UTC).toEpochMilli());
            }
            case FORMAT -> {
                LocalDate day = NaiveExpressions.day(value);
                yield new Value.Text(
                        string(values.get(1)).equals("yyyy-MM")
                                ? String.format("%04d-%02d", day.getYear(), day.getMonthValue())
                                : String.valueOf(day.getDayOfMonth()));
            }
            case RANGE -> {
                List<Value> items = new ArrayList<>();
                BigInteger step = values.size() > 2 ? NaiveExpressions.whole(values.get(2)) : BigInteger.ONE;
                if (step.signum() == 0) {
                    throw new NaiveFault(false);
                }
                BigInteger last = NaiveExpressions.whole(values.get(1));
                for (BigInteger at = NaiveExpressions.whole(value);
                        step.signum() * at.compareTo(last) <= 0;
                        at = at.add(step)) {
                    items.add(new Value.Int(at.longValueExact()));
                }
                yield new Value.ListOf(items);
            }
            case SORT -> {
                List<Value> sorted = new ArrayList<>();
                for (Value item : ((Value.ListOf) value).items()) {
                    int at = 0;
                    while (at < sorted.size() && ValueOrder.compare(sorted.get(at), item) <= 0) {
                        at++;
                    }
                    sorted.add(at, item);
                }
                yield new Value.ListOf(sorted);
            }
            case UNIQUE -> {
                List<Value> kept = new ArrayList<>();
                for (Value item : ((Value.ListOf) value).items()) {
                    if (kept.stream().noneMatch(known -> ValueOrder.equal(known, item))) {
                        kept.add(item);
                    }
                }
                yield new Value.ListOf(kept);
            }
            case NOW, LOWER, UPPER, LENGTH, COALESCE, ABS, ROUND, DATE, DATETIME, YEAR, MONTH, DAY ->
                throw new IllegalArgumentException("computed elsewhere: " + function);
            case DATE_DIFF, DATETIME_DIFF, TRUNCATE ->
                throw new IllegalArgumentException("computed elsewhere: " + function);
        };
    }

    /** Moves by calendar fields; a day beyond the end of its month becomes the last one. */
    private static LocalDateTime moved(LocalDateTime from, List<Value> values) {
        BigInteger count = NaiveExpressions.whole(values.get(1));
        String unit = string(values.get(2));
        if (count.bitLength() > 20) {
            throw new NaiveFault(false);
        }
        int n = count.intValue();
        LocalDateTime moved = switch (unit) {
            case "year" -> byMonths(from, 12 * n);
            case "quarter" -> byMonths(from, 3 * n);
            case "month" -> byMonths(from, n);
            default -> from.plusDays(unit.equals("week") ? 7L * n : n);
        };
        if (moved.getYear() < 0 || moved.getYear() > 9999) {
            throw new NaiveFault(false);
        }
        return moved;
    }

    private static LocalDateTime byMonths(LocalDateTime from, int months) {
        YearMonth month = YearMonth.from(from).plusMonths(months);
        return month.atDay(Math.min(from.getDayOfMonth(), month.lengthOfMonth()))
                .atTime(from.toLocalTime());
    }

    private static String string(Value value) {
        return ((Value.Text) value).value();
    }

    private static List<Integer> points(Value text) {
        return new ArrayList<>(string(text).codePoints().boxed().toList());
    }

    private static Value text(List<Integer> points) {
        StringBuilder text = new StringBuilder();
        points.forEach(text::appendCodePoint);
        return new Value.Text(text.toString());
    }

    private static Value part(Value text, BigInteger start, BigInteger count) {
        List<Integer> kept = new ArrayList<>();
        List<Integer> points = points(text);
        BigInteger from = start.max(BigInteger.ZERO);
        for (int i = 0; i < points.size(); i++) {
            BigInteger at = BigInteger.valueOf(i);
            if (at.compareTo(from) >= 0 && at.compareTo(from.add(count)) < 0) {
                kept.add(points.get(i));
            }
        }
        return text(kept);
    }

    private static List<String> pieces(String text, String separator) {
        return Arrays.asList(text.split(java.util.regex.Pattern.quote(separator), -1));
    }

    private static BigDecimal exact(Value value) {
        return value instanceof Value.Real(double real)
                ? new BigDecimal(real)
                : new BigDecimal(NaiveExpressions.whole(value));
    }

    private static Value rounded(Value value, RoundingMode mode) {
        return value instanceof Value.Real
                ? new Value.Real(exact(value).setScale(0, mode).doubleValue())
                : value;
    }

    private static Value toInt(Value value) {
        BigInteger whole;
        if (value instanceof Value.Text(String text)) {
            boolean digits = !text.isEmpty() && text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
            try {
                whole = digits ? new BigInteger(text) : null;
            } catch (NumberFormatException e) {
                whole = null;
            }
        } else {
            whole = exact(value).toBigInteger();
        }
        return whole == null || whole.bitLength() > 63 ? Value.NULL : new Value.Int(whole.longValue());
    }

    private static Value toFloat(Value value) {
        if (!(value instanceof Value.Text(String text))) {
            return new Value.Real(NaiveExpressions.real(value));
        }
        boolean begins = text.chars().allMatch(c -> "0123456789.eE+-".indexOf(c) >= 0) && !text.startsWith("+");
        try {
            return begins ? new Value.Real(new BigDecimal(text).doubleValue()) : Value.NULL;
        } catch (NumberFormatException e) {
            return Value.NULL;
        }
    }

    private static OffsetDateTime utc(Value value) {
        return Instant.ofEpochMilli(NaiveExpressions.millis(value)).atOffset(ZoneOffset.UTC);
    }

    private static String instant(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }
}
