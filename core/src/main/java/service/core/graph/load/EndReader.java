package service.core.graph.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.error.Suggestion;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;

/** Reads {@code from} and {@code to} of a record: an id, or {@code {"type", "id"}}. One thread. */
final class EndReader {
    private final String member;
    private final UnaryOperator<String> shared;
    private final Function<String, ServiceException> refusal;
    private boolean given;
    private @Nullable String id;
    private @Nullable String type;

    /**
     * @param member {@code from} or {@code to}
     * @param shared makes equal ids one string
     * @param refusal of the record
     */
    EndReader(String member, UnaryOperator<String> shared, Function<String, ServiceException> refusal) {
        this.member = member;
        this.shared = shared;
        this.refusal = refusal;
    }

    /** Begins a record. */
    void reset() {
        given = false;
        id = null;
        type = null;
    }

    boolean isGiven() {
        return given;
    }

    /** The id; null where the record has no such end. */
    @Nullable
    String id() {
        return id;
    }

    /** Reads the value at the parser. */
    void read(JsonParser parser) throws IOException {
        if (given) {
            throw refusal.apply("the key `" + member + "` occurs twice");
        }
        given = true;
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            id = shared.apply(parser.getText());
            return;
        }
        boolean whole = parser.currentToken() == JsonToken.START_OBJECT;
        while (whole && parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            boolean text = parser.nextToken() == JsonToken.VALUE_STRING;
            if (text && name.equals("id") && id == null) {
                id = shared.apply(parser.getText());
            } else if (text && name.equals("type") && type == null) {
                type = parser.getText();
            } else {
                whole = false;
            }
        }
        if (!whole || id == null || type == null) {
            throw refusal.apply("`" + member + "` must be a string, or an object {\"type\", \"id\"} of two strings");
        }
    }

    /**
     * How an image names the node type of the end.
     *
     * @return {@link LoadRecord.EndTypes#OPEN} where only the data says it
     */
    int stored(EntityType.EdgeType edge, EdgeEnd end) {
        if (type == null) {
            return end.types().size() == 1 ? end.stored(end.types().getFirst().identity()) : LoadRecord.EndTypes.OPEN;
        }
        for (EdgeEnd.NodeName each : end.types()) {
            if (each.name().equals(type)) {
                return end.stored(each.identity());
            }
        }
        String meant = Suggestion.didYouMean(
                type, end.types().stream().map(EdgeEnd.NodeName::name).toList());
        throw refusal.apply("`" + member + "` of edge " + edge.name() + " is no `" + type + "`, but a " + end.names()
                + (meant == null ? "" : "; " + meant));
    }
}
