package service.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.cli.client.Transport.Request;
import service.core.event.Note;
import service.http.route.Notes;

/** Adds what is said about a write to its request. */
public final class NoteHeaders {
    private NoteHeaders() {}

    /** Adds a note to the body of a write; null adds none. */
    public static void addTo(ObjectNode body, @Nullable Note note) {
        if (note != null) {
            if (note.message() != null) {
                body.put("message", note.message());
            }
            note.meta().forEach((key, value) -> body.withObject("/meta").put(key, value));
        }
    }

    /** Adds a note to a write whose body has no room for one. */
    static Request add(Request request, @Nullable Note note) {
        if (note == null) {
            return request;
        }
        String pairs = note.meta().entrySet().stream()
                .map(pair -> encoded(pair.getKey()) + "=" + encoded(pair.getValue()))
                .collect(Collectors.joining("&"));
        return request.header(Notes.MESSAGE_HEADER, note.message() == null ? null : encoded(note.message()))
                .header(Notes.META_HEADER, pairs.isEmpty() ? null : pairs);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
