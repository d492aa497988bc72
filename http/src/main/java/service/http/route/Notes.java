package service.http.route;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.Note;

/** What a request says about its write: the fields {@code message} and {@code meta}, or two headers. */
public final class Notes {
    /** The field of the body with the message. */
    static final String MESSAGE = "message";

    /** The field of the body with the pairs. */
    static final String META = "meta";

    /** The header with the message, percent-encoded. */
    public static final String MESSAGE_HEADER = "Service-Commit-Message";

    /** The header with the pairs: {@code k=v&k=v}, percent-encoded. */
    public static final String META_HEADER = "Service-Commit-Meta";

    private Notes() {}

    /** The note of a body; null for none. */
    static @Nullable Note of(@Nullable Fields fields) {
        if (fields == null) {
            return null;
        }
        ObjectNode meta = fields.object(META);
        return Note.of(fields.text(MESSAGE), meta == null ? Map.of() : pairs(meta));
    }

    private static SortedMap<String, String> pairs(ObjectNode meta) {
        SortedMap<String, String> pairs = new TreeMap<>();
        for (Map.Entry<String, JsonNode> pair : meta.properties()) {
            if (!pair.getValue().isTextual()) {
                throw notTexts();
            }
            pairs.put(pair.getKey(), pair.getValue().textValue());
        }
        return pairs;
    }

    static ServiceException notTexts() {
        return ServiceException.badRequest("field `meta` must be an object of strings, such as {\"ticket\":\"T-17\"}");
    }

    /** The note of a request whose body has no room for it; null for none. */
    static @Nullable Note ofHeaders(Call call) {
        String message = header(call, MESSAGE_HEADER);
        String meta = header(call, META_HEADER);
        SortedMap<String, String> pairs = new TreeMap<>();
        if (meta != null && !meta.isEmpty()) {
            for (String pair : meta.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 0) {
                    throw ServiceException.badRequest(
                            "header `" + META_HEADER + "` must be key=value pairs, percent-encoded and joined by `&`");
                }
                String key = Percent.text(pair.substring(0, equals), META_HEADER);
                if (pairs.put(key, Percent.text(pair.substring(equals + 1), META_HEADER)) != null) {
                    throw ServiceException.badRequest(
                            "header `" + META_HEADER + "` has key `" + key + "` twice; give it once");
                }
            }
        }
        return Note.of(message == null ? null : Percent.text(message, MESSAGE_HEADER), pairs);
    }

    /**
     * Refuses the headers where the body says it, so that no note is lost without a word.
     *
     * @throws ServiceException BAD_REQUEST
     */
    static void refuseHeaders(Call call) {
        for (String name : List.of(MESSAGE_HEADER, META_HEADER)) {
            if (!call.header(name).isEmpty()) {
                throw ServiceException.badRequest("header `" + name + "` is not taken here; give field `"
                        + (name.equals(MESSAGE_HEADER) ? MESSAGE : META) + "` in the body");
            }
        }
    }

    private static @Nullable String header(Call call, String name) {
        List<String> values = call.header(name);
        if (values.size() > 1) {
            throw ServiceException.badRequest("header `" + name + "` is given twice; give it once");
        }
        return values.isEmpty() ? null : values.getFirst();
    }
}
