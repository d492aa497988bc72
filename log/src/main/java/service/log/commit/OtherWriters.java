package service.log.commit;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import service.core.error.ServiceException;
import service.log.follow.TailLooks;
import service.log.group.GroupSink;

/**
 * What a writer does because other processes append to its log ({@link GroupSink#isShared}): it waits for its turn,
 * takes in what they have stored, and refuses commands whose time is over meanwhile. Where it is alone with its log all
 * this does nothing. Writer thread.
 */
final class OtherWriters {
    /** After so many looks that have each found a group, there may be many more: they are listed. */
    static final int FOUND_MAX = 2 * Turns.GROUPS;

    private final GroupSink sink;
    private final DurableEnd durable;
    private final CommandQueue queue;
    private final Function<RuntimeException, ServiceException> answers;
    private final Turns turns = new Turns();

    /** How many commands the last own group had. */
    private int commands;

    /** At how many groups of others this process has last asked for a turn. */
    private long asked;

    /** @param answers what commands are answered when a look has failed */
    OtherWriters(
            GroupSink sink,
            DurableEnd durable,
            CommandQueue queue,
            Function<RuntimeException, ServiceException> answers) {
        this.sink = sink;
        this.durable = durable;
        this.queue = queue;
        this.answers = answers;
    }

    /**
     * Waits until a group may be put; commands that have come by then are added to it.
     *
     * @param look is answered by a look that happens meanwhile
     * @return false when the group was answered instead
     */
    boolean awaitTurn(List<Pending<?>> group, TailLooks.Look look) {
        if (!sink.isShared()) {
            return true;
        }
        int found = 0;
        while (!turns.isNow()) {
            group.forEach(Pending::waits);
            long began = System.nanoTime();
            try {
                GroupSink.Taken taken = found < FOUND_MAX ? durable.takeNext() : durable.takeNew();
                turns.taken(taken.groups());
                if (taken.groups() > 0) {
                    askWhenLate();
                    found = found < FOUND_MAX ? found + 1 : 0;
                } else {
                    found = 0;
                    if (taken.isAll()) {
                        look.succeeded(durable.shownOffset());
                    }
                    LockSupport.parkNanos(turns.lookNanos() - (System.nanoTime() - began));
                }
            } catch (RuntimeException e) {
                fail(group, e);
                return false;
            }
            refuseLate(group);
            if (group.isEmpty()) {
                return false;
            }
        }
        queue.gather(group, turns.companyNanos(), commands);
        group.forEach(Pending::decideAgain);
        return true;
    }

    /**
     * Notes that a group is stored.
     *
     * @param took how long that has taken
     */
    void stored(List<Pending<?>> group, long took) {
        commands = group.size();
        asked = 0;
        turns.stored(took);
    }

    /** Learns whether another process waits for a turn, unless this one does. Any thread; sends a request. */
    void poll() {
        if (turns.isOwn() && sink.isAskedForTurn()) {
            turns.asked();
        }
    }

    /**
     * Takes in what has overtaken a group.
     *
     * @param took how long the group has taken
     * @return false when the group was answered because that is not possible
     */
    boolean overtaken(List<Pending<?>> group, long took) {
        group.forEach(Pending::waits);
        try {
            if (turns.areTaken()) {
                turns.overtaken(took, durable.takeNext().groups());
                askWhenLate();
            } else {
                // The other process may be busy and know of no other one, and this one may lack many groups.
                sink.askForTurn();
                turns.overtaken(took, durable.takeNew().groups());
                asked = turns.others();
            }
            return true;
        } catch (RuntimeException e) {
            fail(group, e);
            return false;
        }
    }

    private void askWhenLate() {
        if (turns.others() - asked >= Turns.PATIENCE) {
            asked = turns.others();
            sink.askForTurn();
        }
    }

    /** Takes in all that others have stored; false when the group was answered because that is not possible. */
    boolean takeAll(List<Pending<?>> group) {
        group.forEach(Pending::waits);
        try {
            while (!take().isAll()) {
                refuseLate(group);
                if (group.isEmpty()) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException e) {
            fail(group, e);
            return false;
        }
    }

    /** Takes in what others have stored, with no group. */
    GroupSink.Taken take() {
        GroupSink.Taken taken = durable.takeNew();
        turns.taken(taken.groups());
        return taken;
    }

    /** Commands whose time is over while other processes write. Nothing of them is stored. */
    void refuseLate(List<Pending<?>> group) {
        if (sink.isShared()) {
            group.removeIf(pending -> {
                boolean isLate = pending.isLate();
                if (isLate) {
                    pending.fail(Pending.contended());
                }
                return isLate;
            });
        }
    }

    private void fail(List<Pending<?>> group, RuntimeException e) {
        ServiceException answer = answers.apply(e);
        group.forEach(pending -> pending.fail(answer));
    }
}
