package service.cli.shell;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The body of a query without a name: it gets one, and declares the parameters that it uses. */
public final class BareStatement {
    private static final String NAME = "statement";

    private BareStatement() {}

    /**
     * The source with a named query; the source itself where its queries have names.
     *
     * @param arguments the values of parameters, from which their types are taken
     */
    public static String named(String source, ObjectNode arguments) {
        int body = InputShape.bareBody(source);
        if (body < 0) {
            return source;
        }
        Map<String, String> types = new TreeMap<>();
        arguments.properties().forEach(each -> types.put(each.getKey(), typeOf(each.getValue())));
        String text = source.strip().endsWith(";")
                ? source.stripTrailing().substring(0, source.stripTrailing().length() - 1)
                : source;
        return text.substring(0, body) + "query " + NAME + "(" + declared(text, types) + ") {\n" + text.substring(body)
                + "\n}";
    }

    /** Where findings in {@link #named} are in the source. */
    public static Placement placement(String source) {
        int body = InputShape.bareBody(source);
        if (body < 0) {
            return new Placement(source, 0, 1);
        }
        String head = source.substring(0, body);
        return new Placement(
                source, 1, (int) head.chars().filter(c -> c == '\n').count() + 1);
    }

    /** The declarations of the parameters that a text uses. */
    static String declared(String text, Map<String, String> types) {
        List<String> declared = new ArrayList<>();
        types.forEach((name, type) -> {
            if (Pattern.compile("\\$" + Pattern.quote(name) + "\\b")
                    .matcher(text)
                    .find()) {
                declared.add("$" + name + ": " + type);
            }
        });
        return String.join(", ", declared);
    }

    /** The type that a JSON value has when nothing declares one. */
    static String typeOf(JsonNode value) {
        if (value.isArray()) {
            return "[" + (value.isEmpty() ? "String" : typeOf(value.get(0))) + "]";
        }
        if (value.isBoolean()) {
            return "Bool";
        }
        if (value.isIntegralNumber()) {
            return "I64";
        }
        if (value.isNull()) {
            return "String?";
        }
        return value.isNumber() ? "F64" : "String";
    }
}
