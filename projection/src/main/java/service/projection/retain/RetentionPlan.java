package service.projection.retain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.graph.branch.MergeBases;
import service.core.port.CommitPosition;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.port.Tag;
import service.core.value.Ulid;
import service.log.format.EventReader;
import service.log.retain.Retention;
import service.projection.table.BranchTable;
import service.projection.table.HistoryTable;
import service.projection.table.Incarnation;
import service.projection.table.TableAccess;
import service.projection.table.TagTable;

/**
 * Computes the marks and pins that a policy requires.
 *
 * <p>For each live branch the plan keeps the newest {@code keep} commits since its fork, the commits younger than
 * {@code older_than}, and the head. The mark of an incarnation is its lowest kept commit; a commit may also be kept
 * because a fast-forward made it part of another branch. A deleted branch keeps commits younger than {@code older_than}
 * or than the mark of {@code main}. Below the marks, the states that live branches need are pinned: heads, fork points,
 * merge bases, the fork points of kept branches, and the commits that have a tag.
 *
 * <p>The writer continues while a plan is computed. A branch created meanwhile from a head loses nothing: heads are
 * pinned or above the marks, and new commits are above all marks. {@link #takesNamed} finds a branch that was created
 * from an earlier commit, and a new tag.
 *
 * <p>The cost is proportional to the incarnations, the kept commits and the merges since the merge bases, not to the
 * history.
 */
public final class RetentionPlan {
    private static final int BRANCHES_COMPARED_MAX = 64;

    private final TableAccess access;
    private final EventReader events;
    private final MergeBases bases;
    private final RetentionPolicy policy;
    private final Retention before;
    private final List<Incarnation> incarnations = new ArrayList<>();
    private final long cut;
    private final long[] lowest;

    private final ReadNeeds needs;
    private final long[] marks;
    private final Map<Integer, NavigableSet<Long>> pins = new TreeMap<>();

    private RetentionPlan(TableAccess access, EventReader events, MergeBases bases, Retention before, Kept kept) {
        this.access = access;
        this.events = events;
        this.bases = bases;
        this.policy = kept.policy;
        this.before = before;
        this.needs = kept.needs;
        int n = BranchTable.next(access);
        for (int i = 0; i < n; i++) {
            Incarnation state = BranchTable.incarnation(access, i);
            if (state == null) {
                throw new IllegalStateException("no incarnation " + i);
            }
            incarnations.add(state);
        }
        Long age = policy.olderThanMicros();
        this.cut = age == null ? Long.MAX_VALUE : firstAt(kept.nowMicros - age);
        this.lowest = new long[n];
        this.marks = new long[n];
    }

    /**
     * What a cleanup leaves.
     *
     * @param policy says which commits
     * @param needs of reads in progress: events keep their images, states are pinned
     * @param nowMicros the time from which ages count
     */
    public record Kept(RetentionPolicy policy, ReadNeeds needs, long nowMicros) {}

    /**
     * Makes a plan.
     *
     * @param access the tables
     * @param events the log, read no earlier than the tables
     * @param bases over the same tables
     * @return what the state of cleanup would be, of phase MARKED; {@code before} itself when nothing would change
     */
    public static Retention of(TableAccess access, EventReader events, MergeBases bases, Retention before, Kept kept) {
        RetentionPlan plan = new RetentionPlan(access, events, bases, before, kept);
        plan.findKept();
        plan.mark();
        plan.pin();
        return plan.result();
    }

    /**
     * Whether a plan takes the state from which a branch was created, or that got a tag, since the plan was made.
     *
     * @param access the tables now
     * @param before what was reclaimed when the branch was created
     */
    public static boolean takesNamed(TableAccess access, Retention before, Retention plan) {
        int next = BranchTable.next(access);
        for (int i = plan.marks().length; i < next; i++) {
            Incarnation state = Objects.requireNonNull(BranchTable.incarnation(access, i));
            int parent = state.parentIncarnation();
            if (before.isReadable(parent, state.forkOffset()) && !plan.isReadable(parent, state.forkOffset())) {
                return true;
            }
        }
        return TagTable.tags(access, null, Integer.MAX_VALUE).stream()
                .map(tag -> tag.position())
                .anyMatch(commit -> before.isReadable(commit.incarnation(), commit.offset())
                        && !plan.isReadable(commit.incarnation(), commit.offset()));
    }

    /** The tags below the marks of a plan, by name: without them their states would go. */
    public static List<Tag> pinning(TableAccess access, Retention plan) {
        return TagTable.tags(access, null, Integer.MAX_VALUE).stream()
                .filter(tag -> plan.isReclaimed(
                        tag.position().incarnation(), tag.position().offset()))
                .toList();
    }

