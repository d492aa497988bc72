package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.http.auth.Tokens;
import service.http.limit.Limits;

/** How a server sends the files of the console. Without a browser: {@code ConsoleBrowserTest} of fixtures has one. */
final class ConsoleServerTest {
    private static final TestServer SERVER = new TestServer(Limits.DEFAULTS, Tokens.of("{\"ada\":\"secret\"}"));
    private static final Pattern SCRIPT = Pattern.compile("src=\"([0-9a-f]{20}/app\\.js)\"");

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    /** Without a credential, as a browser loads it. */
    private static RawConnection.Response ask(String request, String headers) throws IOException {
        try (RawConnection connection = SERVER.connect()) {
            connection.send(request + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
            return connection.read(!request.startsWith("HEAD"));
        }
    }

    private static String script() throws IOException {
        Matcher script = SCRIPT.matcher(ask("GET /console/", "").body());
        assertThat(script.find()).isTrue();
        return "/console/" + script.group(1);
    }

    @ParameterizedTest
    @CsvSource({"/,302", "/console,308"})
    void otherAddressesLeadToTheConsole(String path, int status) throws IOException {
        RawConnection.Response moved = ask("GET " + path, "Accept: text/html\r\n");
        assertThat(moved.status()).isEqualTo(status);
        // Relative, so that a proxy may serve all of it below a prefix.
        assertThat(moved.header("Location")).isEqualTo("console/");
    }

    @Test
    void everyFileCarriesThePolicy() throws IOException {
        for (String path : new String[] {"/console/", script()}) {
            RawConnection.Response file = ask("GET " + path, "");
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.header("Content-Security-Policy"))
                    .startsWith("default-src 'none'; script-src 'self' 'sha256-")
                    .contains("frame-ancestors 'none'", "require-trusted-types-for 'script'")
                    .doesNotContain("unsafe", "http:", "https:", "data:");
            assertThat(file.header("X-Frame-Options")).isEqualTo("DENY");
            assertThat(file.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(file.header("Referrer-Policy")).isEqualTo("no-referrer");
            assertThat(file.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
            assertThat(file.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
        }
    }

    @Test
    void theFirstFileIsAskedForAgainAndAllOthersAreKept() throws IOException {
        RawConnection.Response index = ask("GET /console/", "");
        assertThat(index.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(index.header("Content-Type")).isEqualTo("text/html; charset=utf-8");
        RawConnection.Response same = ask("GET /console/", "If-None-Match: " + index.header("ETag") + "\r\n");
        assertThat(same.status()).isEqualTo(304);
        assertThat(same.body()).isEmpty();
        assertThat(ask("GET /console/", "If-None-Match: \"other\"\r\n").status())
                .isEqualTo(200);
        RawConnection.Response script = ask("GET " + script(), "");
        assertThat(script.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(script.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
    }

    @Test
    void filesAreCompressedForThoseWhoTakeIt() throws IOException {
        RawConnection.Response plain = ask("GET " + script(), "Accept-Encoding: gzip;q=0\r\n");
        RawConnection.Response small = ask("HEAD " + script(), "Accept-Encoding: gzip, br\r\n");
        assertThat(plain.headers()).doesNotContainKey("content-encoding");
        assertThat(small.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(small.header("Vary")).isEqualTo("Accept-Encoding");
        assertThat(Integer.parseInt(small.header("Content-Length")))
                .isPositive()
                .isLessThan(Integer.parseInt(plain.header("Content-Length")) / 2);
    }

    @ParameterizedTest
    @CsvSource({
        "GET /console/0123456789abcdef0123/app.js,404",
        "GET /console/FOLDER/index.html,404",
        "GET /console/FOLDER/pages/none.js,404",
        "GET /console/FOLDER/lib/..%2Fapp.js,404",
        "GET /console/FOLDER/%2e%2e/openapi.json,404",
        "GET /console/FOLDER/app.js?x=1,400",
        "POST /console/,405",
        "DELETE /console/FOLDER/app.js,405",
        "HEAD /console/,200",
        // An unknown route asks for the credential first.
        "GET /console/a/b/c/d/e/f/g,401",
        "GET /consol,401"
    })
    void othersAreRefused(String request, int status) throws IOException {
        String folder = script().split("/", -1)[2];
        RawConnection.Response answer = ask(request.replace("FOLDER", folder), "");
        assertThat(answer.status()).isEqualTo(status);
        if (status == 405) {
            assertThat(answer.header("Allow")).isEqualTo("GET, HEAD");
        }
    }
}
