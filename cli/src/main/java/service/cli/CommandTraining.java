package service.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import service.cli.command.CommandLines;

/**
 * Runs a few commands: helps, and a query over HTTP that a socket of this process answers. A JVM that runs this with
 * {@code -XX:AOTCacheOutput} or {@code -XX:ArchiveClassesAtExit} writes the archive of what short commands need;
 * {@code bin/launch} does so. Exits with 0, or with 1 and a message on stderr.
 */
public final class CommandTraining {
    private static final String ROWS = """
            {"query_name":"q","branch":"main","snapshot":"01","graph_commit_id":"01","row_count":1,\
            "columns":[{"name":"name","type":"String","nullable":false},{"name":"n","type":"I64","nullable":true}],\
            "rows":[{"name":"Ada","n":1}]}""";

    private CommandTraining() {}

    public static void main(String[] arguments) {
        System.exit(trained() ? 0 : 1);
    }

    private static boolean trained() {
        try (ServerSocket listening = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().name("answers").start(() -> answer(listening));
            String server = "http://127.0.0.1:" + listening.getLocalPort();
            for (List<String> command : List.of(
                    List.of("--help"),
                    List.of("query", "--help"),
                    List.of("help", "query"),
                    List.of("query", "q", "-p", "name=Ada", "--server", server, "--graph", "g"),
                    List.of("query", "-e", "query q() {}", "--format", "jsonl", "--server", server, "--graph", "g"),
                    List.of("query", "-e", "query q() {}", "--json", "--server", server, "--graph", "g"))) {
                String[] words = command.toArray(String[]::new);
                int code = CommandLines.service(words).execute(words);
                if (code != 0) {
                    throw new IOException(String.join(" ", command) + ": exit " + code);
                }
            }
            return true;
        } catch (IOException e) {
            System.err.println("the training of the command line failed: " + e);
            return false;
        }
    }

    /** Answers each request with the same rows, until the socket is closed. */
    private static void answer(ServerSocket listening) {
        try {
            while (true) {
                try (Socket socket = listening.accept()) {
                    read(new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)));
                    socket.getOutputStream()
                            .write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                                            + "Content-Length: " + ROWS.length() + "\r\n\r\n" + ROWS)
                                    .getBytes(US_ASCII));
                }
            }
        } catch (IOException e) {
            if (!listening.isClosed()) {
                System.err.println("the training of the command line failed: " + e);
            }
        }
    }

    private static void read(BufferedReader request) throws IOException {
        int body = 0;
        for (String line = request.readLine(); line != null && !line.isEmpty(); line = request.readLine()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                body = Integer.parseInt(line.substring(15).strip());
            }
        }
        request.skip(body);
    }
}
