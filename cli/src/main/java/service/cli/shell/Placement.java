package service.cli.shell;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;

/**
 * Moves findings to their places in what was typed, around which a query was put before it was sent.
 *
 * @param typed the text as the user wrote it
 * @param linesBefore lines that were put before the body
 * @param lineOfBody the line of the typed text on which the body begins, from 1
 */
public record Placement(String typed, int linesBefore, int lineOfBody) {
    /** The findings of an error body, moved; empty when it has none. */
    public List<Diagnostic> of(@Nullable ObjectNode errorBody) {
        List<Diagnostic> placed = new ArrayList<>();
        if (errorBody == null) {
            return placed;
        }
        SourceText text = new SourceText(typed);
        int lines = text.line(typed.length());
        for (JsonNode finding : errorBody.path("diagnostics")) {
            int line = finding.path("line").asInt();
            line = line > lineOfBody ? line - linesBefore : line;
            int column = finding.path("column").asInt();
            if (line > lines) {
                // At the closing brace that was added.
                line = lines;
                column = text.column(typed.length());
            }
            placed.add(text.at(
                    line,
                    column,
                    finding.path("code").asText(),
                    finding.path("message").asText(),
                    finding.hasNonNull("hint") ? finding.get("hint").asText() : null));
        }
        return placed;
    }
}
