package service.core.budget;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Items that wait, by sender and by graph. Every second item is that of the sender whose turn it is, the others are
 * those of the graph whose turn it is. Turns of one kind do not move those of the other kind. So the next item of a
 * sender waits for at most two items for each other sender, and the next item of a graph for at most two items for each
 * other graph, whatever else waits: a sender that floods many graphs delays no other sender, and a graph that many
 * senders flood delays no other graph.
 *
 * <p>It keeps no trace of a claim without items. Thread rule: one thread at a time; the owner locks.
 */
public final class ClaimQueue<H, T> {
    private final Map<Claim<H>, ArrayDeque<T>> waiting = new HashMap<>();

    /** Each claim that has items, in both. */
    private final FairQueue<Claim<H>> bySender = new FairQueue<>();

    private final FairQueue<Claim<H>> byGraph = new FairQueue<>();
    private boolean graphIsNext;
    private int size;

    /** Adds an item after the others of its claim. */
    public void add(Claim<H> claim, T item) {
        ArrayDeque<T> items = waiting.get(claim);
        if (items == null) {
            items = new ArrayDeque<>(1);
            waiting.put(claim, items);
            bySender.add(claim.sender(), claim);
            byGraph.add(claim.graph(), claim);
        }
        items.addLast(item);
        size++;
    }

    /** Removes the next item; null when there is none. */
    public @Nullable T poll() {
        return poll(any -> true);
    }

    /**
     * Removes the next item of the first claim in turn that may be served.
     *
     * @return null when no such claim has an item
     */
    public @Nullable T poll(Predicate<Claim<H>> mayBeServed) {
        boolean ofGraph = graphIsNext;
        Claim<H> claim = (ofGraph ? byGraph : bySender).poll(mayBeServed);
        if (claim == null) {
            return null;
        }
        graphIsNext = !ofGraph;
        ArrayDeque<T> items = Objects.requireNonNull(waiting.get(claim));
        T item = items.removeFirst();
        size--;
        if (items.isEmpty()) {
            waiting.remove(claim);
            boolean removed = ofGraph ? bySender.remove(claim.sender(), claim) : byGraph.remove(claim.graph(), claim);
            assert removed : claim;
        } else if (ofGraph) {
            byGraph.add(claim.graph(), claim);
        } else {
            bySender.add(claim.sender(), claim);
        }
        return item;
    }

    /** Removes an item that no longer waits; false when it is not in the queue. */
    public boolean remove(Claim<H> claim, T item) {
        ArrayDeque<T> items = waiting.get(claim);
        if (items == null || !items.remove(item)) {
            return false;
        }
        size--;
        if (items.isEmpty()) {
            waiting.remove(claim);
            boolean ofSender = bySender.remove(claim.sender(), claim);
            boolean ofGraph = byGraph.remove(claim.graph(), claim);
            assert ofSender && ofGraph : claim;
        }
        return true;
    }

    /** Number of items. */
    public int size() {
        return size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Number of claims with items. */
    public int claims() {
        return waiting.size();
    }
}