    /** The first offset that changed marks affect; {@link Long#MAX_VALUE} for none. */
    public static long firstChanged(TableAccess access, Retention before, Retention after) {
        long first = Long.MAX_VALUE;
        long[] marks = after.marks();
        for (int i = 0; i < marks.length; i++) {
            if (marks[i] > before.mark(i)) {
                Incarnation state = BranchTable.incarnation(access, i);
                long created = state == null ? 0 : state.life().createdOffset();
                first = Math.min(first, Math.max(before.mark(i), created));
            }
        }
        return first;
    }

    /** The first event at or after a time; the offset after the last event when there is none. */
    private long firstAt(long micros) {
        long low = 0;
        long high = events.lastOffset() + 1;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (events.header(middle).timeMicros() < micros) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void findKept() {
        Arrays.fill(lowest, Retention.EVERYTHING);
        for (Incarnation branch : incarnations) {
            if (branch.live() && branch.historyLength() > branch.forkSequence()) {
                for (long place = firstKept(branch); place < branch.historyLength(); place++) {
                    long offset = HistoryTable.offset(access, branch.incarnation(), place);
                    int made = events.commitHeader(offset).incarnation();
                    lowest[made] = Math.min(lowest[made], offset);
                }
            }
        }
    }

    private long firstKept(Incarnation branch) {
        long first = branch.historyLength() - 1;
        Long keep = policy.keep();
        if (keep != null) {
            first = Math.min(first, branch.historyLength() - keep);
        }
        if (cut != Long.MAX_VALUE) {
            first = Math.min(first, firstYoung(branch));
        }
        return Math.max(first, branch.forkSequence());
    }

    /** The first place since the fork that is not older than the policy; offsets ascend. */
    private long firstYoung(Incarnation branch) {
        long low = branch.forkSequence();
        long high = branch.historyLength();
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (HistoryTable.offset(access, branch.incarnation(), middle) < cut) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void mark() {
        for (Incarnation branch : incarnations) {
            int i = branch.incarnation();
            long rule = Math.min(
                    Math.min(cut, needs.firstNeeded(i)),
                    branch.live() ? branch.head().offset() : Retention.EVERYTHING);
            if (!branch.live() && policy.keep() != null) {
                rule = Math.min(rule, marks[0]);
            }
            long mark = Math.min(rule, lowest[i]);
            if (!branch.live() && mark > branch.head().offset()) {
                mark = Retention.EVERYTHING;
            }
            marks[i] = Math.max(mark, before.mark(i));
        }
    }

    private void pin() {
        for (Incarnation branch : incarnations) {
            if (branch.live()) {
                pin(branch.incarnation(), branch.head().offset());
                pin(branch.head().commit());
                pin(branch.fork() == null ? null : branch.fork().commit());
            }
        }
        pinMergeBases();
        for (Tag tag : TagTable.tags(access, null, Integer.MAX_VALUE)) {
            pin(tag.position().incarnation(), tag.position().offset());
        }
        for (ReadPoint read : needs.states()) {
            pin(read.incarnation(), read.offset());
        }
        for (Incarnation branch : incarnations.reversed()) {
            boolean needed = branch.live()
                    || marks[branch.incarnation()] != Retention.EVERYTHING
                    || pins.containsKey(branch.incarnation());
            if (needed && branch.parentIncarnation() >= 0) {
                pin(branch.parentIncarnation(), branch.forkOffset());
            }
        }
    }

    /**
     * Each pair of branches, when there are few: then every later merge has one of these bases or a newer one. When
     * there are many, each branch with {@code main} and with its parent.
     */
    private void pinMergeBases() {
        List<Incarnation> live = incarnations.stream().filter(Incarnation::live).toList();
        boolean few = live.size() <= BRANCHES_COMPARED_MAX;
        for (int i = 1; i < live.size(); i++) {
            Incarnation one = live.get(i);
            for (Incarnation other : few ? live.subList(0, i) : List.of(live.getFirst())) {
                pinMergeBase(one, other);
            }
            int parent = one.parentIncarnation();
            if (!few && parent > 0 && incarnations.get(parent).live()) {
                pinMergeBase(one, incarnations.get(parent));
            }
        }
    }

    private void pinMergeBase(Incarnation one, Incarnation other) {
        for (long base :
                bases.offsets(one.incarnation(), one.historyLength(), other.incarnation(), other.historyLength())) {
            pin(events.commitHeader(base).incarnation(), base);
        }
    }

    private void pin(@Nullable Ulid commit) {
        CommitPosition position = commit == null ? null : HistoryTable.position(access, commit);
        if (position != null) {
            pin(position.incarnation(), position.offset());
        }
    }

    private void pin(int incarnation, long offset) {
        if (offset < marks[incarnation] && before.isReadable(incarnation, offset)) {
            pins.computeIfAbsent(incarnation, any -> new TreeSet<>()).add(offset);
        }
    }

    private Retention result() {
        Map<Integer, long[]> ascending = new TreeMap<>();
        pins.forEach((incarnation, offsets) -> ascending.put(
                incarnation, offsets.stream().mapToLong(Long::longValue).toArray()));
        Retention after = before.marked(marks, ascending);
        return after.takesTheSameAs(before) ? before : after;
    }
}
