package service.core.graph.feed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.event.Event;
import service.core.port.Branch;
import service.core.port.CommitFollower;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.value.Ulid;

/**
 * Wakes waiting consumers when a branch has moved or was deleted, or when a commit has arrived.
 *
 * <p>A waiter is a future in a set; it holds no thread and no transaction. While there are waiters, this is an
 * interested {@link CommitFollower}: a thread of the storage reads the header of each new event once and wakes the
 * waiters of the branches that it changed. The writer only asks whether there are waiters.
 *
 * <p>No wake-up is lost: a waiter checks the branch again <em>after</em> it was added to the set, and an event is
 * durable and visible before the writer announces it. An announcement can come after a reader has seen its event, so
 * events at or below the offset of a waiter do not wake it.
 *
 * <p>Thread rule: any thread.
 */
final class CommitWatch implements CommitFollower {
    /** Compared by identity. */
    private static final class Waiter {
        final long headOffset;
        final CompletableFuture<Boolean> news = new CompletableFuture<>();

        Waiter(long headOffset) {
            this.headOffset = headOffset;
        }
    }

    private final GraphStorage storage;
    private final Map<Integer, Set<Waiter>> waiting = new HashMap<>();
    private final Map<Ulid, Set<Waiter>> commits = new HashMap<>();

    CommitWatch(GraphStorage storage) {
        this.storage = storage;
        storage.follow(this);
    }

    /**
     * Waits for a change of an incarnation. The future completes with true when the incarnation has changed after the
     * offset or was deleted, and with false after the timeout. A caller that no longer waits completes it.
     *
     * @param timeout null for no limit
     */
    CompletableFuture<Boolean> await(int incarnation, long headOffset, @Nullable Duration timeout) {
        Waiter waiter = new Waiter(headOffset);
        CompletableFuture<Boolean> news = waiter.news;
        synchronized (this) {
            waiting.computeIfAbsent(incarnation, any -> new HashSet<>()).add(waiter);
        }
        var unused = news.whenComplete((moved, failure) -> leave(waiting, incarnation, waiter));
        try (GraphSession session = storage.session()) {
            Branch branch = session.branchOf(incarnation);
            if (branch == null || branch.headOffset() != headOffset) {
                news.complete(true);
            }
        } catch (RuntimeException e) {
            leave(waiting, incarnation, waiter);
            throw e;
        }
        return timeout == null || news.isDone()
                ? news
                : news.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
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
        synchronized (this) {
            commits.computeIfAbsent(commit, any -> new HashSet<>()).add(waiter);
        }
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
                .mapToInt(Set::size)
                .sum();
    }

    private synchronized <K> void leave(Map<K, Set<Waiter>> all, K awaited, Waiter waiter) {
        Set<Waiter> others = all.get(awaited);
        if (others != null && others.remove(waiter) && others.isEmpty()) {
            all.remove(awaited);
        }
    }

    @Override
    public synchronized boolean isInterested() {
        return !waiting.isEmpty() || !commits.isEmpty();
    }

    @Override
    public void committed(long from, long to) {
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

    private <K> void wake(Map<K, Set<Waiter>> all, K awaited, long offset) {
        List<Waiter> woken = new ArrayList<>();
        synchronized (this) {
            for (Waiter waiter : all.getOrDefault(awaited, Set.of())) {
                if (waiter.headOffset < offset) {
                    woken.add(waiter);
                }
            }
        }
        // Each of them leaves the set as its future completes.
        woken.forEach(waiter -> waiter.news.complete(true));
    }
}
