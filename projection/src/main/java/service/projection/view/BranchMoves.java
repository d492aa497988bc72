package service.projection.view;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.port.BranchMove;
import service.core.port.BranchStep;
import service.core.port.ReadPoint;
import service.log.format.EventReader;
import service.projection.table.BranchTable;
import service.projection.table.HistoryTable;
import service.projection.table.Incarnation;
import service.projection.table.TableAccess;

/**
 * Finds the commits that branches pointed to in the past. An incarnation points to its fork commit after its creation,
 * then to the last commit that an event has added to its history. The times of those events ascend along the history,
 * so a binary search finds the event of a time. One thread.
 */
final class BranchMoves {
    private final TableAccess access;
    private final EventReader events;

    BranchMoves(TableAccess access, EventReader events) {
        this.access = access;
        this.events = events;
    }

    @Nullable
    BranchMove asOf(String name, long timeMicros) {
        for (int number = newest(name); number >= 0; number--) {
            Incarnation state = BranchTable.incarnation(access, number);
            if (state != null && state.name().equals(name) && state.life().createdMicros() <= timeMicros) {
                return state.live() || time(state.life().deletedOffset()) > timeMicros
                        ? lastMove(state, timeMicros)
                        : null;
            }
        }
        return null;
    }

    @Nullable
    BranchMove first(String name) {
        int newest = newest(name);
        for (int number = 0; number <= newest; number++) {
            Incarnation state = BranchTable.incarnation(access, number);
            if (state != null && state.name().equals(name)) {
                return creation(state);
            }
        }
        return null;
    }

    /** The events below an offset that moved an incarnation, newest first; its creation is the last one. */
    List<BranchStep> steps(int incarnation, long before, int max) {
        Incarnation state = Objects.requireNonNull(BranchTable.incarnation(access, incarnation));
        List<BranchStep> steps = new ArrayList<>();
        long place = firstMovedAt(state, before, state.historyLength() - 1) - 1;
        while (steps.size() < max && place >= state.forkSequence()) {
            long event = moved(state, place);
            long first = HistoryTable.offset(access, incarnation, place) == event
                    ? place
                    : firstMovedAt(state, event, place);
            steps.add(new BranchStep(event, first, place));
            place = first - 1;
        }
        long created = state.life().createdOffset();
        if (steps.size() < max && state.fork() != null && created < before) {
            steps.add(new BranchStep(created, state.forkSequence(), state.forkSequence() - 1));
        }
        return steps;
    }

    /** The first own place that an event at or above an offset has added; the place after {@code last} for none. */
    private long firstMovedAt(Incarnation state, long offset, long last) {
        return HistoryTable.firstMovedAt(access, state.incarnation(), offset, state.forkSequence(), last + 1);
    }

    private int newest(String name) {
        int current = BranchTable.current(access, name);
        return current >= 0 ? current : BranchTable.next(access) - 1;
    }

    private BranchMove lastMove(Incarnation state, long timeMicros) {
        long low = state.forkSequence();
        long high = state.historyLength() - 1;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            if (time(moved(state, middle)) <= timeMicros) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high < state.forkSequence() ? creation(state) : move(state, high);
    }

    private BranchMove creation(Incarnation state) {
        return state.fork() == null
                ? move(state, 0)
                : new BranchMove(
                        new ReadPoint(state.incarnation(), state.life().createdOffset()),
                        state.fork().commit(),
                        state.life().createdMicros());
    }

    private BranchMove move(Incarnation state, long sequence) {
        long offset = HistoryTable.offset(access, state.incarnation(), sequence);
        long moved = moved(state, sequence);
        return new BranchMove(
                new ReadPoint(state.incarnation(), moved),
                events.commitHeader(offset).id(),
                time(moved));
    }

    private long moved(Incarnation state, long sequence) {
        return HistoryTable.movedOffset(access, state.incarnation(), sequence);
    }

    private long time(long offset) {
        return events.header(offset).timeMicros();
    }
}
