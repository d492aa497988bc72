package service.http.auth;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.config.Variable;
import service.core.error.StartRefusedException;
import service.http.auth.token.TrustFileException;
import service.http.auth.token.TrustFiles;

/**
 * Where the static tokens come from: a variable, a file or a secret, read at start. A file is read again by
 * {@link #refresh}, so that a token ends when it is removed; what it contains then takes the place of all earlier
 * tokens, or, where it is invalid, changes nothing. Only one thread refreshes; any thread reads.
 */
public final class StaticTokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(StaticTokenSource.class);

    private static final String ONE = "SERVICE_SERVER_BEARER_TOKEN";
    private static final String JSON = "SERVICE_SERVER_BEARER_TOKENS_JSON";
    private static final String FILE = "SERVICE_SERVER_BEARER_TOKENS_FILE";
    private static final String AWS = "SERVICE_SERVER_BEARER_TOKENS_AWS_SECRET";

    /** The actor of a single token. */
    private static final String DEFAULT_ACTOR = "default";

    private static final int FILE_BYTES_MAX = 1 << 20;

    /** At most one of them is set. */
    public static final List<Variable> VARIABLES = List.of(
            new Variable.Text(ONE, "none", "a token", "the token of the actor `default`"),
            new Variable.Text(JSON, "none", "a JSON object from actor to token", "the tokens of several actors"),
            new Variable.Text(
                    FILE,
                    "none",
                    "a file with a JSON object from actor to token",
                    "the same, from a file that is read again every 5 seconds"),
            new Variable.Text(AWS, "none", "the name of a secret", "the same, from AWS; needs a build with `-Paws`"));

    private final @Nullable String file;
    private volatile StaticTokens current;
    private @Nullable String lastContent;
    private @Nullable String lastRefusal;

    private StaticTokenSource(@Nullable String file, @Nullable String content, StaticTokens first) {
        this.file = file;
        this.lastContent = content;
        this.current = first;
    }

    /**
     * Reads the tokens that the environment variables name; null when none is set.
     *
     * @param secrets reads the secret of AWS; null in a build without it
     * @throws StartRefusedException {@code token_source_invalid}; its message never contains a token
     */
    public static @Nullable StaticTokenSource fromEnvironment(
            Map<String, String> environment, @Nullable SecretSource secrets) {
        List<String> set = List.of(ONE, JSON, FILE, AWS).stream()
                .filter(environment::containsKey)
                .toList();
        if (set.isEmpty()) {
            return null;
        }
        if (set.size() > 1) {
            throw StaticTokens.refusal("both " + set.get(0) + " and " + set.get(1) + " are set; keep one of them");
        }
        String source = set.getFirst();
        String value = environment.getOrDefault(source, "");
        if (value.isEmpty()) {
            throw StaticTokens.refusal(source + " is empty; give it a value or unset it");
        }
        return switch (source) {
            case ONE -> new StaticTokenSource(null, null, StaticTokens.ofOne(source, DEFAULT_ACTOR, value));
            case JSON -> new StaticTokenSource(null, null, StaticTokens.ofJson(source, value));
            case FILE -> {
                String content = read(value);
                if (canEverybodyRead(value)) {
                    LOG.warn("the file of tokens can be read by every user of this machine: run `chmod o= {}`", value);
                }
                yield new StaticTokenSource(value, content, StaticTokens.ofJson(source, content));
            }
            default -> new StaticTokenSource(null, null, StaticTokens.ofJson(source, secret(value, secrets)));
        };
    }

    /** The tokens that are accepted now. */
    StaticTokens current() {
        return current;
    }

    /** Reads the file again, if the tokens come from one. */
    void refresh() {
        String path = file;
        if (path == null) {
            return;
        }
        try {
            String content = read(path);
            if (!content.equals(lastContent)) {
                current = StaticTokens.ofJson(FILE, content);
                lastContent = content;
                LOG.info("the file of tokens was read again");
            }
            lastRefusal = null;
        } catch (StartRefusedException e) {
            logOnce(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // A task that throws is never run again, and the refreshing would end.
            logOnce("reading it failed with " + e.getClass().getSimpleName());
        }
    }

    /** Logs a refusal once, not every five seconds. */
    private void logOnce(String reason) {
        if (!reason.equals(lastRefusal)) {
            lastRefusal = reason;
            LOG.atWarn().addKeyValue("reason", reason).log("the file of tokens is invalid; the last valid one serves");
        }
    }

    /** Secrets that are mounted into a container are readable by all of its users, so this is no refusal. */
    static boolean canEverybodyRead(String path) {
        try {
            return Files.getPosixFilePermissions(Path.of(path)).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            return false; // a file system without such permissions
        }
    }

    private static String read(String path) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(TrustFiles.read(path, FILE_BYTES_MAX)))
                    .toString();
        } catch (TrustFileException e) {
            throw refused(path, e.getMessage());
        } catch (CharacterCodingException e) {
            throw refused(path, "it is not in UTF-8");
        }
    }

    private static StartRefusedException refused(String path, String reason) {
        return StaticTokens.refusal(
                FILE + " names `" + path + "`, which is refused: " + reason + "; name a JSON file in UTF-8");
    }

    private static String secret(String name, @Nullable SecretSource secrets) {
        if (secrets == null) {
            throw StaticTokens.refusal(AWS + " needs a build with the Maven profile `aws`: ./mvnw -Paws package");
        }
        try {
            return secrets.read(name);
        } catch (SecretSource.SecretUnavailableException e) {
            throw StaticTokens.refusal(AWS + " names `" + name + "`, which cannot be read: " + e.getMessage());
        }
    }
}
