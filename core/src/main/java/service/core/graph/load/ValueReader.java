package service.core.graph.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import service.core.blob.BlobIntake;
import service.core.blob.LiftedParser;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.core.json.JsonValues;
import service.core.value.PropertyRowBuilder;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/** Reads property values from a parser into a row by the rules of {@link JsonValues}; texts without a copy. */
final class ValueReader {
    private final BlobIntake blobs;

    ValueReader(BlobIntake blobs) {
        this.blobs = blobs;
    }

    /** Reads the value at the current token. Returns the fault, to be written after the property's name, or null. */
    @Nullable
    String read(JsonParser parser, PropertyType type, PropertyRowBuilder row, int place) throws IOException {
        boolean isText = parser.currentToken() == JsonToken.VALUE_STRING;
        if (isText && (type.equals(PropertyType.STRING) || type instanceof PropertyType.EnumOf)) {
            // A constraint check decides later whether the text is a word of the enum.
            boolean whole =
                    row.putText(place, parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
            return whole ? null : "is not valid text: it holds half a surrogate pair";
        }
        try {
            row.put(place, isBlob(type) ? blob(parser) : stored(parser, type));
            return null;
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.BAD_REQUEST) {
                throw e;
            }
            return e.getMessage().strip();
        }
    }

    /** Reads an array or object as a tree first, so that a refusal leaves the parser at the end of the value. */
    private static Value stored(JsonParser parser, PropertyType type) throws IOException {
        if (!parser.currentToken().isStructStart()) {
            return JsonValues.readStored(type, parser, "");
        }
        try (JsonParser tree = Json.tree(parser).traverse()) {
            tree.nextToken();
            return JsonValues.readStored(type, tree, "");
        }
    }

    private static boolean isBlob(PropertyType type) {
        return type instanceof PropertyType.Scalar scalar && scalar.scalar() == ScalarType.BLOB;
    }

    private Value blob(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw ServiceException.badRequest("must be \"base64:…\" or an absolute URI");
        }
        Value lifted = parser instanceof LiftedParser lifting ? lifting.blob() : null;
        return lifted != null ? lifted : blobs.readAside(parser.getText(), "");
    }
}
