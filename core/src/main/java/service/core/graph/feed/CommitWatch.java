package service.core.graph.feed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import service.core.event.Event;
import service.core.port.Branch;
import service.core.port.CommitFollower;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.value.Ulid;

/**
 * Wakes waiting consumers when a branch has moved or was deleted, or when a commit has arrived.
 *
 * <p>A waiter is a future in a list; it holds no thread and no transaction. While there are waiters, this is an
 * interested {@link CommitFollower}: a thread of the storage reads the header of each new event once and wakes the
 * waiters of the branches that it changed. The writer only asks whether there are waiters.
 *
 * <p>No wake-up is lost: an event is durable and visible before the writer announces it. <em>After</em> a waiter was
 * added, the last announced event is compared again: one after the head that the waiter has seen may have come between,
 * so the branch is read again. An announcement can come after a reader has seen its event, so events at or below the
 * offset of a waiter do not wake it. Where other processes write the graph, too, the branch is always read again: that
 * opens a graph which was closed before the waiter was added, and which would not follow them.
 *
 * <p>Thread rule: any thread.
 */
final class CommitWatch implements CommitFollower {
    private static final class Waiter {
        final long headOffset;
        final CompletableFuture<Boolean> news = new CompletableFuture<>();

        /** The place in its list, −1 outside. A thread that reads −1 without the lock may rely on it. */
        int index = -1;

        Waiter(long headOffset) {
            this.headOffset = headOffset;
        }
    }

    private final GraphStorage storage;
    private final Map<Integer, List<Waiter>> waiting = new HashMap<>();
    private final Map<Ulid, List<Waiter>> commits = new HashMap<>();

    /** The offset of the last event that was announced, −1 before the first. */
    private long announced = -1;

    CommitWatch(GraphStorage storage) {
        this.storage = storage;
        storage.follow(this);
    }

    /**
     * Waits for a change of an incarnation. The future completes with true when the incarnation has changed after the
     * offset or was deleted. A caller that no longer waits completes it, with false.
     */
    CompletableFuture<Boolean> await(int incarnation, long headOffset) {
        Waiter waiter = new Waiter(headOffset);
        CompletableFuture<Boolean> news = waiter.news;
        boolean mayHaveMoved = add(waiting, incarnation, waiter) > headOffset;
        var unused = news.whenComplete((moved, failure) -> leave(waiting, incarnation, waiter));
        if (mayHaveMoved || storage.isShared()) {
            try (GraphSession session = storage.session()) {
                Branch branch = session.branchOf(incarnation);
                if (branch == null || branch.headOffset() != headOffset) {
                    news.complete(true);
                }
            } catch (RuntimeException e) {
                leave(waiting, incarnation, waiter);
                throw e;
            }
        }
        return news;
    }

    /**
     * Waits for a commit by its id. The future completes with true when the commit may be there, and with false after
     * the timeout. A caller that no longer waits completes it.
     *
     * @param isThere whether it is there now
     */
    CompletableFuture<Boolean> awaitCommit(Ulid commit, BooleanSupplier isThere, Duration timeout) {
        Waiter waiter = new Waiter(-1);
        CompletableFuture<Boolean> news = waiter.news;
        var ignored = add(commits, commit, waiter);
        var unused = news.whenComplete((arrived, failure) -> leave(commits, commit, waiter));
        try {
            if (isThere.getAsBoolean()) {
                news.complete(true);
            }
        } catch (RuntimeException e) {
            leave(commits, commit, waiter);
            throw e;
        }
        return news.isDone() ? news : news.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The number of waiters. For metrics and tests. */
    synchronized int size() {
        return Stream.concat(waiting.values().stream(), commits.values().stream())
                .mapToInt(List::size)
                .sum();
    }

    /** Adds a waiter and returns the offset of the last announced event. */
    private synchronized <K> long add(Map<K, List<Waiter>> all, K awaited, Waiter waiter) {
        List<Waiter> others = all.computeIfAbsent(awaited, any -> new ArrayList<>());
        waiter.index = others.size();
        others.add(waiter);
        return announced;
    }

    private <K> void leave(Map<K, List<Waiter>> all, K awaited, Waiter waiter) {
        if (waiter.index >= 0) {
            synchronized (this) {
                remove(all, awaited, waiter);
            }
        }
    }

    /** Removes a waiter that is in its list. The last of the list takes its place. */
    private <K> void remove(Map<K, List<Waiter>> all, K awaited, Waiter waiter) {
        List<Waiter> others = all.get(awaited);
        if (others == null || waiter.index < 0) {
            return;
        }
        Waiter last = others.removeLast();
        if (last.index != waiter.index) {
            others.set(waiter.index, last);
            last.index = waiter.index;
        }
        waiter.index = -1;
        if (others.isEmpty()) {
            all.remove(awaited);
        }
    }

    @Override
    public synchronized boolean isInterested(long offset) {
        announced = Math.max(announced, offset);
        return !waiting.isEmpty() || !commits.isEmpty();
    }

    @Override
    public void committed(long from, long to) {
        synchronized (this) {
            announced = Math.max(announced, to);
        }
        Set<Ulid> arrived = new HashSet<>();
        changed(from, to, arrived).forEach((incarnation, offset) -> wake(waiting, incarnation, offset));
        arrived.forEach(commit -> wake(commits, commit, Long.MAX_VALUE));
    }

    /**
     * The incarnations that the events changed, with the last offset of a change. When the events cannot be read: all
     * incarnations that have waiters, changed at {@code to}.
     *
     * @param arrived takes the ids of the commits among the events; when they cannot be read, all that are awaited
     */
    private Map<Integer, Long> changed(long from, long to, Set<Ulid> arrived) {
        Map<Integer, Long> incarnations = new HashMap<>();
        try (GraphSession session = storage.session()) {
            for (long offset = from; offset <= to; offset++) {
                switch (session.outline(offset)) {
                    case Event.Commit commit -> {
                        incarnations.put(commit.header().incarnation(), offset);
                        arrived.add(commit.header().id());
                    }
                    case Event.BranchFastForwarded moved -> incarnations.put(moved.targetIncarnation(), offset);
                    case Event.BranchDeleted deleted -> incarnations.put(deleted.incarnation(), offset);
                    case Event.BranchCreated ignored -> {}
                    case Event.WriteRemembered ignored -> {}
                    case Event.TagCreated ignored -> {}
                    case Event.TagDeleted ignored -> {}
                    case Event.HistoryReclaimed ignored -> {}
                }
            }
        } catch (RuntimeException e) {
            synchronized (this) {
                waiting.keySet().forEach(incarnation -> incarnations.put(incarnation, to));
                arrived.addAll(commits.keySet());
            }
        }
        return incarnations;
    }

    private <K> void wake(Map<K, List<Waiter>> all, K awaited, long offset) {
        List<Waiter> woken = new ArrayList<>();
        synchronized (this) {
            for (Waiter waiter : all.getOrDefault(awaited, List.of())) {
                if (waiter.headOffset < offset) {
                    woken.add(waiter);
                }
            }
            woken.forEach(waiter -> remove(all, awaited, waiter));
        }
        // They have come in the order of their I/O threads, one thread after the other.
        Collections.shuffle(woken, ThreadLocalRandom.current());
        woken.forEach(waiter -> waiter.news.complete(true));
    }
}
