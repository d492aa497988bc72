package service.cli.shell;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.SearchFunction;
import service.core.text.Lexer;
import service.core.value.ScalarType;

/** What may follow an unfinished text in GQ: types, properties, edges, variables and keywords. Any thread. */
public final class GqCompletion {
    private static final List<String> WORDS = List.of(
            "query",
            "match",
            "with",
            "return",
            "union",
            "all",
            "distinct",
            "order",
            "asc",
            "desc",
            "skip",
            "limit",
            "per",
            "optional",
            "not",
            "exists",
            "and",
            "or",
            "in",
            "is",
            "null",
            "true",
            "false",
            "as",
            "contains",
            "starts_with",
            "ends_with",
            "matches",
            "insert",
            "update",
            "set",
            "delete",
            "for",
            "where",
            "case",
            "when",
            "then",
            "else",
            "end",
            "let",
            "for",
            "any",
            "all",
            "none",
            "explain",
            "analyze",
            "show",
            "branch",
            "commit");

    /** What may be written where neither a type nor a property is asked for. */
    private static final List<String> KEYWORDS = Stream.concat(
                    Stream.of(WORDS, AggregateFunction.words(), Function.words())
                            .flatMap(List::stream),
                    Stream.of(SearchFunction.values()).map(SearchFunction::text))
            .toList();

    private static final List<String> META = List.of("@id", "@type");
    private static final List<String> EDGE_META = List.of("@id", "@type", "@src", "@dst");

    /** The word before the edge of a walk that chooses its paths. */
    static final String MODE = "(?:(?:all\\s+)?(?:shortest|trail|acyclic|cheapest)\\s+)?";

    private static final List<String> MODES = List.of("all shortest", "shortest", "trail", "acyclic", "cheapest");

    private static final Pattern MEMBER = Pattern.compile("\\$(\\w+)\\.(@?\\w*)$");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\w*$");
    private static final Pattern NAMED = Pattern.compile("\\$(?!_\\b)\\w+\\b(?!$)");
    private static final Pattern COLUMN = Pattern.compile("\\bas\\s+([a-z]\\w*)\\b(?!$)");
    private static final Pattern TYPE_OF_PARAMETER = Pattern.compile("query\\s+\\w+\\s*\\([^){]*:\\s*\\[?\\w*$");
    private static final Pattern TYPE_OF_VARIABLE = Pattern.compile("\\$\\w+\\s*:\\s*\\w*$");
    private static final Pattern WRITTEN_TYPE = Pattern.compile("\\b(insert|update|delete)\\s+\\w*$");
    private static final String FIELDS =
            "(?:insert\\s+|update\\s+|:\\s*)((?:[A-Z]|\\$)\\w*)\\s*(?:set\\s*)?\\{(?:[^{}]*[,\\n])?\\s*";
    private static final Pattern FIELD = Pattern.compile(FIELDS + "\\w*$");

    /** A field whose value comes next. */
    private static final Pattern FIELD_VALUE = Pattern.compile(FIELDS + "(\\w+)\\s*:\\s*$");

    private static final Pattern CONDITION = Pattern.compile("(?:update|delete)\\s+([A-Z]\\w*)[^$]*\\bwhere\\b[^$]*$");
    private static final Pattern EDGE =
            Pattern.compile("\\$(\\w+)\\s+(\\$\\w+\\s*:\\s*)?" + MODE + "[<(]?\\s*(?:\\w+\\s*\\|\\s*)*[a-z]*$");

    /** What a value is compared with comes next: a member of a variable, or a property of a condition. */
    private static final Pattern COMPARED =
            Pattern.compile("(?:\\$(\\w+)\\.|\\b)(\\w+)\\s*(?:!?=|\\bin\\s*\\[(?:\\s*\"[^\"]*\"\\s*,)*)\\s*$");

    private GqCompletion() {}

    /**
     * The candidates for the last word of a text, which begins at {@link #wordStart}; they need not begin as it does.
     * In a string that is still open these are the words of the enum that it is compared with, in a comment none.
     *
     * @param known the schema, if there is one
     * @param parameters names without {@code $}, beside those that the text has
     */
    public static Collection<String> at(String before, @Nullable ShellSchema known, Collection<String> parameters) {
        int open = open(before);
        if (open >= 0) {
            boolean isString = before.charAt(open) == '"';
            return isString && known != null ? words(before.substring(0, open), known) : List.of();
        }
        return known == null ? KEYWORDS : of(before, known, parameters);
    }

    /** Where the last word of a text begins: after the quote of a string that is still open, or at a name. */
    public static int wordStart(String before) {
        if (isInString(before)) {
            return open(before) + 1;
        }
        int start = before.length();
        while (start > 0 && (Lexer.isWord(before.charAt(start - 1)) || "$.@".indexOf(before.charAt(start - 1)) >= 0)) {
            start--;
        }
        return start;
    }

