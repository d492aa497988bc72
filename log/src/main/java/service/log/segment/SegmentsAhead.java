package service.log.segment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStoreException;

/**
 * Begins to read the next segments of a list while the caller takes the ones before, because the first byte of an
 * object takes longer than the rest of a small one. Bytes wait in the connections. One thread.
 */
final class SegmentsAhead implements AutoCloseable {
    /** Requests at the same time. */
    private static final int AHEAD = 16;

    /** Before Java 24 the HTTP client binds a virtual thread to its carrier, of which there are few. */
    private static final Executor THREADS =
            request -> Thread.ofPlatform().daemon().name("ahead").start(request);

    private final SegmentStore segments;
    private final Iterator<Long> firsts;
    private final Deque<CompletableFuture<@Nullable InputStream>> begun = new ArrayDeque<>();

    /** @param firsts the first offsets of the segments */
    SegmentsAhead(SegmentStore segments, List<Long> firsts) {
        this.segments = segments;
        this.firsts = firsts.iterator();
        for (int i = 0; i < AHEAD; i++) {
            begin();
        }
    }

    private void begin() {
        if (firsts.hasNext()) {
            String key = segments.key(firsts.next());
            begun.add(CompletableFuture.supplyAsync(() -> segments.read(key), THREADS));
        }
    }

    /**
     * The bytes of the next segment, which the caller closes; null when it is missing.
     *
     * @throws ObjectStoreException when the store fails, or the thread is interrupted
     */
    @Nullable
    InputStream next() {
        CompletableFuture<@Nullable InputStream> answer = begun.remove();
        begin();
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            abandon(answer);
            throw new ObjectStoreException(
                    ObjectStoreException.Kind.UNREACHABLE,
                    segments.location() + ": interrupted",
                    null,
                    new IOException(e));
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /** Closes what was begun and not taken, when its answer is there. */
    @Override
    public void close() {
        begun.forEach(SegmentsAhead::abandon);
        begun.clear();
    }

    private static void abandon(CompletableFuture<@Nullable InputStream> answer) {
        CompletableFuture<Void> unused = answer.thenAccept(SegmentsAhead::close);
    }

    static void close(@Nullable InputStream stored) {
        try {
            if (stored != null) {
                stored.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
