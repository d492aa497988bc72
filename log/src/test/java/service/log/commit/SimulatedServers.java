package service.log.commit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Servers that write one graph in a store, in simulated time: the {@link Turns} are real, the rest is what takes time.
 * A request takes {@link #REQUEST} ticks and a random part more, and the store decides at a random moment of it. A
 * client sends its next command a moment after the answer.
 */
final class SimulatedServers {
    static final long REQUEST = 1_000;
    private static final int CLIENTS = 8;

    /** What a server needs between an answer of the store and the next request. */
    private static final long WORK = 100;

    private static final int LISTED_AFTER = OtherWriters.FOUND_MAX;

    /** How often a server looks whether another one has asked for a turn. */
    static final long POLL = 25 * REQUEST;

    private record Step(long at, long order, Runnable action) {}

    private final Random random;
    private final double spread;
    private final PriorityQueue<Step> steps =
            new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::order));
    private final List<Server> all = new ArrayList<>();
    private long now;
    private long since;
    private long order;

    /** How many groups the log has. */
    private int log;

    /** Whether a turn is asked for. */
    private boolean isAsked;

    /** @param spread how much longer a request may take than the shortest one, as a part of that */
    SimulatedServers(long seed, double spread) {
        this.random = new Random(seed);
        this.spread = spread;
    }

    /** Adds a server whose clients write from a time on. */
    Server join(long at) {
        Server server = new Server();
        all.add(server);
        after(at - now, server::begin);
        return server;
    }

    List<Server> all() {
        return all;
    }

    void run(long until) {
        while (!steps.isEmpty() && steps.peek().at <= until) {
            Step step = steps.remove();
            now = step.at;
            step.action.run();
        }
        now = until;
    }

    /** Counts from now on. */
    void forgetFirst() {
        since = now;
        all.forEach(Server::forget);
    }

    long commits() {
        return all.stream().mapToLong(Server::commits).sum();
    }

    double commitsPerTick() {
        return (double) commits() / (now - since);
    }

    private void after(long ticks, Runnable action) {
        steps.add(new Step(now + ticks, order++, action));
    }

    private void request(BooleanSupplier effect, Consumer<Boolean> answered) {
        long ticks = REQUEST + (long) (REQUEST * spread * random.nextDouble());
        boolean[] result = new boolean[1];
        after((long) (ticks * random.nextDouble()), () -> result[0] = effect.getAsBoolean());
        after(ticks, () -> answered.accept(result[0]));
    }

    /** A server with its clients. */
    final class Server {
        private final Turns turns = new Turns(() -> now);
        private final Deque<Long> waiting = new ArrayDeque<>();
        private final List<Long> latencies = new ArrayList<>();
        private int known;
        private int found;
        private int group;
        private long asked;
        private long groups;
        private long offers;
        private boolean offered;
        private long others;
        private long othersMax;
        private long waitedFirst = -1;
        private boolean stopped;

        private void begin() {
            known = log;
            for (int i = 0; i < CLIENTS; i++) {
                waiting.add(now);
            }
            after(random.nextLong(POLL), this::poll);
            next();
        }

        private void poll() {
            if (turns.isOwn() && isAsked) {
                isAsked = false;
                turns.asked();
            }
            after(POLL, this::poll);
        }

        void stop() {
            stopped = true;
        }

        private void next() {
            if (waiting.isEmpty()) {
                if (!stopped) {
                    after(10, this::next);
                }
            } else if (turns.isNow()) {
                offered = false;
                long company = waiting.size() < group ? turns.companyNanos() : 0;
                after(WORK + company, this::put);
            } else {
                offers += offered || others > 0 ? 0 : 1;
                offered = true;
                look();
            }
        }

        private void look() {
            boolean isList = found >= LISTED_AFTER;
            int[] end = new int[1];
            request(
                    () -> {
                        end[0] = isList ? log : Math.min(log, known + 1);
                        return end[0] > known;
                    },
                    isFound -> {
                        if (!isFound) {
                            found = 0;
                            next();
                        } else if (isList) {
                            found = 0;
                            request(() -> true, read -> take(end[0] - known));
                        } else {
                            found++;
                            take(1);
                        }
                    });
        }

        private void take(int segments) {
            known += segments;
            others += segments;
            turns.taken(segments);
            if (turns.others() - asked >= Turns.PATIENCE) {
                ask();
            }
            after(WORK * segments, this::next);
        }

        private void ask() {
            asked = turns.others();
            isAsked = true;
        }

        private void put() {
            long began = now;
            List<Long> commands = new ArrayList<>(waiting);
            waiting.clear();
            int place = known;
            request(
                    () -> {
                        boolean isFirst = log == place;
                        log += isFirst ? 1 : 0;
                        return isFirst;
                    },
                    isStored -> {
                        if (isStored) {
                            stored(commands, now - began);
                        } else {
                            commands.forEach(waiting::addFirst);
                            if (!turns.areTaken()) {
                                ask();
                            }
                            turns.overtaken(now - began, 0);
                            look();
                        }
                    });
        }

        private void stored(List<Long> commands, long took) {
            known++;
            asked = 0;
            groups++;
            group = commands.size();
            waitedFirst = waitedFirst < 0 ? others : waitedFirst;
            othersMax = Math.max(othersMax, others);
            others = 0;
            turns.stored(took);
            for (long sent : commands) {
                latencies.add(now - sent);
                if (!stopped) {
                    after(20 + random.nextInt(60), () -> waiting.add(now));
                }
            }
            after(10, this::next);
        }

        private void forget() {
            latencies.clear();
            othersMax = 0;
        }

        long groups() {
            return groups;
        }

        long commits() {
            return latencies.size();
        }

        /** How often it has left a turn after own groups. */
        long offers() {
            return offers;
        }

        /** The most groups of others between two own ones. */
        long othersMax() {
            return Math.max(othersMax, others);
        }

        /** How many groups of others it has seen before its first one. */
        long waitedFirst() {
            return waitedFirst < 0 ? Long.MAX_VALUE : waitedFirst;
        }

        long median() {
            long[] sorted =
                    latencies.stream().mapToLong(Long::longValue).sorted().toArray();
            return sorted[sorted.length / 2];
        }
    }
}
