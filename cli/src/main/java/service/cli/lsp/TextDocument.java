package service.cli.lsp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import service.core.text.Lexer;

/**
 * A text and its places. The protocol counts lines from 0, and columns in UTF-16 units from 0.
 *
 * @param uri as the editor names it
 */
record TextDocument(String uri, String text) {
    boolean isSchema() {
        return uri.endsWith(".pg");
    }

    boolean isQueries() {
        return uri.endsWith(".gq");
    }

    /** The file; null for a document that is in no file. */
    @Nullable
    Path path() {
        return pathOf(uri);
    }

    static @Nullable Path pathOf(String uri) {
        try {
            return uri.startsWith("file:") ? Path.of(URI.create(uri)) : null;
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }

    /** The offset of a position; the end of the line for one after it. */
    int offset(JsonNode position) {
        int at = 0;
        for (int line = position.path("line").asInt(); line > 0; line--) {
            int end = text.indexOf('\n', at);
            if (end < 0) {
                return text.length();
            }
            at = end + 1;
        }
        int end = text.indexOf('\n', at);
        int column = Math.max(0, position.path("character").asInt());
        return Math.min(at + column, end < 0 ? text.length() : end);
    }

    ObjectNode position(int offset) {
        int line = 0;
        int start = 0;
        for (int end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
            line++;
            start = end + 1;
        }
        return JsonNodeFactory.instance.objectNode().put("line", line).put("character", offset - start);
    }

    ObjectNode range(int start, int end) {
        ObjectNode range = JsonNodeFactory.instance.objectNode();
        range.set("start", position(start));
        range.set("end", position(end));
        return range;
    }

    /** The word around an offset, with a {@code $} or {@code @} before it: its start and end. */
    int[] word(int offset) {
        int start = offset;
        int end = offset;
        while (start > 0 && Lexer.isWord(text.charAt(start - 1))) {
            start--;
        }
        while (end < text.length() && Lexer.isWord(text.charAt(end))) {
            end++;
        }
        if (start > 0 && (text.charAt(start - 1) == '$' || text.charAt(start - 1) == '@')) {
            start--;
        }
        return new int[] {start, end};
    }

    /** The start of the query around an offset. */
    int queryStart(int offset) {
        int at = text.lastIndexOf("\nquery ", offset);
        return at < 0 ? 0 : at + 1;
    }

    /** The end of the query around an offset. */
    int queryEnd(int offset) {
        int at = text.indexOf("\nquery ", offset);
        return at < 0 ? text.length() : at;
    }
}
