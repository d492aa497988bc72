package service.core.blob;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * A parser of the output of a {@link BlobLifter}. Text accessors return the original text; {@link #blob} returns the
 * lifted blob without encoding it again. One thread.
 */
public final class LiftedParser extends JsonParserDelegate {
    private final BlobLifter lifter;
    private Value.@Nullable ManagedBlob spelledBlob;
    private String spelled = "";

    public LiftedParser(JsonParser parser, BlobLifter lifter) {
        super(parser);
        this.lifter = lifter;
    }

    /** The same over the tokens of another parser, with placeholders of the same input. */
    public LiftedParser over(JsonParser parser) {
        return new LiftedParser(parser, lifter);
    }

    /** The blob that was lifted from the current string, or null. */
    public Value.@Nullable ManagedBlob blob() throws IOException {
        return delegate.currentToken() == JsonToken.VALUE_STRING ? standIn() : null;
    }

    private Value.@Nullable ManagedBlob standIn() throws IOException {
        return lifter.mayStandIn(delegate.getTextLength()) ? lifter.blobOf(delegate.getText()) : null;
    }

    private @Nullable String original() throws IOException {
        JsonToken token = delegate.currentToken();
        boolean isText = token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME;
        Value.ManagedBlob blob = isText ? standIn() : null;
        return blob == null ? null : original(blob);
    }

    private String original(Value.ManagedBlob blob) {
        if (!blob.equals(spelledBlob)) {
            spelled = lifter.spell(blob);
            spelledBlob = blob;
        }
        return spelled;
    }

    @Override
    public @Nullable String currentName() throws IOException {
        String name = super.currentName();
        Value.ManagedBlob blob = name != null && lifter.mayStandIn(name.length()) ? lifter.blobOf(name) : null;
        return blob == null ? name : original(blob);
    }

    @Override
    public String getText() throws IOException {
        String original = original();
        return original == null ? super.getText() : original;
    }

    @Override
    public int getText(Writer writer) throws IOException {
        String original = original();
        if (original == null) {
            return super.getText(writer);
        }
        writer.write(original);
        return original.length();
    }

    @Override
    public @Nullable String getValueAsString() throws IOException {
        String original = original();
        return original == null ? super.getValueAsString() : original;
    }

    @Override
    public @Nullable String getValueAsString(@Nullable String fallback) throws IOException {
        String original = original();
        return original == null ? super.getValueAsString(fallback) : original;
    }

    @Override
    public char[] getTextCharacters() throws IOException {
        String original = original();
        return original == null ? super.getTextCharacters() : original.toCharArray();
    }

    @Override
    public int getTextOffset() throws IOException {
        return original() == null ? super.getTextOffset() : 0;
    }

    @Override
    public int getTextLength() throws IOException {
        String original = original();
        return original == null ? super.getTextLength() : original.length();
    }

    @Override
    public boolean hasTextCharacters() {
        return false;
    }
}
