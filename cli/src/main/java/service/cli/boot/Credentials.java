package service.cli.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;
import service.log.files.DurableFiles;

/**
 * The operator's tokens: a line {@code name token} for each server, in the file {@code credentials} in the directory of
 * {@code config.yaml}. A file that other users can read is refused: they may know its tokens.
 *
 * @param file need not exist
 */
public record Credentials(Path file) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern LINE = Pattern.compile("\\s*(\\S+)\\s+(\\S+)\\s*");
    /** The credentials of the operator with this environment. */
    public static Credentials of(Map<String, String> environment) {
        return new Credentials(ClientConfig.directory(environment).resolve("credentials"));
    }

    /** The token for the server of that name, or null. */
    public @Nullable String token(String server) {
        return read().get(server);
    }

    /**
     * Stores a token.
     *
     * @throws CommandFailure when the name or the token has a character that is not allowed
     */
    public void put(String server, String token) {
        requireName(server);
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw CommandFailure.usage("a token is one word of visible characters; give it on one line of standard"
                    + " input, or with --token");
        }
        Map<String, String> tokens = read();
        tokens.put(server, token);
        write(tokens);
    }

    /**
     * Checks the name of a server.
     *
     * @throws CommandFailure when it has a character that is not allowed
     */
    public static void requireName(String server) {
        if (!NAME.matcher(server).matches()) {
            throw CommandFailure.usage(
                    "a server's name is of letters, digits, dots, dashes and underscores, not `" + server + "`");
        }
    }

    /** Removes a token; false where there was none. */
    public boolean remove(String server) {
        Map<String, String> tokens = read();
        boolean there = tokens.remove(server) != null;
        if (there) {
            write(tokens);
        }
        return there;
    }

    private Map<String, String> read() {
        Map<String, String> tokens = new TreeMap<>();
        try {
            new OwnerOnlyFile(file).require("log in with new tokens");
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                Matcher written = LINE.matcher(line);
                if (written.matches()) {
                    tokens.put(written.group(1), written.group(2));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    throw CommandFailure.usage(file + " must hold one line `NAME TOKEN` for each server");
                }
            }
        } catch (NoSuchFileException e) {
            return tokens;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return tokens;
    }

    private void write(Map<String, String> tokens) {
        StringBuilder text = new StringBuilder();
        tokens.forEach(
                (name, token) -> text.append(name).append(' ').append(token).append('\n'));
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            boolean posix = Files.getFileStore(file.toAbsolutePath().getParent())
                    .supportsFileAttributeView(PosixFileAttributeView.class);
            Path draft = file.resolveSibling("credentials.new");
            Files.deleteIfExists(draft);
            if (posix) {
                Files.createFile(
                        draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            } else {
                Files.createFile(draft);
            }
            DurableFiles.write(draft, text.toString().getBytes(StandardCharsets.UTF_8));
            DurableFiles.move(draft, file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
