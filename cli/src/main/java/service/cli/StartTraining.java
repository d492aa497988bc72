package service.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;
import service.cli.command.CommandLines;

/**
 * Starts a server on an empty cluster in a temporary directory, asks it two questions, lets a bucket without a ledger
 * refuse another start, and ends. A JVM that runs this with {@code -XX:ArchiveClassesAtExit} writes the archive of the
 * classes that a server needs up to its first answer; {@code bin/launch} and the container file do so. Exits with 0, or
 * with 1 and a message on stderr.
 */
public final class StartTraining {
    private static final String ADDRESS = "SERVICE_LISTEN_ADDR=";
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

    private StartTraining() {}

    public static void main(String[] arguments) {
        System.exit(trained() ? 0 : 1);
    }

    private static boolean trained() {
        try {
            Path cluster = Files.createTempDirectory("service-start");
            try {
                serve(cluster);
                askBucket();
            } finally {
                delete(cluster);
            }
            return true;
        } catch (IOException e) {
            System.err.println("the training of the start failed: " + e);
            return false;
        }
    }

    private static void serve(Path cluster) throws IOException {
        Files.writeString(cluster.resolve("cluster.yaml"), "version: 1\nmetadata: { name: start }\ngraphs: {}\n");
        int applied = CommandLines.service().execute("cluster", "apply", "--config", cluster.toString());
        if (applied != 0) {
            throw new IOException("the empty cluster was not applied: exit " + applied);
        }
        PipedReader printed = new PipedReader();
        PrintWriter out = new PrintWriter(new PipedWriter(printed));
        CommandLine server = CommandLines.server().setOut(out);
        Thread.ofPlatform().daemon().name("server").start(() -> {
            int code = server.execute("--cluster", cluster.toString(), "--bind", "127.0.0.1:0", "--unauthenticated");
            out.println("the server ended with exit " + code);
            out.flush();
        });
        String line = new BufferedReader(printed).readLine();
        if (line == null || !line.startsWith(ADDRESS)) {
            throw new IOException(String.valueOf(line));
        }
        int port = Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
        for (String path : List.of("/healthz", "/readyz")) {
            ask(port, path);
        }
    }

    private static void ask(int port, String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                            .getBytes(US_ASCII));
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), US_ASCII);
            if (!answer.startsWith("HTTP/1.1 200 ")) {
                throw new IOException(path + " was answered with " + answer);
            }
        }
    }

    /**
     * Loads the client of buckets, which takes longer than all other parts of a start in a bucket. A server in this
     * process answers each of its requests with 404, so the start is refused.
     */
    private static void askBucket() throws IOException {
        try (ServerSocket store = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().name("store").start(() -> refuseAll(store));
            System.setProperty("aws.endpointUrlS3", "http://127.0.0.1:" + store.getLocalPort());
            System.setProperty("aws.region", "us-east-1");
            System.setProperty("aws.accessKeyId", "training");
            System.setProperty("aws.secretAccessKey", "training");
            StringWriter refusal = new StringWriter();
            int code = CommandLines.server()
                    .setErr(new PrintWriter(refusal))
                    .execute("--cluster", "s3://training/start", "--bind", "127.0.0.1:0", "--unauthenticated");
            if (code != 1 || !refusal.toString().startsWith("storage_")) {
                throw new IOException("a bucket without anything: exit " + code + ": " + refusal);
            }
        }
    }

    /** Answers until the socket is closed. */
    private static void refuseAll(ServerSocket store) {
        String body = "<Error><Code>NoSuchKey</Code></Error>";
        byte[] answer = ("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n"
                        + body)
                .getBytes(US_ASCII);
        while (!store.isClosed()) {
            try (Socket client = store.accept()) {
                readRequest(client.getInputStream());
                client.getOutputStream().write(answer);
            } catch (IOException closed) {
                // The socket of the store is closed at the end; a client that has gone does not matter.
            }
        }
    }

    /** Reads a header and the bytes that it announces: a connection that is closed before can lose the answer. */
    private static void readRequest(InputStream in) throws IOException {
        StringBuilder header = new StringBuilder();
        while (header.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                return;
            }
            header.append((char) next);
        }
        Matcher length = LENGTH.matcher(header);
        if (length.find()) {
            in.readNBytes(Integer.parseInt(length.group(1)));
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
