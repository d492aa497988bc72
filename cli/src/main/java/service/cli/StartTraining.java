package service.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import service.cli.command.CommandLines;

/**
 * Starts a server on an empty cluster in a temporary directory, asks it two questions, and ends. A JVM that runs this
 * with {@code -XX:ArchiveClassesAtExit} writes the archive of the classes that a server needs up to its first answer;
 * {@code bin/launch} and the container file do so. Exits with 0, or with 1 and a message on stderr.
 */
public final class StartTraining {
    private static final String ADDRESS = "SERVICE_LISTEN_ADDR=";

    private StartTraining() {}

    public static void main(String[] arguments) {
        System.exit(trained() ? 0 : 1);
    }

    private static boolean trained() {
        try {
            Path cluster = Files.createTempDirectory("service-start");
            try {
                serve(cluster);
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

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
