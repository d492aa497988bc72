package service.core.json;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains faults that Jackson found in words for users, without the names of its classes and options. Messages that
 * are not known here are passed on unchanged.
 */
final class JsonFaults {
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate field '(.*)'", Pattern.DOTALL);
    private static final Pattern CHARACTER =
            Pattern.compile("Unexpected character \\((.*?) \\(code [^)]*\\)\\):? ?(.*)", Pattern.DOTALL);
    private static final Pattern CONSTRAINT = Pattern.compile(
            "(Document nesting depth|Number value length|String value length|Name length) .*?"
                    + "exceeds the maximum allowed \\(([0-9]+).*",
            Pattern.DOTALL);

    private JsonFaults() {}

    static String explain(JacksonException fault) {
        String message = fault.getOriginalMessage();
        if (message == null) {
            return "cannot be read";
        }
        return switch (fault) {
            case JsonEOFException ignored -> "it ends before it is complete";
            case StreamConstraintsException ignored -> constraint(message);
            case MismatchedInputException ignored ->
                message.startsWith("Trailing token") ? "something follows the value; send one" : message;
            default -> token(message);
        };
    }

    private static String constraint(String message) {
        Matcher bound = CONSTRAINT.matcher(message);
        if (!bound.matches()) {
            return message;
        }
        String most = bound.group(2);
        return switch (bound.group(1)) {
            case "Document nesting depth" -> "it is nested deeper than " + most + " levels";
            case "Number value length" -> "a number in it has more than " + most + " digits";
            case "Name length" -> "a key in it has more than " + most + " characters";
            default -> "a string in it has more than " + most + " characters";
        };
    }

    private static String token(String message) {
        Matcher duplicate = DUPLICATE.matcher(message);
        if (duplicate.matches()) {
            return "the key `" + duplicate.group(1) + "` occurs twice";
        }
        Matcher character = CHARACTER.matcher(message);
        if (character.matches()) {
            String wanted = character.group(2);
            return "unexpected character "
                    + character.group(1)
                    + (wanted.startsWith("was expecting double-quote")
                            ? "; expected a key in double quotes here"
                            : wanted.startsWith("maybe a (non-standard) comment")
                                    ? "; JSON has no comments"
                                    : wanted.startsWith("expected a valid value") ? "; expected a value here" : "");
        }
        if (message.startsWith("Non-standard token '")) {
            String number = message.substring(message.indexOf('\'') + 1);
            return "a number must be finite, not " + number.substring(0, Math.max(0, number.indexOf('\'')));
        }
        if (message.startsWith("Unrecognized token")) {
            int why = message.indexOf(": was expecting");
            return "u" + (why < 0 ? message : message.substring(0, why)).substring(1);
        }
        if (message.startsWith("Illegal unquoted character")) {
            return "a string holds a control character; write it with a backslash, such as \\n";
        }
        if (message.startsWith("Illegal character")) {
            return "it holds a control character";
        }
        int source = message.indexOf(" (start marker at [Source");
        return source < 0 ? message : message.substring(0, source);
    }
}
