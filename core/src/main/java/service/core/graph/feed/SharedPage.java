package service.core.graph.feed;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import service.core.json.ByteChunks;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * A rendered page or piece of a feed that several consumers send. Counts its users, including the cache; the last one
 * releases its memory. Immutable but for that count; any thread.
 */
public final class SharedPage {
    /** Heap bytes of the name of a branch in a map, at the most. */
    private static final int NAME_BYTES = 256;

    private final List<ByteBuffer> pieces;
    private final int size;
    private final Map<String, Boolean> shown;
    private final AtomicInteger users = new AtomicInteger(1);
    private volatile @Nullable Runnable release;

    /** Where the page ends, for a reader that continues after it. */
    private final End end;

    /**
     * The end of a page.
     *
     * @param place the position after the last block that was passed on completely
     * @param mark in the next block
     * @param atCut whether the end of the poll is reached
     * @param part where in a block it ends
     */
    record End(FeedToken.Place place, long mark, boolean atCut, FeedSink.Part part) {}

    SharedPage(FeedSink.Content content, End end) {
        this.pieces = List.copyOf(content.pieces());
        this.size = (int) ByteChunks.length(pieces);
        this.shown = Map.copyOf(content.shown());
        this.release = content.release();
        this.end = end;
    }

    /** The bytes of the page, for one consumer, which must not change them; valid until it {@link #leave leaves}. */
    public List<ByteBuffer> pieces() {
        return pieces.stream().map(ByteBuffer::duplicate).toList();
    }

    /** The length in bytes. */
    public int size() {
        return size;
    }

    /** Whether the page ends where its poll ends: at the head, for a stream. */
    public boolean isAtCut() {
        return end.atCut();
    }

    End end() {
        return end;
    }

    /** Whether a caller sees the same as the one for whom the page was rendered. */
    boolean isFor(Caller caller) {
        for (Map.Entry<String, Boolean> branch : shown.entrySet()) {
            if (caller.may(Action.READ, branch.getKey()) != branch.getValue()) {
                return false;
            }
        }
        return true;
    }

    /** Adds a user; false when the page was released. */
    boolean enter() {
        return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Ends a use. */
    public void leave() {
        Runnable work = release;
        if (users.decrementAndGet() == 0 && work != null) {
            work.run();
        }
    }

    /**
     * Takes note that the memory of the page is reserved.
     *
     * @param work returns the memory; the last user runs it
     */
    void onRelease(Runnable work) {
        release = work;
    }

    /** Whether the memory of the page is reserved or charged; else each user must charge it. */
    public boolean isReserved() {
        return release != null;
    }

    /** Heap bytes of the body and of the names on which it depends. */
    int heapBytes() {
        return size + NAME_BYTES * shown.size();
    }
}
