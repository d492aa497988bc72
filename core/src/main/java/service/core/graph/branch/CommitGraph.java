package service.core.graph.branch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.event.CommitHeader;
import service.core.event.TakenSides;
import service.core.graph.request.TimeBudget;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.ReadPoint;
import service.core.value.Ulid;

/**
 * The graph of commits: each has a parent, and a merge commit has a merged parent as well.
 *
 * <p><b>Walking.</b> Parents always have lower offsets, so a walk that takes the highest offset first never reaches a
 * commit before its descendants. First parents need no walk: they are a branch's history, which is addressed by index
 * and which gives the last merge below an index. A walk therefore jumps down a history to its last merge, or to the
 * point where another history of the walk continues, whichever comes first. Its cost grows with the merges, and with
 * the alternations of the two sides in the log, but not with the commits between: a million commits on {@code main}
 * since a branch was made cost one binary search.
 *
 * <p><b>Merge base.</b> The first commit that the walk reaches from both heads is the common ancestor with the greatest
 * offset. It is a best common ancestor (an ancestor of another common ancestor would have a lower offset). A
 * criss-cross history has several best common ancestors. To find the others, the walk continues below the first one; it
 * ends when every place that it has not visited is an ancestor of one that it has found.
 *
 * <p><b>Differences.</b> {@link #changedSince} returns the commits whose events contain every entity in which a commit
 * differs from an ancestor. Along first parents these are the commits between. Where the ancestor A is reached only
 * through the merged parent M of a merge commit K with first parent P and merge base B: an entity in which K differs
 * from M is one that P had changed since B (otherwise K would have taken M's), so A→K needs A→M and B→P, but not K's
 * own event. This holds for both granularities. Of several bases, each gives such an entity: one on which they disagree
 * may have been decided by a resolution, and P differs from one of them; where they agree, the first one says the same
 * as the others. A merge of an earlier schema into a later one is the exception: its resolutions leave to P what P's
 * schema does not take, which P need not have changed. M had changed it since B, so A→K needs B→M as well.
 *
 * <p>One thread, with its session.
 */
final class CommitGraph {
    /** A commit and its index in a first-parent history. */
    record Place(int incarnation, long sequence, long offset) {}

    /**
     * Commits that together contain every entity in which two states differ.
     *
     * @param offsets ascending
     * @param linear whether they are all the commits along first parents, so that each one's images follow the previous
     *     one's
     */
    record Path(List<Long> offsets, boolean linear) {}

    private static final int FROM_LEFT = 1;
    private static final int FROM_RIGHT = 2;
    private static final int FROM_BOTH = 3;

    /** Marks the ancestors of a common ancestor that was found. */
    private static final int BELOW_A_BASE = 4;

    private final GraphSession session;
    private final TimeBudget time;

    CommitGraph(GraphSession session, TimeBudget time) {
        this.session = session;
        this.time = time;
    }

    /** The index of a commit in the history of the incarnation that it was made on. */
    Place place(Ulid commit) {
        CommitPosition position = session.position(commit);
        if (position == null) {
            throw new IllegalStateException("no commit " + commit);
        }
        return new Place(position.incarnation(), session.sequence(position), position.offset());
    }

    /** The common ancestor with the greatest offset; a commit is its own ancestor. */
    Place mergeBase(Place left, Place right) {
        return some(walk(left, right, -1, true)).getFirst();
    }

    private static List<Place> some(List<Place> bases) {
        if (bases.isEmpty()) {
            throw new IllegalStateException("every commit descends from the genesis");
        }
        return bases;
    }

    /**
     * The best common ancestors: those that are no ancestor of another one. A commit is its own ancestor.
     *
     * @return descending by offset, at least one
     */
    List<Place> mergeBases(Place left, Place right) {
        return some(walk(left, right, -1, false));
    }

    boolean isAncestor(Place ancestor, Place of) {
        if (of.offset <= ancestor.offset) {
            return of.offset == ancestor.offset;
        }
        List<Place> found = walk(ancestor, of, ancestor.offset - 1, true);
        return !found.isEmpty() && found.getFirst().offset == ancestor.offset;
    }

    /** Whether one commit is reached from another along first parents. */
    boolean isFirstParentAncestor(Place ancestor, Place of) {
        return ancestor.sequence <= of.sequence
                && session.history(of.incarnation, ancestor.sequence) == ancestor.offset;
    }

    private record Step(Place place, int reachedFrom) {}

    /** The places that a walk has still to visit, by offset, and how many of them are reached from where. */
    private static final class Frontier {
        private final TreeMap<Long, Step> steps = new TreeMap<>();
        private final int[] reached = new int[2 * BELOW_A_BASE];

        void reach(Place place, int from) {
            Step known = steps.get(place.offset);
            int both = known == null ? from : known.reachedFrom | from;
            if (known != null) {
                reached[known.reachedFrom]--;
            }
            reached[both]++;
            steps.put(place.offset, new Step(place, both));
        }

