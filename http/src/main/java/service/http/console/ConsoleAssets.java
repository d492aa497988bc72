package service.http.console;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.json.Json;
import service.core.value.Sha256;
import service.http.auth.token.ProtectedResource;

/**
 * The files of the console in memory, about 1.3 MB, and what follows from their bytes. The file {@code files.txt} lists
 * them; those in {@code lib/} are unpacked by the build. Immutable, but for the compressed forms. Thread rule: any
 * thread.
 */
final class ConsoleAssets {
    static final String INDEX = "index.html";
    static final String LICENCES = "licences.txt";

    /** Stands in {@link #INDEX} for the folder that holds all other files. */
    private static final String FOLDER = "@folder@";

    /** Stands in {@link #INDEX} for what the page has to know to sign people in. */
    private static final String SIGN_IN = "@sign-in@";

    private static final Pattern IMPORT_MAP =
            Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);
    private static final int FOLDER_LETTERS = 20;

    private final Map<String, ConsoleFile> files = new LinkedHashMap<>();
    private final String folder;
    private final String tag;
    private final String policy;

    private ConsoleAssets(@Nullable ProtectedResource resource) {
        MessageDigest sha = Sha256.begin();
        Map<String, byte[]> read = new LinkedHashMap<>();
        for (String name : names()) {
            byte[] bytes = resource(name);
            read.put(name, bytes);
            sha.update((name + "\n" + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
            sha.update(bytes);
        }
        folder = hex(sha);
        ProtectedResource provider = resource == null || resource.clientId() == null ? null : resource;
        String index = new String(read.get(INDEX), StandardCharsets.UTF_8)
                .replace(FOLDER, folder)
                .replace(SIGN_IN, provider == null ? "" : signIn(provider));
        policy = policy(index, provider == null ? "" : " " + provider.issuerOrigin());
        sha.update(index.getBytes(StandardCharsets.UTF_8));
        tag = hex(sha);
        read.put(INDEX, index.getBytes(StandardCharsets.UTF_8));
        read.put(LICENCES, licences(read));
        read.forEach((name, bytes) -> files.put(name, new ConsoleFile(typeOf(name), bytes)));
    }

    /**
     * Reads all files.
     *
     * @param resource where people sign in; null where they do not
     * @throws IllegalStateException when the build lacks one
     */
    static ConsoleAssets load(@Nullable ProtectedResource resource) {
        return new ConsoleAssets(resource);
    }

    /** The names in {@code files.txt}, such as {@code parts/table.js}. */
    static String[] names() {
        return new String(resource("files.txt"), StandardCharsets.UTF_8).split("\n");
    }

    /**
     * The folder of all files but {@link #INDEX}: a digest of their bytes, so that an address has one content for ever.
     */
    String folder() {
        return folder;
    }

    /** A digest of all that this server sends: the files, and what it puts into {@link #INDEX}. */
    String tag() {
        return tag;
    }

    /** The value of {@code Content-Security-Policy}. */
    String policy() {
        return policy;
    }

    /** The file of that name, or null. */
    @Nullable
    ConsoleFile file(String name) {
        return files.get(name);
    }

    /** All files by name. */
    Map<String, ConsoleFile> files() {
        return files;
    }

    /** The provider, the client and what to ask for, as JSON in an attribute of HTML. */
    private static String signIn(ProtectedResource resource) {
        ObjectNode all = Json.object()
                .put("issuer", resource.issuer())
                .put("client_id", resource.clientId())
                .put("resource", resource.resource())
                .put("scope", String.join(" ", resource.scopes()));
        return all.toString().replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }

    private static String hex(MessageDigest sha) {
        return HexFormat.of().formatHex(sha.digest()).substring(0, FOLDER_LETTERS);
    }

    /**
     * Everything from this server, and no code that is not in a file. The one hash is of the import map, which browsers
     * take inline only.
     *
     * @param provider the origin of the identity provider after a blank, or nothing
     */
    private static String policy(String index, String provider) {
        Matcher map = IMPORT_MAP.matcher(index);
        if (!map.find()) {
            throw new IllegalStateException("the console's index.html has no import map");
        }
        byte[] digest = Sha256.of(map.group(1).getBytes(StandardCharsets.UTF_8));
        return "default-src 'none'; script-src 'self' 'sha256-"
                + Base64.getEncoder().encodeToString(digest)
                + "'; style-src 'self'; img-src 'self' blob:; connect-src 'self'"
                + provider + "; worker-src 'self'; base-uri 'none';"
                + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
                + " trusted-types lit-html console";
    }

    private static byte[] licences(Map<String, byte[]> read) {
        StringBuilder all = new StringBuilder("The console contains these libraries.\n");
        read.forEach((name, bytes) -> {
            if (name.endsWith("/LICENSE")) {
                String library = name.substring("lib/".length(), name.length() - "/LICENSE".length());
                all.append("\n\n== ")
                        .append(library)
                        .append(" ==\n\n")
                        .append(new String(bytes, StandardCharsets.UTF_8));
            }
        });
        return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String typeOf(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "js" -> "text/javascript; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> "text/plain; charset=utf-8";
        };
    }

    private static byte[] resource(String name) {
        try (InputStream in = ConsoleAssets.class.getResourceAsStream("/console/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the build has no console/" + name
                        + "; its phase generate-resources unpacks the libraries of the console");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
