package service.http.auth;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.config.Variable;
import service.core.error.StartRefusedException;

/**
 * Tokens that are fixed at start. Only their SHA-256 is kept; a look-up compares all entries in constant time
 * ({@code identity.md} §1). Immutable.
 */
public final class StaticTokens {
    private static final String ONE = "SERVICE_SERVER_BEARER_TOKEN";
    private static final String JSON = "SERVICE_SERVER_BEARER_TOKENS_JSON";
    private static final String FILE = "SERVICE_SERVER_BEARER_TOKENS_FILE";
    private static final String AWS = "SERVICE_SERVER_BEARER_TOKENS_AWS_SECRET";

    /** At most one of them is set. */
    public static final List<Variable> VARIABLES = List.of(
            new Variable.Text(ONE, "none", "a token", "the token of the actor `default`"),
            new Variable.Text(JSON, "none", "a JSON object from actor to token", "the tokens of several actors"),
            new Variable.Text(FILE, "none", "a file with a JSON object from actor to token", "the same, from a file"),
            new Variable.Text(AWS, "none", "the name of a secret", "the same, from AWS; needs a build with `-Paws`"));

    /** What a header can carry; a request's token is stripped of spaces around it. */
    private static final Pattern SENDABLE = Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

    private record Entry(byte[] digest, String actor) {}

    private final List<Entry> entries = new ArrayList<>();

    private StaticTokens() {}

    /**
     * Reads the tokens that the environment variables name; null when none is set.
     *
     * @param secrets reads the secret of AWS; null in a build without it
     * @throws StartRefusedException {@code token_source_invalid}; its message never contains a token
     */
    public static @Nullable StaticTokens fromEnvironment(
            Map<String, String> environment, @Nullable SecretSource secrets) {
        List<String> set = List.of(ONE, JSON, FILE, AWS).stream()
                .filter(environment::containsKey)
                .toList();
        if (set.isEmpty()) {
            return null;
        }
        if (set.size() > 1) {
            throw refusal("both " + set.get(0) + " and " + set.get(1) + " are set; keep one of them");
        }
        String source = set.getFirst();
        String value = environment.getOrDefault(source, "");
        if (value.isEmpty()) {
            throw refusal(source + " is empty; give it a value or unset it");
        }
        StaticTokens tokens = new StaticTokens();
        switch (source) {
            case ONE -> tokens.add(source, "default", value);
            case JSON -> tokens.addAll(source, value);
            case FILE -> tokens.addAll(source, read(value));
            default -> tokens.addAll(source, secret(value, secrets));
        }
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

    private static String read(String path) {
        try {
            return Files.readString(Path.of(path));
        } catch (IOException | InvalidPathException e) {
            throw refusal(FILE + " names `" + path + "`, which cannot be read; name a JSON file in UTF-8");
        }
    }

    private static String secret(String name, @Nullable SecretSource secrets) {
        if (secrets == null) {
            throw refusal(AWS + " needs a build with the Maven profile `aws`: ./mvnw -Paws package");
        }
        try {
            return secrets.read(name);
        } catch (SecretSource.SecretUnavailableException e) {
            throw refusal(AWS + " names `" + name + "`, which cannot be read: " + e.getMessage());
        }
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
        if (!SENDABLE.matcher(token).matches()) {
            throw refusal(
                    source + ": the token of `" + actor + "` cannot be sent in a header; use visible ASCII characters");
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
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static StartRefusedException refusal(String message) {
        return new StartRefusedException("token_source_invalid", message);
    }
}
