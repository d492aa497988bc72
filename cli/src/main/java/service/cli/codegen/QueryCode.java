package service.cli.codegen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Writes a module with a typed function for each stored query. A language says how it writes types and functions; how
 * kinds of values become types is the same for all. One thread, one module.
 *
 * <p>A parameter that is nullable or has a default may be left out; where it has both, null differs from that. A column
 * may always be null.
 */
public abstract class QueryCode {
    /** The languages. */
    public enum Language {
        PYTHON,
        TYPESCRIPT;

        /**
         * The module.
         *
         * @param queries the answer of {@code GET /queries}
         */
        public String write(JsonNode queries) {
            QueryCode code = switch (this) {
                case PYTHON -> new PythonCode();
                case TYPESCRIPT -> new TypeScriptCode();
            };
            StringBuilder text = new StringBuilder(code.head());
            for (JsonNode query : queries.path("queries")) {
                String function = code.function(query);
                code.types.forEach(text::append);
                code.types.clear();
                text.append(function);
            }
            return text.toString();
        }
    }

    /** A parameter of a function: its name in the code, and its description in {@code GET /queries}. */
    record Parameter(String name, JsonNode of) {
        String wireName() {
            return of.path("name").asText();
        }

        boolean mayBeLeftOut() {
            return of.path("nullable").asBoolean() || of.has("default");
        }
    }

    /** Types that the next function needs, as they are declared. */
    final List<String> types = new ArrayList<>();

    /** The names of the module. */
    final CodeNames names;

    QueryCode(Collection<String> reserved) {
        names = new CodeNames(reserved);
    }

    abstract String head();

    abstract String function(JsonNode query);

    /** Declares a type of records in {@link #types} and answers how it is referred to. */
    abstract String record(String name, JsonNode fields, boolean isSent);

    /** The type of a scalar, an entity or a path. */
    abstract String plain(String kind, boolean isSent);

    abstract String oneOf(List<String> values);

    abstract String listOf(String item, boolean isSent);

    abstract String orNull(String type);

    /**
     * The type of a parameter, a column or a field, without its null.
     *
     * @param name of the type, where one must be declared
     * @param isSent whether the server takes the value, or answers it
     */
    final String typeOf(JsonNode value, String name, boolean isSent) {
        return typeOf(value, value.path("kind").asText(), name, isSent);
    }

    private String typeOf(JsonNode value, String kind, String name, boolean isSent) {
        return switch (kind) {
            case "list" -> {
                String item = typeOf(value, value.path("item_kind").asText("null"), name, isSent);
                yield listOf(isSent ? item : orNull(item), isSent);
            }
            case "record" -> record(name, value.path("fields"), isSent);
            case "vector" -> listOf(plain("float", isSent), isSent);
            default -> value.path("values").isEmpty() ? plain(kind, isSent) : oneOf(texts(value.path("values")));
        };
    }

    /** The parameters of a query under names of a scope; those that must be given come first. */
    static List<Parameter> parameters(JsonNode query, CodeNames scope) {
        List<Parameter> parameters = new ArrayList<>();
        query.path("params")
                .forEach(each -> parameters.add(
                        new Parameter(scope.take(each.path("name").asText()), each)));
        parameters.sort((a, b) -> Boolean.compare(a.mayBeLeftOut(), b.mayBeLeftOut()));
        return parameters;
    }

    /** What the function does, as one line. */
    static String does(JsonNode query) {
        String text = query.path("description").asText();
        String does =
                text.isEmpty() ? "Runs the stored query `" + query.path("name").asText() + "`." : text;
        return does.strip().replaceAll("\\s+", " ");
    }

    /** A text as a literal of JSON, which Python and TypeScript read alike. */
    static String quoted(String text) {
        return JsonNodeFactory.instance.textNode(text).toString();
    }

    private static List<String> texts(JsonNode values) {
        return StreamSupport.stream(values.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.toList());
    }
}
