package service.core.testkit;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;

/**
 * A client of a shared bucket in which requests go wrong as they do with S3, and which can be killed between any two
 * requests. Several clients may share one bucket; a request waits and fails outside of the bucket, so that clients race
 * as processes do. Any thread.
 */
public final class FaultyObjectStore implements ObjectStore {
    /** What goes wrong with one request. */
    public enum Fault {
        /** The connection is cut before the store has the request. */
        LOST_BEFORE,
        /** The request has its effect, and the answer is lost. */
        LOST_AFTER,
        /** The store answers 500, and the request has an effect or not. */
        SERVER_ERROR,
        /** The store answers 503 SlowDown without an effect. */
        SLOW_DOWN,
        /** The answer ends before its length. */
        HALF_BODY,
        /** The answer comes after the time limit of the client. */
        STALL
    }

    /** Thrown by the request at which the client was killed, and by all later ones. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("this client was killed");
        }
    }

    private static final List<Fault> FAULTS = List.of(Fault.values());

    private final ObjectStore bucket;
    private final Random random;
    private final Queue<Fault> next = new ArrayDeque<>();
    private int oneIn;
    private long latencyMillis;
    private boolean unreachable;
    private long requests;
    private long killAt = Long.MAX_VALUE;
    private boolean killedAfterEffect;
    private LongConsumer beforeRequest = number -> {};
    private LongConsumer afterEffect = number -> {};
    private Consumer<String> beforeCreation = key -> {};
    private Consumer<String> beforeReading = key -> {};

    public FaultyObjectStore(ObjectStore bucket, long seed) {
        this.bucket = bucket;
        this.random = new Random(seed);
    }

    /** Makes the next requests fail, one each. */
    public synchronized FaultyObjectStore fail(Fault... faults) {
        next.addAll(List.of(faults));
        return this;
    }

    /** Makes one request of this many fail, in a random way; 0 for none. */
    public synchronized FaultyObjectStore failOneIn(int requestsEach) {
        oneIn = requestsEach;
        return this;
    }

    /** Makes each request take at least this long. */
    public synchronized FaultyObjectStore latency(Duration each) {
        latencyMillis = each.toMillis();
        return this;
    }

    /** Whether every request fails without an effect. */
    public synchronized void unreachable(boolean now) {
        unreachable = now;
    }

    /**
     * Kills this client at its request of this number, counted from 0.
     *
     * @param afterEffect whether the request still has its effect
     */
    public synchronized FaultyObjectStore killAt(long request, boolean afterEffect) {
        killAt = request;
        killedAfterEffect = afterEffect;
        return this;
    }

    /**
     * Sets what runs around each request, with its number, counted from 0; it may block.
     *
     * @param before before the request has its effect
     * @param after between its effect and its answer; before the stream of an answer is read
     */
    public synchronized FaultyObjectStore around(LongConsumer before, LongConsumer after) {
        beforeRequest = before;
        afterEffect = after;
        return this;
    }

    private void runBefore(Turn turn) {
        step(true).accept(turn.number);
    }

    private void runAfter(Turn turn) {
        step(false).accept(turn.number);
    }

    private synchronized LongConsumer step(boolean before) {
        return before ? beforeRequest : afterEffect;
    }

    /** Sets what runs before each creation of an object, with its key; it may block or throw. */
    public synchronized FaultyObjectStore beforeCreation(Consumer<String> step) {
        beforeCreation = step;
        return this;
    }

    /** Sets what runs before each reading of a stream, with its key. */
    public synchronized FaultyObjectStore beforeReading(Consumer<String> step) {
        beforeReading = step;
        return this;
    }

    private void prepareReading(String key) {
        Consumer<String> step;
        synchronized (this) {
            step = beforeReading;
        }
        step.accept(key);
    }

    private void prepare(String key) {
        Consumer<String> step;
        synchronized (this) {
            step = beforeCreation;
        }
        step.accept(key);
    }