    /** Whether a text ends within a string. */
    static boolean isInString(String before) {
        int open = open(before);
        return open >= 0 && before.charAt(open) == '"';
    }

    /** Where the string or comment begins in which the text ends; -1 where it ends in none. */
    private static int open(String text) {
        int at = 0;
        while (at < text.length()) {
            int end = at + 1;
            if (text.startsWith("//", at)) {
                end = text.indexOf('\n', at);
            } else if (text.startsWith("/*", at)) {
                int closed = text.indexOf("*/", at + 2);
                end = closed < 0 ? closed : closed + 2;
            } else if (text.charAt(at) == '"') {
                end = stringEnd(text, at + 1);
            }
            if (end < 0) {
                return at;
            }
            at = end;
        }
        return -1;
    }

    /** Where the string ends whose text begins at an offset: after its quote or its line; -1 where it does not. */
    private static int stringEnd(String text, int from) {
        for (int at = from; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"' || c == '\n') {
                return at + 1;
            }
            at += c == '\\' ? 1 : 0;
        }
        return -1;
    }

    /** The words of the enum that the value after the text is compared with, or is a value of. */
    private static List<String> words(String before, ShellSchema known) {
        Matcher field = FIELD_VALUE.matcher(before);
        if (field.find()) {
            return known.words(typeOf(field.group(1), before, known), field.group(2));
        }
        Matcher compared = COMPARED.matcher(before);
        if (!compared.find()) {
            return List.of();
        }
        if (compared.group(1) != null) {
            return known.words(known.variables(before).get(compared.group(1)), compared.group(2));
        }
        Matcher condition = CONDITION.matcher(before);
        return condition.find() ? known.words(condition.group(1), compared.group(2)) : List.of();
    }

    /** The type that a word names or a variable has. */
    private static @Nullable String typeOf(String word, String before, ShellSchema known) {
        return word.startsWith("$") ? known.variables(before).get(word.substring(1)) : word;
    }

    private static Collection<String> of(String before, ShellSchema known, Collection<String> parameters) {
        Matcher member = MEMBER.matcher(before);
        if (member.find()) {
            return members(member.group(1), before, known);
        }
        if (TYPE_OF_PARAMETER.matcher(before).find()) {
            return scalars();
        }
        Matcher edge = EDGE.matcher(before);
        boolean isAfterVariable = edge.find();
        if (!(isAfterVariable && edge.group(2) != null)
                && TYPE_OF_VARIABLE.matcher(before).find()) {
            List<String> types = new ArrayList<>(known.nodeTypes());
            types.addAll(known.edges(null));
            return types;
        }
        if (VARIABLE.matcher(before).find()) {
            Set<String> names = new TreeSet<>();
            parameters.forEach(name -> names.add("$" + name));
            NAMED.matcher(before).results().forEach(named -> names.add(named.group()));
            return names;
        }
        if (WRITTEN_TYPE.matcher(before).find()) {
            return known.types();
        }
        Matcher field = FIELD.matcher(before);
        if (field.find()) {
            return fields(typeOf(field.group(1), before, known), known);
        }
        List<String> words = new ArrayList<>();
        words(before, known).forEach(word -> words.add('"' + word + '"'));
        if (isAfterVariable) {
            words.addAll(known.edges(known.variables(before).get(edge.group(1))));
            words.addAll(MODES);
            if (edge.group(2) != null) {
                return words;
            }
        }
        Matcher condition = CONDITION.matcher(before);
        if (condition.find()) {
            words.addAll(known.properties(condition.group(1)));
            words.addAll(EDGE_META);
        }
        COLUMN.matcher(before).results().forEach(column -> words.add(column.group(1)));
        words.addAll(KEYWORDS);
        return words;
    }

    private static List<String> fields(@Nullable String type, ShellSchema known) {
        List<String> names = new ArrayList<>(known.properties(type));
        if (known.isEdge(type)) {
            names.addAll(List.of("from", "to"));
        }
        return names;
    }

    private static Collection<String> members(String variable, String before, ShellSchema known) {
        String type = known.variables(before).get(variable);
        List<String> names = new ArrayList<>(known.properties(type));
        names.addAll(known.isEdge(type) ? EDGE_META : META);
        return names.stream().map(name -> "$" + variable + "." + name).toList();
    }

    private static Collection<String> scalars() {
        List<String> names = new ArrayList<>();
        for (ScalarType scalar : ScalarType.values()) {
            names.add(scalar.schemaName());
        }
        return names;
    }
}
