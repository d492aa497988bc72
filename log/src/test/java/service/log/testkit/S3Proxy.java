package service.log.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An S3 server in a process with its own class path, on a free port, with its objects on the heap. Killed when closed.
 * It answers conditional writes correctly one at a time; {@code If-Match} is not atomic in it.
 */
public final class S3Proxy implements AutoCloseable {
    public static final String ACCESS_KEY = "tests-access-key";
    public static final String SECRET_KEY = "tests-secret-key";
    private static final Pattern LISTENS =
            Pattern.compile("http[^\"]*\\{127\\.0\\.0\\.1:(\\d+)\\}|127\\.0\\.0\\.1:(\\d{2,5})");

    private final Process process;
    private final URI endpoint;

    private S3Proxy(Process process, URI endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /**
     * Starts the server and waits until it listens.
     *
     * @param scratch an existing directory for its configuration
     */
    public static S3Proxy start(Path scratch) throws IOException {
        Path properties = scratch.resolve("s3proxy.properties");
        Files.writeString(properties, """
                s3proxy.endpoint=http://127.0.0.1:0
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                jclouds.provider=transient-nio2
                jclouds.identity=x
                jclouds.credential=x
                """.formatted(ACCESS_KEY, SECRET_KEY));
        Path jar = Path.of(System.getProperty("service.root"), "log", "target", "s3proxy", "s3proxy.jar");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx512m",
                        "-jar",
                        jar.toString(),
                        "--properties",
                        properties.toString())
                .redirectErrorStream(true)
                .start();
        return new S3Proxy(process, URI.create("http://127.0.0.1:" + port(process)));
    }

    private static String port(Process process) throws IOException {
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder skipped = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher port = LISTENS.matcher(line);
            if (port.find()) {
                Thread.ofVirtual().start(() -> drain(output));
                return port.group(1) == null ? port.group(2) : port.group(1);
            }
            skipped.append(line).append('\n');
        }
        throw new IOException("s3proxy ended:\n" + skipped);
    }

    /** Reads what it prints, because a full pipe would stop it. */
    private static void drain(BufferedReader output) {
        try {
            while (output.readLine() != null) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt();
        }
    }

    public URI endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new AssertionError("process " + process.pid() + " does not die");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
