package service.cli.table;

import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.VisibleText;

/**
 * What the cells of one column have in common. A type is proposed when a load takes every cell as one of it; the
 * narrowest first. Holds up to 20 different words, and the hashes of all values as long as they differ. One thread.
 */
final class InferredColumn {
    /** A column with fewer different words is an enum. */
    private static final int ENUM_VALUES = 20;

    private static final List<PropertyType> TYPES = List.of(
            PropertyType.BOOL,
            new PropertyType.Scalar(ScalarType.I32),
            PropertyType.I64,
            PropertyType.U64,
            PropertyType.F64,
            PropertyType.DATE,
            PropertyType.DATETIME,
            new PropertyType.ListOf(ScalarType.I64),
            new PropertyType.ListOf(ScalarType.F64),
            new PropertyType.ListOf(ScalarType.STRING),
            PropertyType.STRING,
            // For the bytes of Parquet that are no text.
            new PropertyType.Scalar(ScalarType.BLOB));

    /** What many programs write where there is no value. */
    private static final Set<String> NOTHING = Set.of(
            "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "Null", "null", "None", "none", "-", "--", "?", ".",
            "\\N");

    /** Forms of dates that are not those of a load, and how each is read. */
    private static final Map<String, CellText> DATE_FORMS = Stream.of(
                    "dd.MM.uuuu", "MM/dd/uuuu", "dd/MM/uuuu", "uuuu/MM/dd", "M/d/uuuu", "d/M/uuuu", "M/d/yy", "d/M/yy")
            .collect(Collectors.toMap(
                    form -> form,
                    form -> new CellText(
                            DateTimeFormatter.ofPattern(form, Locale.ROOT).withResolverStyle(ResolverStyle.SMART)),
                    (one, other) -> one,
                    LinkedHashMap::new));

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_-]{1,255}");
    private static final Pattern DIGITS = Pattern.compile("\\s*[+-]?[0-9]+\\s*");

    /** Digits that count nothing, such as a postal code. */
    private static final Pattern CODE = Pattern.compile("\\s*(-?0[0-9]+|\\+[0-9]+)\\s*");

    /** So many digits fit a float of 64 bits without a loss. */
    private static final int EXACT_DIGITS = 15;

    private static final int SHOWN_MAX = 40;

    final String header;
    final ValueHashes hashes;
    private final List<PropertyType> types = new ArrayList<>(TYPES);
    private final Map<String, Long> nothings = new LinkedHashMap<>();
    private final List<String> dateForms = new ArrayList<>(DATE_FORMS.keySet());
    private final TreeSet<String> words = new TreeSet<>();

    /** The types without the cells of {@link #NOTHING}; null as long as there was none. */
    private @Nullable List<PropertyType> typesOfOthers;

    private boolean areWords = true;
    private long values;
    private boolean hasNulls;

    /** The first cell that no type takes. */
    private @Nullable String misfit;

    InferredColumn(String header, ValueHashes hashes) {
        this.header = header;
        this.hashes = hashes;
    }

    /** Adds the cell of a row. */
    void add(TableReader row, int column) {
        if (row.isNull(column)) {
            hasNulls = true;
            return;
        }
        String text = row.shown(column);
        values++;
        if (NOTHING.contains(text)) {
            nothings.merge(text, 1L, Long::sum);
            typesOfOthers = typesOfOthers == null ? new ArrayList<>(types) : typesOfOthers;
        } else {
            dateForms.removeIf(form -> !isDate(form, text));
            if (typesOfOthers != null) {
                keepFitting(typesOfOthers, row, column, text);
            }
        }
        String wrong = keepFitting(types, row, column, text);
        if (types.isEmpty() && misfit == null) {
            misfit = "%s %d: `%s` %s".formatted(row.placeName(), row.place(), cut(text), wrong);
        }
        if (areWords) {
            words.add(text);
            areWords = words.size() < ENUM_VALUES && WORD.matcher(text).matches();
        }
        hashes.add(text);
    }

    /** Removes the types that the cell is none of; returns the last reason. */
    private static String keepFitting(List<PropertyType> left, TableReader row, int column, String text) {
        String wrong = "";
        for (int i = left.size() - 1; i >= 0; i--) {
            try {
                if (isMeant(left.get(i), text)) {
                    var unused = row.cell(column, left.get(i));
                    continue;
                }
            } catch (IllegalArgumentException e) {
                wrong = String.valueOf(e.getMessage());
            }
            left.remove(i);
        }
        return wrong;
    }

    /** Whether a text that can be read as the type says the same as one of it. */
    private static boolean isMeant(PropertyType type, String text) {
        if (type.equals(PropertyType.BOOL)) {
            return !DIGITS.matcher(text).matches();
        }
        if (!(type instanceof PropertyType.Scalar(ScalarType scalar) && scalar.isNumeric())) {
            return true;
        }
        boolean rounded = scalar.isFloat()
                && text.length() > EXACT_DIGITS
                && DIGITS.matcher(text).matches();
        boolean isReal = !scalar.isFloat() && text.indexOf('.') >= 0;
        return !rounded && !isReal && !CODE.matcher(text).matches();
    }

    private static boolean isDate(String form, String text) {
        try {
            var unused = Objects.requireNonNull(DATE_FORMS.get(form)).value(text, PropertyType.DATE);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String cut(String text) {
        return VisibleText.oneLine(text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "…" : text);
    }

    /** Says that some rows do not have the column. */
    void addMissing() {
        hasNulls = true;
    }

    boolean hasNulls() {
        return hasNulls || values == 0;
    }

    /** The different cells where they are few words, else empty. */
    Set<String> words() {
        return areWords ? words : Set.of();
    }

    /** The type of all cells; null where there is none. */
    @Nullable
    PropertyType type() {
        if (values == 0) {
            return PropertyType.STRING;
        }
        if (types.isEmpty()) {
            return null;
        }
        PropertyType narrowest = types.getFirst();
        boolean repeats = words.size() > 1 && values >= 2L * words.size();
        return narrowest.equals(PropertyType.STRING) && areWords && repeats
                ? new PropertyType.EnumOf(List.copyOf(words))
                : narrowest;
    }

    /** Whether every row has another value, of a type that may be a key. */
    boolean isUnique() {
        boolean isKey = type() instanceof PropertyType.Scalar(ScalarType scalar)
                && (scalar == ScalarType.STRING || (scalar.isNumeric() && !scalar.isFloat()));
        return !hasNulls && isKey && hashes.areUnique();
    }

    /** What is not certain about the column; null where nothing is. */
    @Nullable
    String doubt() {
        if (values == 0) {
            return "no row has a value";
        }
        if (misfit != null) {
            return "no type fits: " + misfit;
        }
        PropertyType type = type();
        long said = nothings.values().stream().mapToLong(Long::longValue).sum();
        boolean isText = said < values && (PropertyType.STRING.equals(type) || type instanceof PropertyType.EnumOf);
        if (isText && typesOfOthers != null && !typesOfOthers.isEmpty()) {
            PropertyType other = typesOfOthers.getFirst();
            if (!other.equals(PropertyType.STRING)) {
                String without = nothings.entrySet().stream()
                        .map(each -> "`%s` in %d".formatted(each.getKey(), each.getValue()))
                        .collect(Collectors.joining(", "));
                return "%s? without %s of %d rows; load with --null %s"
                        .formatted(
                                other,
                                without,
                                values,
                                nothings.keySet().iterator().next());
            }
        }
        if (isText && !dateForms.isEmpty()) {
            List<String> forms = dateForms.stream().limit(2).toList();
            return "Date? load with --date-format " + String.join(" or ", forms);
        }
        return hashes.areUnknown() && PropertyType.STRING.equals(type)
                ? "too many values to know whether they are unique"
                : null;
    }
}
