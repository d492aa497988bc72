package service.core.gq.function;

import java.util.ArrayList;
import java.util.List;
import service.core.value.CalendarText;
import service.core.value.Value;

/** Values of functions of texts and lists. */
final class TextFunctions {
    /** Characters of a text, and items of a list, that a function makes at the most. */
    private static final int MADE_MAX = 1 << 24;

    private static final int ITEMS_MAX = 1 << 20;

    private TextFunctions() {}

    static int length(Value measured) {
        if (measured instanceof Value.ListOf list) {
            return list.items().size();
        }
        if (measured instanceof Value.Path path) {
            return path.edges().items().size();
        }
        String text = ((Value.Text) measured).value();
        return text.codePointCount(0, text.length());
    }

    static String left(String text, long count) {
        return part(text, 0, count);
    }

    static String right(String text, long count) {
        int points = text.codePointCount(0, text.length());
        return part(text, points - Math.clamp(count, 0, points), points);
    }

    /** The code points from a position on; what lies outside of the text is left out. */
    static String part(String text, long start, long count) {
        int points = text.codePointCount(0, text.length());
        int from = Math.clamp(start, 0, points);
        int length = Math.clamp(count, 0, points - from);
        int begin = text.offsetByCodePoints(0, from);
        return text.substring(begin, text.offsetByCodePoints(begin, length));
    }

    static long indexOf(String text, String part) {
        int at = text.indexOf(part);
        return at < 0 ? -1 : text.codePointCount(0, at);
    }

    /** The text with each occurrence replaced; an empty text is never replaced. */
    static String replace(String text, String part, String by) throws ValueFault {
        if (part.isEmpty()) {
            return text;
        }
        long length = text.length();
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            length += by.length() - part.length();
        }
        requireLength(length);
        return text.replace(part, by);
    }

    /** The parts between separators; the code points when the separator is empty. */
    static Value split(String text, String separator) throws ValueFault {
        List<Value> parts = new ArrayList<>();
        int from = 0;
        while (from < text.length() || !separator.isEmpty()) {
            if (parts.size() == ITEMS_MAX) {
                throw new ValueFault("a list of more than " + ITEMS_MAX + " items", null);
            }
            int to = separator.isEmpty() ? text.offsetByCodePoints(from, 1) : text.indexOf(separator, from);
            parts.add(new Value.Text(to < 0 ? text.substring(from) : text.substring(from, to)));
            if (to < 0) {
                break;
            }
            from = to + separator.length();
        }
        return new Value.ListOf(parts);
    }

    static String join(List<Value> items, String separator) throws ValueFault {
        StringBuilder joined = new StringBuilder();
        boolean any = false;
        for (Value item : items) {
            if (!(item instanceof Value.Null)) {
                String text = of(item);
                requireLength((long) joined.length() + separator.length() + text.length());
                joined.append(any ? separator : "").append(text);
                any = true;
            }
        }
        return joined.toString();
    }

    private static void requireLength(long length) throws ValueFault {
        if (length > MADE_MAX) {
            throw new ValueFault("a text of more than " + MADE_MAX + " characters", null);
        }
    }

    static Value reverse(Value textOrList) {
        return textOrList instanceof Value.ListOf list
                ? new Value.ListOf(List.copyOf(list.items().reversed()))
                : new Value.Text(new StringBuilder(((Value.Text) textOrList).value())
                        .reverse()
                        .toString());
    }

    /** The text of a value, as in JSON but without quotation marks. */
    static String of(Value value) {
        return switch (value) {
            case Value.Text(String text) -> text;
            case Value.Bool(boolean is) -> String.valueOf(is);
            case Value.Int(long number) -> String.valueOf(number);
            case Value.UInt(long bits) -> Long.toUnsignedString(bits);
            case Value.Real(double number) -> String.valueOf(number);
            case Value.Date(int day) -> CalendarText.date(day);
            case Value.DateTime(long millis) -> CalendarText.dateTime(millis);
            default -> throw new IllegalArgumentException("no text: " + value);
        };
    }
}