        /** Takes the place with the highest offset; null when there is none above the floor. */
        @Nullable
        Step take(long floor) {
            Map.Entry<Long, Step> highest = steps.pollLastEntry();
            if (highest == null || highest.getKey() <= floor) {
                return null;
            }
            reached[highest.getValue().reachedFrom]--;
            return highest.getValue();
        }

        /** Whether a common ancestor that is no ancestor of one that was found can still be reached. */
        boolean mayMeet() {
            return reached[FROM_BOTH] > 0 || (reached[FROM_LEFT] > 0 && reached[FROM_RIGHT] > 0);
        }

        long highest(long floor) {
            return steps.isEmpty() ? floor : steps.lastKey();
        }
    }

    /**
     * The best common ancestors above an offset, descending.
     *
     * @param floor commits at or below it are not visited
     * @param first whether only the first one is asked for
     */
    private List<Place> walk(Place left, Place right, long floor, boolean first) {
        List<Place> found = new ArrayList<>();
        Frontier frontier = new Frontier();
        frontier.reach(left, FROM_LEFT);
        frontier.reach(right, FROM_RIGHT);
        while (frontier.mayMeet()) {
            time.check();
            Step step = frontier.take(floor);
            if (step == null) {
                break;
            }
            Place place = step.place;
            int reached = step.reachedFrom;
            if (reached == FROM_BOTH) {
                found.add(place);
                if (first) {
                    break;
                }
                reached |= BELOW_A_BASE;
            }
            if (session.lastMerge(place.incarnation, place.sequence) == place.sequence) {
                frontier.reach(mergedParent(session.header(place.offset)), reached);
            }
            if (place.sequence > 0) {
                frontier.reach(leap(place, frontier.highest(floor)), reached);
            }
        }
        return found;
    }

    /**
     * The next index of a history that the walk must visit: the last merge below, or the first commit at or below an
     * offset.
     */
    private Place leap(Place from, long others) {
        long low = Math.max(0, session.lastMerge(from.incarnation, from.sequence - 1));
        long high = from.sequence - 1;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (session.history(from.incarnation, middle) <= others) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return at(from.incarnation, low);
    }

    private Place at(int incarnation, long sequence) {
        return new Place(incarnation, sequence, session.history(incarnation, sequence));
    }

    private Place mergedParent(CommitHeader merge) {
        if (merge.mergedParent() == null) {
            throw new IllegalStateException("commit " + merge.id() + " merges nothing");
        }
        return place(merge.mergedParent());
    }

    /** Whether a merge may have left to its first parent what only the merged one had changed. */
    private boolean leavesOut(CommitHeader merge, Place first, Place merged) {
        TakenSides sides = merge.sides();
        return sides != null && sides.target() > 0 && !schema(first).equals(schema(merged));
    }

    private String schema(Place place) {
        CommitHeader commit = session.header(place.offset);
        return session.catalog(new ReadPoint(commit.incarnation(), place.offset))
                .fingerprint();
    }

    private record Span(Place ancestor, Place descendant) {}

    /** The commits whose events contain every entity in which a commit differs from an ancestor. */
    Path changedSince(Place ancestor, Place descendant) {
        TreeSet<Long> offsets = new TreeSet<>();
        Deque<Span> open = new ArrayDeque<>();
        Set<Span> seen = new HashSet<>();
        open.add(new Span(ancestor, descendant));
        boolean linear = true;
        while (!open.isEmpty()) {
            time.check();
            Span span = open.pop();
            Place from = span.ancestor;
            Place to = span.descendant;
            if (isFirstParentAncestor(from, to)) {
                addHistory(to, from.sequence + 1, offsets);
            } else if (seen.add(span)) {
                linear = false;
                Place merge = entry(from, to);
                addHistory(to, merge.sequence + 1, offsets);
                CommitHeader header = session.header(merge.offset);
                Place merged = mergedParent(header);
                Place first = at(merge.incarnation, merge.sequence - 1);
                boolean both = leavesOut(header, first, merged);
                for (Place base : mergeBases(first, merged)) {
                    open.push(new Span(base, first));
                    if (both) {
                        open.push(new Span(base, merged));
                    }
                }
                open.push(new Span(from, merged));
            }
        }
        return new Path(new ArrayList<>(offsets), linear);
    }

    private void addHistory(Place to, long first, Set<Long> offsets) {
        for (long sequence = first; sequence <= to.sequence; sequence++) {
            offsets.add(session.history(to.incarnation, sequence));
        }
    }

    /**
     * The lowest merge commit of a history that descends from a commit outside of it: the one that brought it in. All
     * later commits of the history descend from it too, so a binary search finds it.
     */
    private Place entry(Place ancestor, Place descendant) {
        List<Long> merges = new ArrayList<>();
        long sequence = session.lastMerge(descendant.incarnation, descendant.sequence);
        while (sequence > 0 && session.history(descendant.incarnation, sequence) > ancestor.offset) {
            merges.add(sequence);
            sequence = session.lastMerge(descendant.incarnation, sequence - 1);
        }
        int low = 0;
        int high = merges.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (isAncestor(ancestor, at(descendant.incarnation, merges.get(middle)))) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return at(descendant.incarnation, merges.get(low));
    }
}
