package service.core.budget;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Items that wait, by the holder that each belongs to, such as an actor. The holders are served in turn, and the items
 * of one holder in the order of their arrival, so that a holder with a thousand items delays another one by one item.
 * It keeps no trace of a holder without items. Adding and polling cost the same whatever waits, but for the items that
 * {@link #poll} passes over.
 *
 * <p>Thread rule: one thread at a time; the owner locks.
 */
public final class FairQueue<T> {
    /** The holders with items, in the order of their turns. */
    private final Map<Object, ArrayDeque<T>> waiting = new LinkedHashMap<>();

    private int size;

    /** Adds an item after the others of its holder. A holder that had none is served after all others. */
    public void add(Object holder, T item) {
        waiting.computeIfAbsent(holder, any -> new ArrayDeque<>()).addLast(item);
        size++;
    }

    /** Removes the next item of the holder whose turn it is; null when there is none. */
    public @Nullable T poll() {
        return poll(any -> true);
    }

    /**
     * Removes the first item that may be served, of the first holder in turn that has one.
     *
     * @return null when no item may be served
     */
    public @Nullable T poll(Predicate<T> mayBeServed) {
        Iterator<Map.Entry<Object, ArrayDeque<T>>> turns = waiting.entrySet().iterator();
        while (turns.hasNext()) {
            Map.Entry<Object, ArrayDeque<T>> turn = turns.next();
            Object holder = turn.getKey();
            ArrayDeque<T> items = turn.getValue();
            T item = removeFirst(items, mayBeServed);
            if (item != null) {
                turns.remove();
                size--;
                if (!items.isEmpty()) {
                    waiting.put(holder, items);
                }
                return item;
            }
        }
        return null;
    }

    private static <T> @Nullable T removeFirst(ArrayDeque<T> items, Predicate<T> mayBeServed) {
        Iterator<T> each = items.iterator();
        while (each.hasNext()) {
            T item = each.next();
            if (mayBeServed.test(item)) {
                each.remove();
                return item;
            }
        }
        return null;
    }

    /** Removes an item that no longer waits; false when it is not in the queue. */
    public boolean remove(Object holder, T item) {
        ArrayDeque<T> items = waiting.get(holder);
        if (items == null || !items.remove(item)) {
            return false;
        }
        size--;
        if (items.isEmpty()) {
            waiting.remove(holder);
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

    /** Number of holders with items. */
    public int holders() {
        return waiting.size();
    }
}
