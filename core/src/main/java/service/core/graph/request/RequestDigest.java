package service.core.graph.request;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.event.Note;
import service.core.value.Sha256;

/**
 * Identifies a request: SHA-256 over the kind of the write and its content. The order of JSON members and the settings
 * of limits do not count. One thread.
 */
public final class RequestDigest {
    private static final int ABSENT = -1;

    private final MessageDigest digest;

    public RequestDigest(String kind) {
        digest = Sha256.begin();
        add(kind);
    }

    /** Adds a field; null differs from the empty text. */
    public RequestDigest add(@Nullable String field) {
        ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
        if (field == null) {
            digest.update(length.putInt(ABSENT).flip());
        } else {
            byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
            digest.update(length.putInt(bytes.length).flip());
            digest.update(bytes);
        }
        return this;
    }

    public RequestDigest add(@Nullable JsonNode field) {
        return add(field == null ? null : canonical(field));
    }

    /** Adds a note; a request without one has the digest that it had before there were notes. */
    public RequestDigest add(@Nullable Note note) {
        if (note != null) {
            add("note").add(note.message()).add(Integer.toString(note.meta().size()));
            note.meta().forEach((key, value) -> add(key).add(value));
        }
        return this;
    }

    /** A stream that adds its bytes as they are read; nothing may be added after them. */
    public InputStream reading(InputStream bytes) {
        return new DigestInputStream(bytes, digest);
    }

    /** The digest; call it once. */
    public byte[] bytes() {
        return digest.digest();
    }

    private static String canonical(JsonNode node) {
        StringBuilder text = new StringBuilder();
        write(node, text);
        return text.toString();
    }

    private static void write(JsonNode node, StringBuilder into) {
        if (node.isObject()) {
            TreeMap<String, JsonNode> members = new TreeMap<>();
            node.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
            into.append('{');
            members.forEach((name, value) -> {
                into.append(name.length()).append(':').append(name).append('=');
                write(value, into);
            });
            into.append('}');
        } else if (node.isArray()) {
            into.append('[');
            node.forEach(item -> {
                write(item, into);
                into.append(',');
            });
            into.append(']');
        } else {
            into.append(node);
        }
    }
}
