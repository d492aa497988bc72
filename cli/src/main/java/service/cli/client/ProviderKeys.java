package service.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;

/**
 * Reads the public keys of an OpenID provider: its discovery document, which must name the issuer that was asked for,
 * and from there its keys. Redirects are not followed, and answers are bounded in bytes and time. Any thread.
 */
public final class ProviderKeys {
    /** The time for one answer, from the connection to its last byte. */
    public static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final String DISCOVERY = "/.well-known/openid-configuration";
    private static final int ANSWER_BYTES_MAX = 256 << 10;
    private static final int OK = 200;

    /** As many as a trust file may have. */
    private static final int KEYS_MAX = 4;

    private static final int MODULUS_BITS_MIN = 2_048;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final HttpClient http;
    private final String issuer;
    private final Duration patience;

    /**
     * Addresses a provider; connects when it reads.
     *
     * @param issuer as access tokens name it in {@code iss}
     * @param authorities a PEM file with further authorities that sign certificates of providers, or null
     * @param patience the time for one answer
     */
    public ProviderKeys(String issuer, @Nullable Path authorities, Duration patience) {
        this.issuer = issuer;
        this.patience = patience;
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(patience).followRedirects(HttpClient.Redirect.NEVER);
        if (authorities != null) {
            builder.sslContext(ServerTrust.with(authorities));
        }
        this.http = builder.build();
    }

    /** As access tokens name the provider. */
    public String issuer() {
        return issuer;
    }

    /**
     * The RSA keys that sign with RS256, each with {@code kid}, {@code kty}, {@code n} and {@code e}.
     *
     * @throws CommandFailure naming the address and what is wrong with its answer
     */
    public ArrayNode read() {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        URI discovery = address(base + DISCOVERY, "--issuer");
        ObjectNode document = fetch(discovery);
        String named = document.path("issuer").asText();
        if (!named.equals(issuer)) {
            throw failed("%s names the issuer `%s`, not `%s`: give --issuer as the provider writes it"
                    .formatted(discovery, named, issuer));
        }
        URI keys = address(document.path("jwks_uri").asText(), "`jwks_uri` of " + discovery);
        return usable(fetch(keys).path("keys"), keys);
    }

    private static ArrayNode usable(JsonNode found, URI from) {
        ArrayNode keys = Json.object().putArray("keys");
        for (JsonNode key : found) {
            boolean signs = key.path("kty").asText().equals("RSA")
                    && key.path("use").asText("sig").equals("sig")
                    && key.path("alg").asText("RS256").equals("RS256")
                    && !key.path("kid").asText().isEmpty();
            if (signs && bits(key.path("n").asText()) >= MODULUS_BITS_MIN) {
                ObjectNode kept = keys.addObject();
                for (String member : new String[] {"kid", "kty", "n", "e"}) {
                    kept.put(member, key.path(member).asText());
                }
            }
        }
        if (keys.isEmpty()) {
            throw failed(from + " has no RSA key of at least " + MODULUS_BITS_MIN
                    + " bits with a `kid` for RS256: let the provider sign access tokens with RS256");
        }
        if (keys.size() > KEYS_MAX) {
            throw failed(from + " has " + keys.size() + " keys for RS256, and a trust file at most " + KEYS_MAX
                    + ": retire old keys of the provider");
        }
        return keys;
    }

    private static int bits(String modulus) {
        try {
            return new BigInteger(1, Base64.getUrlDecoder().decode(modulus)).bitLength();
        } catch (IllegalArgumentException e) {
            return 0;
        }
    }

    private ObjectNode fetch(URI uri) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        HttpRequest request = HttpRequest.newBuilder(uri)
                .header("Accept", "application/json")
                .timeout(patience)
                .build();
        CompletableFuture<HttpResponse<Void>> answer = http.sendAsync(
                request, BodyHandlers.ofByteArrayConsumer(part -> part.ifPresent(bytes -> append(body, bytes))));
        try {
            int status = answer.get(patience.toMillis(), TimeUnit.MILLISECONDS).statusCode();
            if (status != OK) {
                throw failed(uri + " answers " + status);
            }
            return Json.readObject(body.toByteArray(), "the answer of " + uri);
        } catch (ExecutionException e) {
            throw failed("cannot read " + uri + ": " + reason(uri, e));
        } catch (TimeoutException e) {
            throw failed("cannot read " + uri + ": no whole answer within " + patience.toMillis() + " ms");
        } catch (ServiceException e) {
            throw failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailure.cancelled();
        } finally {
            answer.cancel(true); // ends the connection of an answer that is not whole
        }
    }

    private static String reason(URI uri, ExecutionException failure) {
        return switch (failure.getCause()) {
            case SSLException tls -> ServerTrust.reason(uri.getAuthority(), tls);
            case ConnectException none -> "nothing answers there";
            case null -> "the request failed";
            case Throwable cause ->
                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        };
    }

    private static void append(ByteArrayOutputStream body, byte[] bytes) {
        if (body.size() + bytes.length > ANSWER_BYTES_MAX) {
            throw new IllegalStateException("it answers with more than " + ANSWER_BYTES_MAX + " bytes");
        }
        body.writeBytes(bytes);
    }

    /** Keys that come without TLS could be anybody's, except on this machine. */
    private static URI address(String text, String what) {
        try {
            URI uri = URI.create(text);
            boolean safe = "https".equals(uri.getScheme())
                    || ("http".equals(uri.getScheme()) && LOOPBACK.contains(String.valueOf(uri.getHost())));
            if (safe && uri.getHost() != null) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw failed(what + " must be an https:// address, or http:// on this machine, not `" + text + "`");
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }
}
