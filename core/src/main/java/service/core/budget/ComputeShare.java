package service.core.budget;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Shares the processors between the requests of a process.
 *
 * <p><b>Idea.</b> A multilevel feedback queue with two levels. A request computes freely for {@link #FREE_NANOS};
 * almost all end within it. A request that computes longer needs a turn. There are as many turns as processors; a
 * request keeps its turn for {@link #SLICE_NANOS} and then passes it on: senders and graphs are served in turn
 * ({@link ClaimQueue}), and the requests of one claim in the order of their waiting. So at most that many long requests
 * are runnable at a time, however many there are, and the operating system shares the processors between them and
 * everything else. Requests that compute run on platform threads, because the JVM does not preempt virtual ones.
 *
 * <p><b>Rule.</b> A request calls {@link Turn#checkpoint} at least every 10 ms of work, and {@link Turn#pause} before
 * it blocks for something other than processors. Any thread; each turn is used by one thread at a time.
 */
public final class ComputeShare {
    static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The interval at which a waiting request checks whether its client has left or its time is used up. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final int turnsMax;
    private final ClaimQueue<Object, Turn> waiting = new ClaimQueue<>();
    private int held;

    /**
     * Shares processors.
     *
     * @param processors how many long requests may run at a time
     */
    public ComputeShare(int processors) {
        if (processors < 1) {
            throw new IllegalArgumentException("at least one processor, not " + processors);
        }
        this.turnsMax = processors;
    }

    /** Requests that wait for a turn now. */
    public synchronized int waiting() {
        return waiting.size();
    }

    /** Requests that hold a turn now. */
    public synchronized int held() {
        return held;
    }

    /** The turn of one request. */
    public final class Turn implements AutoCloseable {
        private long computedNanos;
        private long resumedNanos;
        private boolean started;
        private boolean holds;

        /** Set by the thread that passes a turn on; read by the thread that waits. */
        private volatile boolean granted;

        private volatile Thread thread = Thread.currentThread();

        /** Whose the request is. Without {@link #belongTo} each request is its own sender and graph. */
        private volatile Claim<Object> claim = new Claim<>(this, this);

        Turn() {}

        /** Sets whose request it is, before it computes. */
        void belongTo(Claim<Object> whose) {
            claim = whose;
        }

        /**
         * Counts the time since the last checkpoint as computing, and waits if other requests have a better claim. The
         * first checkpoint starts the clock.
         *
         * @param limits called before and during the wait; throws to end the request
         */
        public void checkpoint(Runnable limits) {
            limits.run();
            if (!started) {
                // The time before the first checkpoint, such as the wait for a body, does not count as computing.
                resume();
                return;
            }
            long passed = System.nanoTime() - resumedNanos;
            resumedNanos += passed;
            computedNanos += passed;
            if (holds && computedNanos >= SLICE_NANOS && isContended()) {
                pause();
            }
            if (!holds && computedNanos >= FREE_NANOS) {
                acquire(limits);
                computedNanos = 0;
                resumedNanos = System.nanoTime();
            }
        }

        /** Releases the turn, if this request has one, before it waits for a writer or a client. */
        public void pause() {
            if (holds) {
                holds = false;
                passOn();
            }
        }

        /**
         * Does not count the time since the last checkpoint as computing. Called after a wait that {@link #pause}
         * began.
         */
        public void resume() {
            started = true;
            resumedNanos = System.nanoTime();
        }

        private void acquire(Runnable limits) {
            thread = Thread.currentThread();
            granted = false;
            synchronized (ComputeShare.this) {
                if (held < turnsMax) {
                    held++;
                    holds = true;
                    return;
                }
                NoWaiting.giveUp();
                waiting.add(claim, this);
            }
            try {
                while (!granted) {
                    LockSupport.parkNanos(this, LOOK_NANOS);
                    limits.run();
                }
            } catch (RuntimeException | Error e) {
                leave();
                throw e;
            }
            holds = true;
        }

        /** Ends a wait without a turn; a turn that was granted meanwhile goes to the next request. */
        private void leave() {
            boolean removed;
            synchronized (ComputeShare.this) {
                removed = waiting.remove(claim, this);
            }
            if (!removed) {
                passOn();
            }
        }

        private void grant() {
            granted = true;
            LockSupport.unpark(thread);
        }

        /** A turn for other work of the same request, on another thread. */
        Turn beside() {
            Turn other = open();
            other.belongTo(claim);
            return other;
        }

        /** Releases the turn for good. */
        @Override
        public void close() {
            pause();
        }
    }

    /** Opens the turn of a request. The calling thread is the request's thread. */
    public Turn open() {
        return new Turn();
    }

    private synchronized boolean isContended() {
        return !waiting.isEmpty();
    }

    private void passOn() {
        Turn next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                held--;
            }
        }
        if (next != null) {
            next.grant();
        }
    }
}
