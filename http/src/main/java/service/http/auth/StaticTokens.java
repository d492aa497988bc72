package service.http.auth;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.StartRefusedException;
import service.core.value.Sha256;

/**
 * Static tokens. Only their SHA-256 is kept; a look-up compares all entries in constant time
 * ({@code docs/credentials.md}). Immutable.
 */
public final class StaticTokens {
    private record Entry(byte[] digest, String actor) {}

    private final List<Entry> entries = new ArrayList<>();

    private StaticTokens() {}

    /** The one token of an actor; {@code source} is named in refusals. */
    static StaticTokens ofOne(String source, String actor, String token) {
        StaticTokens tokens = new StaticTokens();
        tokens.add(source, actor, token);
        return tokens;
    }

    /**
     * The tokens of a JSON object from actor to token.
     *
     * @param source named in refusals
     * @throws StartRefusedException {@code token_source_invalid}; its message never contains a token
     */
    static StaticTokens ofJson(String source, String json) {
        StaticTokens tokens = new StaticTokens();
        tokens.addAll(source, json);
        return tokens;
    }

    /**
     * The actor of the token with this SHA-256, or null. Compares all entries, each in constant time.
     *
     * @param digest {@link #sha256} of the token
     */
    @Nullable
    String actorOf(byte[] digest) {
        String actor = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.digest, digest)) {
                actor = entry.actor;
            }
        }
        return actor;
    }

    private void addAll(String source, String json) {
        JsonFactory factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();
        try (JsonParser parser = factory.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw refusal(source + " is not a JSON object from actor to token");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String actor = parser.currentName();
                if (parser.nextToken() != JsonToken.VALUE_STRING) {
                    throw refusal(source + ": the token of `" + actor + "` is not a string");
                }
                add(source, actor, parser.getText());
            }
            if (parser.nextToken() != null) {
                throw refusal(source + " holds more than one JSON object");
            }
        } catch (IOException e) {
            throw refusal(source + " is not a JSON object from actor to token, each actor once");
        }
        if (entries.isEmpty()) {
            throw refusal(source + " names no actor");
        }
    }

    private void add(String source, String actor, String token) {
        if (actor.isBlank() || token.isBlank()) {
            throw refusal(source + " holds an empty actor or token");
        }
        if (!BearerHeader.isVisible(token)) {
            throw refusal(source + ": the token of `" + actor
                    + "` cannot be sent in a header; use visible ASCII characters, without blanks");
        }
        byte[] digest = sha256(token);
        Set<String> seen = new HashSet<>();
        for (Entry entry : entries) {
            seen.add(entry.actor);
            if (MessageDigest.isEqual(entry.digest, digest)) {
                throw refusal(source + ": `" + actor + "` and `" + entry.actor + "` have the same token");
            }
        }
        if (!seen.add(actor)) {
            throw refusal(source + " names `" + actor + "` twice");
        }
        entries.add(new Entry(digest, actor));
    }

    static byte[] sha256(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.UTF_8));
    }

    static StartRefusedException refusal(String message) {
        return new StartRefusedException("token_source_invalid", message);
    }
}
