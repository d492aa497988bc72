package service.cli.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import service.http.auth.SecretSource;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.regions.Region;

/** One signed request to an endpoint of this process. Runs with {@code -Paws} only. */
final class AwsSecretsTest {
    private HttpServer endpoint;
    private AwsSecrets secrets;
    private volatile String asked = "";
    private volatile String answer = "";
    private volatile int status = 200;

    @BeforeEach
    void listen() throws IOException {
        endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/", this::answer);
        endpoint.start();
        secrets = new AwsSecrets(
                URI.create("http://127.0.0.1:" + endpoint.getAddress().getPort()),
                Region.EU_CENTRAL_1,
                AwsCredentialsIdentity.create("AKIDEXAMPLE", "marked-secret-key"));
    }

    @AfterEach
    void stop() {
        endpoint.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked = exchange.getRequestHeaders().getFirst("X-Amz-Target") + " "
                + exchange.getRequestHeaders().getFirst("Authorization") + " "
                + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void theTextOfTheSecretIsRead() {
        answer = "{\"Name\":\"tokens\",\"SecretString\":\"{\\\"ada\\\":\\\"t\\\"}\"}";
        assertThat(secrets.read("tokens")).isEqualTo("{\"ada\":\"t\"}");
        assertThat(asked)
                .startsWith("secretsmanager.GetSecretValue AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/")
                .contains("/eu-central-1/secretsmanager/aws4_request", "SignedHeaders=", "{\"SecretId\":\"tokens\"}")
                .doesNotContain("marked");
    }

    @Test
    void aRefusalNamesTheStatusAndNoPartOfTheAnswer() {
        status = 400;
        answer = "{\"__type\":\"marked\"}";
        assertThatThrownBy(() -> secrets.read("tokens"))
                .hasMessageContaining("400")
                .message()
                .doesNotContain("marked");
        status = 200;
        assertThatThrownBy(() -> secrets.read("tokens")).hasMessageContaining("binary");
        answer = "{marked";
        assertThatThrownBy(() -> secrets.read("tokens"))
                .hasMessageContaining("not JSON")
                .message()
                .doesNotContain("marked");
    }

    @Test
    void theServiceLoaderFindsIt() {
        assertThat(ServiceLoader.load(SecretSource.class).findFirst()).get().isInstanceOf(AwsSecrets.class);
    }
}
