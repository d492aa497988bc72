package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import service.core.value.VisibleText;

/** Shows what the caller of a write has said about it: control characters as escapes, line by line. */
final class NoteText {
    private static final int FIRST_LINE_MAX = 72;

    private NoteText() {}

    /** The first line of the message of a record, cut where it is long; empty without a message. */
    static String firstLine(JsonNode record) {
        String message = record.path("message").asText("");
        String first = message.lines().findFirst().orElse("");
        return first.codePointCount(0, first.length()) <= FIRST_LINE_MAX
                ? first
                : first.substring(0, first.offsetByCodePoints(0, FIRST_LINE_MAX)) + "…";
    }

    /**
     * Prints message and pairs, each only where it is there.
     *
     * @param message the head of the first line; the others are indented by as much
     * @param meta the head of each pair
     */
    static void print(JsonNode record, String message, String meta, PrintWriter out) {
        String head = message;
        for (String line : record.path("message").asText("").split("\n", -1)) {
            if (record.has("message")) {
                out.println(head + VisibleText.oneLine(line));
            }
            head = " ".repeat(message.length());
        }
        record.path("meta")
                .properties()
                .forEach(pair -> out.println(meta + VisibleText.oneLine(pair.getKey()) + "="
                        + VisibleText.oneLine(pair.getValue().asText())));
    }
}