    /** The number of requests so far. */
    public synchronized long requests() {
        return requests;
    }

    /** What happens to one request. */
    private record Turn(long number, @Nullable Fault fault, boolean effect, boolean killed) {}

    private synchronized Turn turn() {
        long number = requests++;
        if (number >= killAt) {
            return new Turn(number, null, number == killAt && killedAfterEffect, true);
        }
        if (unreachable) {
            return new Turn(number, Fault.LOST_BEFORE, false, false);
        }
        Fault fault = next.poll();
        if (fault == null && oneIn > 0 && random.nextInt(oneIn) == 0) {
            fault = FAULTS.get(random.nextInt(FAULTS.size()));
        }
        if (fault == null) {
            return new Turn(number, null, true, false);
        }
        boolean effect = switch (fault) {
            case LOST_BEFORE, SLOW_DOWN -> false;
            case LOST_AFTER, HALF_BODY -> true;
            case SERVER_ERROR, STALL -> random.nextBoolean();
        };
        return new Turn(number, fault, effect, false);
    }

    private <T extends @Nullable Object> T request(String key, Supplier<T> effect) {
        Turn turn = turn();
        pause();
        runBefore(turn);
        T answer = turn.effect ? effect.get() : null;
        runAfter(turn);
        if (turn.killed) {
            throw new Killed();
        }
        Fault fault = turn.fault;
        if (fault != null) {
            throw failure(key, fault);
        }
        return answer;
    }

    private static ObjectStoreException failure(String key, Fault fault) {
        return fault == Fault.SLOW_DOWN
                ? new ObjectStoreException(
                        ObjectStoreException.Kind.SLOW_DOWN, key + ": 503 SlowDown", Duration.ofMillis(1), null)
                : new ObjectStoreException(ObjectStoreException.Kind.UNREACHABLE, key + ": " + fault);
    }

    private void pause() {
        long millis;
        synchronized (this) {
            millis = latencyMillis;
        }
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public String location() {
        return bucket.location();
    }

    @Override
    public @Nullable StoredObject get(String key) {
        return request(key, () -> bucket.get(key));
    }

    /** A stream that is cut gives some of the bytes first. */
    @Override
    public @Nullable InputStream read(String key, long from) {
        prepareReading(key);
        Turn turn = turn();
        pause();
        if (turn.killed) {
            throw new Killed();
        }
        Fault fault = turn.fault;
        if (fault != null && fault != Fault.HALF_BODY) {
            throw failure(key, fault);
        }
        runBefore(turn);
        InputStream whole = bucket.read(key, from);
        runAfter(turn);
        return whole == null || fault == null ? whole : half(whole);
    }

    private static InputStream half(InputStream whole) {
        byte[] bytes;
        try (whole) {
            bytes = whole.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new FilterInputStream(new ByteArrayInputStream(bytes, 0, bytes.length / 2)) {
            @Override
            public int read() throws IOException {
                return cut(in.read());
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return cut(in.read(into, offset, length));
            }

            private int cut(int read) throws IOException {
                if (read < 0) {
                    throw new IOException("the body ends before its length");
                }
                return read;
            }
        };
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        prepare(key);
        return request(key, () -> bucket.putIfAbsent(key, bytes));
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        prepare(key);
        return request(key, () -> bucket.putIfAbsent(key, content));
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        return request(key, () -> bucket.putIfMatch(key, version, bytes));
    }

    @Override
    public void delete(String key) {
        request(key, () -> {
            bucket.delete(key);
            return true;
        });
    }

    /** A request that is killed or whose answer is lost may have deleted only the first half of the objects. */
    @Override
    public void deleteAll(List<String> keys) {
        boolean half;
        synchronized (this) {
            half = requests == killAt && random.nextBoolean();
        }
        request("several objects", () -> {
            bucket.deleteAll(half ? keys.subList(0, keys.size() / 2) : keys);
            return true;
        });
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        return request(prefix, () -> bucket.list(prefix, after, keysMax));
    }
}
