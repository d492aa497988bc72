package service.cli.aws;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.http.auth.SecretSource;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.ServiceMetadata;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;

/**
 * Reads the text of a secret from AWS Secrets Manager, in the region and with the credentials that the SDK finds in its
 * usual places. It sends the one request of {@code GetSecretValue} itself, so that the build needs the parts of the SDK
 * for credentials and signatures alone.
 */
public final class AwsSecrets implements SecretSource {
    private static final String SERVICE = "secretsmanager";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final int OK = 200;

    private final Supplier<Region> region;
    private final Supplier<AwsCredentialsIdentity> credentials;
    private final Supplier<URI> endpoint;

    /** The secret manager of the process's region. */
    public AwsSecrets() {
        region = () -> new DefaultAwsRegionProviderChain().getRegion();
        credentials = AwsSecrets::credentialsOfProcess;
        endpoint = () -> URI.create("https://" + ServiceMetadata.of(SERVICE).endpointFor(region.get()));
    }

    AwsSecrets(URI endpoint, Region region, AwsCredentialsIdentity credentials) {
        this.region = () -> region;
        this.credentials = () -> credentials;
        this.endpoint = () -> endpoint;
    }

    private static AwsCredentialsIdentity credentialsOfProcess() {
        try (DefaultCredentialsProvider provider =
                DefaultCredentialsProvider.builder().build()) {
            return provider.resolveCredentials();
        }
    }

    @Override
    public String read(String name) {
        try (HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .build()) {
            byte[] body = Json.object().put("SecretId", name).toString().getBytes(StandardCharsets.UTF_8);
            HttpResponse<byte[]> answer = http.send(signed(body), BodyHandlers.ofByteArray());
            if (answer.statusCode() != OK) {
                throw new SecretUnavailableException("AWS answered with the status " + answer.statusCode()
                        + "; check its name, the region and the rights");
            }
            return text(answer.body());
        } catch (SdkException e) {
            throw new SecretUnavailableException("the region or the credentials of AWS are not configured");
        } catch (IOException e) {
            throw new SecretUnavailableException("AWS cannot be reached");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SecretUnavailableException("reading it was interrupted");
        }
    }

    private HttpRequest signed(byte[] body) {
        URI uri = endpoint.get().resolve("/");
        SdkHttpRequest request = SdkHttpRequest.builder()
                .method(SdkHttpMethod.POST)
                .uri(uri)
                .putHeader("Content-Type", "application/x-amz-json-1.1")
                .putHeader("X-Amz-Target", "secretsmanager.GetSecretValue")
                .build();
        SdkHttpRequest signed = AwsV4HttpSigner.create()
                .sign(sign -> sign.identity(credentials.get())
                        .request(request)
                        .payload(ContentStreamProvider.fromByteArray(body))
                        .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, SERVICE)
                        .putProperty(
                                AwsV4HttpSigner.REGION_NAME, region.get().id()))
                .request();
        HttpRequest.Builder sent = HttpRequest.newBuilder(uri).timeout(TIMEOUT).POST(BodyPublishers.ofByteArray(body));
        signed.headers().forEach((header, values) -> {
            // The client sets these two from the address and the body.
            if (!header.equalsIgnoreCase("Host") && !header.equalsIgnoreCase("Content-Length")) {
                values.forEach(value -> sent.header(header, value));
            }
        });
        return sent.build();
    }

    private static String text(byte[] answer) {
        try {
            ObjectNode read = Json.readObject(answer, "the answer of AWS");
            if (read.path("SecretString").isTextual()) {
                return read.path("SecretString").textValue();
            }
            throw new SecretUnavailableException("it is binary; store the JSON object as text");
        } catch (ServiceException e) {
            // The message of the parser may contain a part of the secret.
            throw new SecretUnavailableException("the answer of AWS is not JSON");
        }
    }
}
