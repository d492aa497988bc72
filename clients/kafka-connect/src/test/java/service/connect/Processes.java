package service.connect;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/** What tests do with processes. */
final class Processes {
    private static final boolean REQUIRED = "required".equals(System.getProperty("clients"));
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

    private Processes() {}

    /**
     * Ends a test for which something is missing: it fails with {@code -Dclients=required}, and is left out without.
     */
    static void missing(String what, String command) {
        String message = what + ": `" + command + "`";
        if (REQUIRED) {
            fail(message);
        }
        if (SAID.add(what)) {
            System.out.println("left out: " + message);
        }
        Assumptions.abort(message);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** By SIGKILL. */
    static void kill(Process process) {
        if (process != null) {
            process.destroyForcibly();
            join(process);
        }
    }

    static int join(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
