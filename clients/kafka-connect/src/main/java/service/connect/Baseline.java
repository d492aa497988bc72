package service.connect;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The lines of a baseline, which are read one by one. One thread reads; any thread may close. */
final class Baseline implements AutoCloseable {
    private final InputStream stream;
    private final JsonParser parser;
    private @Nullable JsonNode end;

    Baseline(InputStream stream) throws IOException {
        this.stream = stream;
        this.parser = GraphClient.JSON.createParser(stream);
    }

    /**
     * The next entity; null after the last one.
     *
     * @throws EOFException where the stream broke off
     */
    @Nullable
    JsonNode next() throws IOException {
        if (end != null) {
            return null;
        }
        JsonNode line = GraphClient.JSON.readTree(parser);
        if (line == null) {
            throw new EOFException("the baseline broke off before its last line");
        }
        if (line.has("baseline")) {
            end = line.get("baseline");
            return null;
        }
        return line;
    }

    /** How many bytes were read. */
    long bytesRead() {
        return parser.currentLocation().getByteOffset();
    }

    /** The last line, after the last entity. */
    JsonNode end() {
        if (end == null) {
            throw new IllegalStateException("not at the end");
        }
        return end;
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            // It is broken already.
        }
    }
}
