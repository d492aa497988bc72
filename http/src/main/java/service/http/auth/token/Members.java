package service.http.auth.token;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.json.Json;

/**
 * The members of a JSON object, read by strict rules. A refusal names the member and the rule, never the value, because
 * it is logged. Immutable.
 */
final class Members {
    /** The largest integer that every JSON implementation represents exactly. */
    private static final long INTEGER_MAX = 1L << 53;

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,128}");

    private final ObjectNode node;
    private final String what;
    private final Function<String, ? extends RuntimeException> refusal;

    private Members(ObjectNode node, String what, Function<String, ? extends RuntimeException> refusal) {
        this.node = node;
        this.what = what;
        this.refusal = refusal;
    }

    /**
     * Parses strict JSON in UTF-8.
     *
     * @param what how a refusal names the object, such as {@code the header}
     * @param refusal makes the exception of a refusal
     */
    static Members parse(byte[] json, String what, Function<String, ? extends RuntimeException> refusal) {
        try {
            return new Members(Json.readObject(json, what), what, refusal);
        } catch (ServiceException e) {
            // The message of the parser may contain a part of the text.
            throw refusal.apply(what + " is not one strict JSON object in UTF-8");
        }
    }

    /** The refusal of this object with a reason. */
    RuntimeException refuse(String reason) {
        return refusal.apply(what + ": " + reason);
    }

    /** Refuses the object unless it has exactly these members. A misspelt one is named before the missing one. */
    Members exactly(Set<String> names) {
        return exactly(names, Set.of());
    }

    /** Like {@link #exactly(Set)}, with members that may be missing. */
    Members exactly(Set<String> names, Set<String> optional) {
        Set<String> known = new TreeSet<>(names);
        known.addAll(optional);
        node.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw refuse(unknown(name, known));
            }
        });
        return withAll(names);
    }

    /** Refuses the object unless it has these members; it may have others. */
    Members withAll(Set<String> names) {
        for (String name : new TreeSet<>(names)) {
            if (!node.has(name)) {
                throw refuse("`" + name + "` is missing");
            }
        }
        return this;
    }

    private static String unknown(String name, Set<String> names) {
        // Other names could forge lines of the log.
        String shown = ID.matcher(name).matches() ? "`" + name + "` is unknown" : "it has an unknown member";
        String meant = Suggestion.didYouMean(name, names);
        return shown + "; " + (meant == null ? "its members are " + String.join(", ", names) : meant);
    }

    boolean has(String name) {
        return node.has(name);
    }

    @Nullable
    JsonNode get(String name) {
        return node.get(name);
    }

    String text(String name) {
        JsonNode value = node.get(name);
        if (value == null || !value.isTextual()) {
            throw refuse("`" + name + "` must be a string");
        }
        return value.textValue();
    }

    /** The text of a member; null when it is missing or no string. */
    @Nullable
    String textOrNull(String name) {
        JsonNode value = node.get(name);
        return value == null || !value.isTextual() ? null : value.textValue();
    }

    /** The text of a member that may be missing, but must be a string. */
    @Nullable
    String optionalText(String name) {
        return node.has(name) ? text(name) : null;
    }

    /** The strings of an array that may be missing, each once; refuses one that does not match. */
    List<String> optionalTexts(String name, int max, Pattern pattern, String rule) {
        if (!node.has(name)) {
            return List.of();
        }
        if (!(node.get(name) instanceof ArrayNode array) || array.size() > max) {
            throw refuse("`%s` must be an array of at most %d strings".formatted(name, max));
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode each : array) {
            if (!each.isTextual() || !pattern.matcher(each.textValue()).matches() || texts.contains(each.textValue())) {
                throw refuse("each entry of `" + name + "` must be " + rule + ", once");
            }
            texts.add(each.textValue());
        }
        return List.copyOf(texts);
    }

    /** Refuses the object unless the member is missing or this string. */
    void requireIfGiven(String name, String expected) {
        if (node.has(name)) {
            require(name, expected, expected);
        }
    }

    /** Refuses the object unless the member is this string. */
    void require(String name, String expected, String meaning) {
        if (!text(name).equals(expected)) {
            throw refuse("`" + name + "` is not " + meaning);
        }
    }

    /** 1–128 of {@code [A-Za-z0-9_-]}. */
    String id(String name) {
        String value = text(name);
        if (!ID.matcher(value).matches()) {
            throw refuse("`" + name + "` must be 1 to 128 of A-Z, a-z, 0-9, _ and -");
        }
        return value;
    }

    /** A whole number from 0 to 2^53, written without fraction and exponent. */
    long integer(String name) {
        JsonNode value = node.get(name);
        if (value == null
                || !value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < 0
                || value.longValue() > INTEGER_MAX) {
            throw refuse("`" + name + "` must be a whole number");
        }
        return value.longValue();
    }

    /** Refuses the object unless its {@code version} is the integer 1. */
    void requireVersionOne() {
        if (integer("version") != 1) {
            throw refuse("`version` must be 1");
        }
    }

    /** The objects of an array with a bounded number of entries. */
    List<Members> objects(String name, int min, int max) {
        if (!(node.get(name) instanceof ArrayNode array) || array.size() < min || array.size() > max) {
            throw refuse("`%s` must be an array of %d to %d objects".formatted(name, min, max));
        }
        List<Members> entries = new ArrayList<>();
        for (JsonNode each : array) {
            if (!(each instanceof ObjectNode entry)) {
                throw refuse("`" + name + "` has an entry that is not an object");
            }
            entries.add(new Members(entry, what + ", `" + name + "`", refusal));
        }
        return entries;
    }
}
