package service.mcp.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.json.Json;
import service.mcp.tool.Tool;
import service.mcp.tool.ToolRefusal;

/**
 * MCP over two streams: each line carries one JSON-RPC message. Requests run beside one another, each on a virtual
 * thread, which a cancellation interrupts; a cancelled request has no answer. One thread serves.
 *
 * @param <C> what a call of a tool brings
 */
public final class StdioTransport<C> {
    /** Requests that run at one time; a further one is refused. */
    public static final int CALLS_MAX = 16;

    /** The longest message, in bytes. */
    public static final int MESSAGE_BYTES_MAX = 1 << 20;

    private static final String MESSAGE = "the message";
    private static final int PARSE_ERROR = -32_700;
    private static final int INVALID_REQUEST = -32_600;
    private static final int BUSY = -32_000;

    private final QuietMapper mapper = new QuietMapper();
    private final C call;
    private final ToolResults results;
    private final ToolServer<Thread> server;
    private final OutputStream out;
    private final ReentrantLock writing = new ReentrantLock();
    private final Semaphore places = new Semaphore(CALLS_MAX);
    private final Map<Object, Thread> running = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable IOException> broken = new AtomicReference<>();

    /**
     * A transport with a server of the SDK behind it.
     *
     * @param call what every call of a tool gets
     * @param version what the server reports to clients
     * @param instructions tell an agent how the tools belong together
     * @param resultBytesMax the largest result, which counts its JSON and its text
     * @param out gets the answers and nothing else
     */
    public StdioTransport(
            List<? extends Tool<C>> tools,
            C call,
            String version,
            String instructions,
            long resultBytesMax,
            OutputStream out) {
        this.call = call;
        this.results = new ToolResults(mapper, resultBytesMax);
        this.server = ToolServer.of(tools, version, instructions, mapper, this::run);
        this.out = out;
    }

    /**
     * Serves until the stream ends, and then until the last request is answered.
     *
     * @throws IOException when a stream cannot be read or written
     */
    public void serve(InputStream in) throws IOException {
        InputStream buffered = new BufferedInputStream(in);
        try {
            for (byte[] line = line(buffered); line != null && broken.get() == null; line = line(buffered)) {
                if (line.length > 0) {
                    take(line);
                }
            }
        } finally {
            awaitAnswers();
        }
        IOException failure = broken.get();
        if (failure != null) {
            throw failure;
        }
    }

    private void awaitAnswers() {
        places.acquireUninterruptibly(CALLS_MAX);
        // The last request gave its place back with this lock held, and writes its answer before it gives the lock
        // back.
        writing.lock();
        try {
            places.release(CALLS_MAX);
        } finally {
            writing.unlock();
        }
    }

    /** The next line without its end; null after the last one. One that is too long ends one byte beyond the bound. */
    private static byte @Nullable [] line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.size() <= MESSAGE_BYTES_MAX && next != '\r') {
                line.write(next);
            }
        }
        return line.toByteArray();
    }

    private void take(byte[] line) {
        if (line.length > MESSAGE_BYTES_MAX) {
            refuse(null, INVALID_REQUEST, "the message is longer than " + MESSAGE_BYTES_MAX + " bytes");
            return;
        }
        JsonNode json;
        try {
            json = Json.read(line, MESSAGE);
        } catch (ServiceException refusal) {
            refuse(null, PARSE_ERROR, refusal.getMessage());
            return;
        }
        JsonRpc message;
        try {
            message = JsonRpc.of(json, MESSAGE);
        } catch (ServiceException refusal) {
            refuse(null, INVALID_REQUEST, refusal.getMessage());
            return;
        }
        Object id = message.id();
        if (id == null) {
            Object cancelled = message.cancelled();
            Thread thread = cancelled == null ? null : running.remove(cancelled);
            if (thread != null) {
                thread.interrupt();
            }
        } else if (places.tryAcquire()) {
            start(message, id);
        } else {
            refuse(id, BUSY, CALLS_MAX + " requests are running, the most at one time; retry in a second");
        }
    }

    /** Answers a request, which has a place, on its own thread. */
    private void start(JsonRpc message, Object id) {
        Thread thread = Thread.ofVirtual().unstarted(() -> answer(message, id));
        // Before it runs: the next message may cancel it.
        if (running.putIfAbsent(id, thread) == null) {
            thread.start();
        } else {
            places.release();
            refuse(id, INVALID_REQUEST, "a request with this id is running");
        }
    }

    private void answer(JsonRpc message, Object id) {
        Thread thread = Thread.currentThread();
        byte[] answer = null;
        try {
            McpSchema.JSONRPCResponse response = server.respond(thread, message);
            if (running.remove(id, thread)) {
                answer = mapper.writeValueAsBytes(response);
            }
        } catch (IOException e) {
            broken.set(e);
        } finally {
            running.remove(id, thread);
            end(answer);
        }
    }

    /** Gives the place of a request back before its answer is seen: the client may send the next one at once. */
    private void end(byte @Nullable [] answer) {
        writing.lock();
        try {
            places.release();
            if (answer != null) {
                write(answer);
            }
        } catch (IOException e) {
            broken.set(e);
        } finally {
            writing.unlock();
        }
    }

    private CallToolResult run(Tool<C> tool, Thread thread, @Nullable Map<String, Object> arguments) {
        try {
            return results.of(tool.run(call, mapper.tree(arguments)));
        } catch (ServiceException refusal) {
            return ToolResults.error(refusal);
        } catch (ToolRefusal refusal) {
            return ToolResults.error(refusal.body());
        }
    }

    private void refuse(@Nullable Object id, int code, String text) {
        ObjectNode answer = Json.object().put("jsonrpc", JsonRpc.VERSION);
        answer.set("id", mapper.node(id));
        answer.putObject("error").put("code", code).put("message", text);
        try {
            write(mapper.writeValueAsBytes(answer));
        } catch (IOException e) {
            broken.set(e);
        }
    }

    private void write(byte[] message) throws IOException {
        writing.lock();
        try {
            out.write(message);
            out.write('\n');
            out.flush();
        } finally {
            writing.unlock();
        }
    }
}
