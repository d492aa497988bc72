package service.cli.table;

import java.io.IOException;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.json.JsonValues;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueConversion;

/**
 * The text of a cell as a value of a type: numbers and dates as in JSON but without quotes, lists and vectors as JSON.
 * Spaces around numbers, dates and words of {@code Bool} are passed over; texts are taken as they are.
 *
 * @param dates the form of dates and times; null for ISO 8601
 */
record CellText(@Nullable DateTimeFormatter dates) {
    /** Longer digits are no number of any type. */
    private static final int DIGITS_MAX = 20;

    /** @throws IllegalArgumentException with the reason, to be written after the cell */
    Value value(String text, PropertyType type) {
        try {
            return switch (type) {
                case PropertyType.Scalar scalar -> scalar(text, scalar.scalar());
                case PropertyType.EnumOf words -> word(text, words);
                case PropertyType.ListOf ignored -> fromJson(text, type);
                case PropertyType.VectorOf ignored -> fromJson(text, type);
                case PropertyType.AnyInteger any -> throw any.undeclared();
            };
        } catch (ServiceException e) {
            throw new IllegalArgumentException(e.getMessage().strip(), e);
        }
    }

    private Value scalar(String text, ScalarType type) {
        return switch (type) {
            case STRING, BLOB -> new Value.Text(text);
            case BOOL ->
                switch (text.strip()) {
                    case "true", "True", "TRUE", "1" -> new Value.Bool(true);
                    case "false", "False", "FALSE", "0" -> new Value.Bool(false);
                    default -> throw no(type);
                };
            case I32, I64, U32, U64 -> integer(text.strip(), type);
            case F32, F64 -> real(text.strip(), type);
            case DATE -> new Value.Date(date(text.strip()));
            case DATETIME -> new Value.DateTime(dateTime(text.strip()));
        };
    }

    private static IllegalArgumentException no(ScalarType type) {
        return new IllegalArgumentException("is no " + type.schemaName());
    }

    private static Value integer(String text, ScalarType type) {
        int first = text.startsWith("-") || text.startsWith("+") ? 1 : 0;
        int digits = text.length() - first;
        boolean whole = digits > 0 && digits <= DIGITS_MAX;
        for (int i = first; i < text.length() && whole; i++) {
            whole = text.charAt(i) >= '0' && text.charAt(i) <= '9';
        }
        if (!whole) {
            throw no(type);
        }
        BigInteger large = digits < DIGITS_MAX - 1 ? null : new BigInteger(text);
        boolean unsigned = large != null && large.signum() > 0 && large.bitLength() == Long.SIZE;
        try {
            if (large != null && large.bitLength() >= Long.SIZE && !unsigned) {
                throw new IllegalArgumentException();
            }
            long bits = large == null ? Long.parseLong(text) : large.longValue();
            return ValueConversion.convert(
                    unsigned ? new Value.UInt(bits) : new Value.Int(bits), new PropertyType.Scalar(type));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("does not fit " + type.schemaName(), e);
        }
    }

    private static Value word(String text, PropertyType.EnumOf words) {
        if (!words.values().contains(text)) {
            throw new IllegalArgumentException("is not one of " + words);
        }
        return new Value.Text(text);
    }

    private static Value real(String text, ScalarType type) {
        double number;
        // Java also takes 1f, 0x1p3, NaN and Infinity.
        boolean decimal = !text.isEmpty()
                && text.chars()
                        .allMatch(c ->
                                (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E');
        try {
            number = decimal ? Double.parseDouble(text) : Double.NaN;
        } catch (NumberFormatException e) {
            throw no(type);
        }
        if (Double.isNaN(number)) {
            throw no(type);
        }
        if (Double.isInfinite(number)) {
            throw new IllegalArgumentException("does not fit " + type.schemaName());
        }
        return ValueConversion.convert(new Value.Real(number), new PropertyType.Scalar(type));
    }

    private int date(String text) {
        if (dates == null) {
            return CalendarText.parseDate(text);
        }
        long day = parsed(text).query(LocalDate::from).toEpochDay();
        CalendarText.requireDay(day);
        return (int) day;
    }

    private long dateTime(String text) {
        if (dates == null) {
            // As other programs write times, with a space.
            boolean spaced = text.length() > 10 && text.charAt(10) == ' ';
            return CalendarText.parseDateTime(spaced ? text.substring(0, 10) + "T" + text.substring(11) : text);
        }
        TemporalAccessor parsed = parsed(text);
        Instant instant = parsed.isSupported(java.time.temporal.ChronoField.INSTANT_SECONDS)
                ? Instant.from(parsed)
                : parsed.isSupported(java.time.temporal.ChronoField.HOUR_OF_DAY)
                        ? LocalDateTime.from(parsed).toInstant(ZoneOffset.UTC)
                        : LocalDate.from(parsed).atStartOfDay().toInstant(ZoneOffset.UTC);
        CalendarText.requireDay(Math.floorDiv(instant.getEpochSecond(), 86_400L));
        return instant.toEpochMilli();
    }

    private TemporalAccessor parsed(String text) {
        try {
            return java.util.Objects.requireNonNull(dates).parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("is not written as --date-format says", e);
        }
    }

    private static Value fromJson(String text, PropertyType type) {
        try (var parser = Json.read(text, "the cell").traverse()) {
            parser.nextToken();
            return JsonValues.readStored(type, parser, "");
        } catch (IOException e) {
            throw new IllegalArgumentException("is not valid JSON", e);
        }
    }
}
