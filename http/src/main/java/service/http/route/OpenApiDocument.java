package service.http.route;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The OpenAPI document of this build, as a server sends it: byte for byte the resource {@code openapi.json}, except for
 * the value of {@code servers}, and without security on a server without authentication. Any thread.
 *
 * <p>The document is edited as bytes, because parsing and writing it again would change its layout.
 */
final class OpenApiDocument {
    /**
     * A URL relative to the document is right behind every proxy, where a server sees neither its own name nor whether
     * clients use TLS.
     */
    private static final String SERVERS =
            "[\n    {\n      \"url\": \"/\",\n      \"description\": \"The server that sent this document.\"\n    }\n  ]";

    /** A part of the resource that the served document replaces: {@code [start .. end)}. */
    private record Edit(int start, int end, String replacement) {}

    private OpenApiDocument() {}

    /** The resource. */
    static byte[] resource() {
        try (InputStream in = OpenApiDocument.class.getResourceAsStream("/openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("the build has no openapi.json");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The document that a server sends.
     *
     * @param authenticated whether the server asks for credentials
     */
    static byte[] served(boolean authenticated) {
        byte[] resource = resource();
        ByteArrayOutputStream served = new ByteArrayOutputStream(resource.length);
        int from = 0;
        for (Edit edit : edits(resource, authenticated)) {
            served.write(resource, from, edit.start - from);
            served.writeBytes(edit.replacement.getBytes(StandardCharsets.UTF_8));
            from = edit.end;
        }
        served.write(resource, from, resource.length - from);
        return served.toByteArray();
    }

    private static List<Edit> edits(byte[] resource, boolean authenticated) {
        List<Edit> edits = new ArrayList<>();
        Deque<String> path = new ArrayDeque<>();
        try (JsonParser parser = new JsonFactory().createParser(resource)) {
            int previousEnd = 0;
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME) {
                    String name = parser.currentName();
                    parser.nextToken();
                    int start = (int) parser.currentTokenLocation().getByteOffset();
                    boolean isServers = path.isEmpty() && name.equals("servers");
                    if (isServers || (!authenticated && isSecurity(path, name))) {
                        parser.skipChildren();
                        int end = (int) parser.currentLocation().getByteOffset();
                        edits.add(isServers ? new Edit(start, end, SERVERS) : new Edit(previousEnd, end, ""));
                    } else if (parser.currentToken() == JsonToken.START_OBJECT) {
                        path.addLast(name);
                    } else {
                        parser.skipChildren();
                    }
                } else if (token == JsonToken.END_OBJECT) {
                    path.pollLast();
                }
                parser.finishToken();
                previousEnd = (int) parser.currentLocation().getByteOffset();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return edits;
    }

    /** Whether a member is about credentials. None of these members is the first one of its object. */
    private static boolean isSecurity(Deque<String> path, String name) {
        String parent = path.peekFirst();
        return switch (name) {
            case "security" -> path.isEmpty() || ("paths".equals(parent) && path.size() == 3);
            case "securitySchemes" -> "components".equals(parent) && path.size() == 1;
            default -> false;
        };
    }
}
