package service.http.server;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.AbstractServerConnection;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.ConduitStreamSourceChannel;
import org.xnio.conduits.StreamSinkConduit;

/**
 * Replaces the answers that Undertow itself writes to malformed requests by one with an error body.
 *
 * <p>Undertow writes a bare 400 for a request that it cannot parse, and for a wrong {@code Host}, before it calls a
 * handler. This conduit is between Undertow and the socket of one connection. Bytes that arrive while no handler has an
 * exchange are such an answer. After its own answer the conduit closes the output, and discards the input for
 * {@link #LINGER} before it closes the connection: a connection that is closed with unread input is reset, and the
 * client might not see the answer.
 *
 * <p>Thread rule: the I/O thread; during an exchange, the thread that writes the response.
 */
final class ParseRefusals extends AbstractStreamSinkConduit<StreamSinkConduit> {
    private static final Duration LINGER = Duration.ofSeconds(1);
    private static final int DISCARD_BYTES = 16 << 10;

    private final StreamConnection connection;
    private final VersionCheck input;
    private final ConnectionDeadline deadline;
    private final Connections.Seat seat;
    private final Supplier<byte[]> refusal;

    /** Whether a handler has an exchange whose response is not finished. */
    private volatile boolean exchanging;

    /** The rest of the answer. */
    private @Nullable ByteBuffer answer;

    private boolean closing;

    private ParseRefusals(
            StreamConnection connection,
            VersionCheck input,
            ConnectionDeadline deadline,
            Connections.Seat seat,
            Supplier<byte[]> refusal) {
        super(connection.getSinkChannel().getConduit());
        this.connection = connection;
        this.input = input;
        this.deadline = deadline;
        this.seat = seat;
        this.refusal = refusal;
    }

    /**
     * Puts conduits below Undertow in both directions. Call it before Undertow sees the connection.
     *
     * @param refusal makes the answer to a request that cannot be parsed
     */
    static ParseRefusals install(
            StreamConnection connection, ConnectionDeadline deadline, Connections.Seat seat, Supplier<byte[]> refusal) {
        VersionCheck input = new VersionCheck(connection.getSourceChannel().getConduit(), deadline);
        connection.getSourceChannel().setConduit(input);
        ParseRefusals installed = new ParseRefusals(connection, input, deadline, seat, refusal);
        connection.getSinkChannel().setConduit(installed);
        return installed;
    }

    /** Answers a connection that has no place, which Undertow does not see, and closes it. */
    void refuseConnection() {
        try {
            refuse();
        } catch (IOException e) {
            IoUtils.safeClose(connection);
        }
    }

    /** The place of the connection of an exchange. */
    static Connections.Seat seat(HttpServerExchange exchange) {
        return ((ParseRefusals) ((AbstractServerConnection) exchange.getConnection()).getOriginalSinkConduit()).seat;
    }

    /** Sends all bytes of the exchange as they are, until it is complete. Call it before the handler. */
    static void begin(HttpServerExchange exchange) {
        AbstractServerConnection connection = (AbstractServerConnection) exchange.getConnection();
        ParseRefusals refusals = (ParseRefusals) connection.getOriginalSinkConduit();
        refusals.exchanging = true;
        refusals.input.stop();
        refusals.deadline.beginExchange();
        if (exchange.getRequestHeaders().contains(Headers.TRANSFER_ENCODING)) {
            refusals.input.forget();
            exchange.addRequestWrapper((factory, ignored) -> new ChunkFraming(factory.create(), refusals.input));
        }
        exchange.addExchangeCompleteListener((ended, next) -> {
            refusals.exchanging = false;
            refusals.deadline.awaitRequest();
            refusals.input.start();
            if (refusals.hasMore(connection)) {
                refusals.input.stop();
                refusals.deadline.awaitHeaders();
            }
            next.proceed();
        });
    }

    /** Whether bytes of the next request were read together with those of the last one. */
    private boolean hasMore(AbstractServerConnection connection) {
        PooledByteBuffer more = connection.getExtraBytes();
        if (more == null) {
            return false;
        }
        input.skipEmptyLines(more.getBuffer());
        if (more.getBuffer().hasRemaining()) {
            return true;
        }
        connection.setExtraBytes(null);
        more.close();
        return false;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return exchanging ? super.write(from) : refuse();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        return exchanging ? super.write(from, offset, length) : refuse();
    }

    @Override
    public int writeFinal(ByteBuffer from) throws IOException {
        return exchanging ? super.writeFinal(from) : refuse();
    }

    @Override
    public long writeFinal(ByteBuffer[] from, int offset, int length) throws IOException {
        return exchanging ? super.writeFinal(from, offset, length) : refuse();
    }

    /** Takes none of Undertow's bytes: it closes the connection at once when they are taken. */
    private int refuse() throws IOException {
        ByteBuffer own = answer;
        if (own == null) {
            own = ByteBuffer.wrap(refusal.get());
            answer = own;
        }
        while (own.hasRemaining()) {
            if (super.write(own) == 0) {
                return 0;
            }
        }
        linger();
        return 0;
    }

    private void linger() throws IOException {
        if (closing) {
            return;
        }
        closing = true;
        super.terminateWrites();
        super.flush();
        ConduitStreamSourceChannel source = connection.getSourceChannel();
        source.setConduit(input);
        source.setReadListener(ignored -> discard());
        source.resumeReads();
        deadline.closeAfter(LINGER);
    }

    private void discard() {
        ByteBuffer discarded = ByteBuffer.allocate(DISCARD_BYTES);
        try {
            int count = input.read(discarded);
            if (count < 0) {
                IoUtils.safeClose(connection);
            }
        } catch (IOException e) {
            IoUtils.safeClose(connection);
        }
    }

    /** Does nothing after the answer: its output is closed, and a closed socket is always writable. */
    @Override
    public void resumeWrites() {
        if (!closing) {
            super.resumeWrites();
        }
    }
}
