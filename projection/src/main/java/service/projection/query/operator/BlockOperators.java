package service.projection.query.operator;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.projection.query.kernel.Kernel;
import service.projection.query.plan.Node;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * Operators that run a block once for each batch of outer rows. Each outer row enters the pipeline of the block with a
 * tag, its index in the outer batch; the last operator of that pipeline reports results by tag.
 */
public final class BlockOperators {
    private BlockOperators() {}

    /** Records which outer rows have a match. Needs no more rows once all have one. */
    public static final class Marker extends Operator {
        final boolean[] marks = new boolean[Column.CAPACITY];
        private int open;

        void begin(int size) {
            Arrays.fill(marks, 0, size, false);
            open = size;
        }

        /** Whether the outer row needs no more matches. */
        public boolean isMarked(int row) {
            return marks[row];
        }

        @Override
        public boolean push(Batch batch) {
            for (int i = 0; i < batch.size; i++) {
                int row = batch.tags[i];
                if (!marks[row]) {
                    marks[row] = true;
                    open--;
                }
            }
            return open > 0;
        }

        @Override
        public void finish() {}
    }

    /** {@code exists} and {@code not}. */
    public static final class SemiJoin extends Operator {
        private final Sources.Outer block;
        private final Marker marker;
        private @Nullable KnownMatches known;
        private final boolean negated;
        private final int[] live;
        private final Batch out;
        private final Operator next;
        private final int[] rows;

        /** @param known null when no two outer rows have the same entities for the block */
        public SemiJoin(
                Sources.Outer block, Marker marker, @Nullable KnownMatches known, boolean negated, Downstream down) {
            this.rows = down.budget().rowNumbers();
            this.block = block;
            this.marker = marker;
            this.known = known;
            this.negated = negated;
            this.live = down.slots();
            this.out = down.batch();
            this.next = down.next();
        }

        @Override
        public boolean push(Batch batch) {
            KnownMatches memory = known;
            if (memory != null && !memory.isUseful()) {
                memory.release();
                memory = null;
                known = null;
            }
            boolean[] matches = memory == null ? run(batch) : remembered(batch, memory);
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (matches[row] != negated) {
                    rows[n++] = row;
                }
            }
            if (n == 0) {
                return true;
            }
            out.clear(live);
            out.append(batch, rows, n, live);
            return next.push(out);
        }

        private boolean[] run(Batch batch) {
            marker.begin(batch.size);
            if (batch.size > 0) {
                block.feed(batch);
            }
            return marker.marks;
        }

        private boolean[] remembered(Batch batch, KnownMatches memory) {
            return memory.learn(run(memory.unknown(batch)));
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** Aggregates the matches of the block by outer row. */
    public static final class Tally extends Operator {
        private final ExecutionBudget budget;
        private final Node.Measure node;
        private final @Nullable Kernel operand;
        private final int[] identity;
        private @Nullable Accumulator accumulator;

        /** @param operand null for a count of matches */
        public Tally(ExecutionBudget budget, Node.Measure node, @Nullable Kernel operand) {
            this.identity = budget.rowNumbers();
            this.budget = budget;
            this.node = node;
            this.operand = operand;
            for (int i = 0; i < identity.length; i++) {
                identity[i] = i;
            }
        }

        void begin(int size) {
            accumulator = Accumulator.of(budget, node.function(), false, node.origin());
            accumulator.ensure(size);
        }

        private Accumulator current() {
            return Objects.requireNonNull(accumulator);
        }

        @Override
        public boolean push(Batch batch) {
            if (operand == null && batch.weights.length > 0) {
                ((Accumulator.Count) current()).addRows(batch.tags, batch.weights, batch.size);
            } else if (operand == null) {
                ((Accumulator.Count) current()).addRows(batch.tags, batch.size);
            } else {
                current().add(batch.tags, operand.eval(batch), identity, batch.size);
            }
            return true;
        }

        void results(int size, Column into) {
            into.reset(size);
            for (int row = 0; row < size; row++) {
                current().result(row, into, row);
            }
            current().release();
        }

        @Override
        public void finish() {}
    }

    /** A kernel whose column another operator fills. */
    public static final class Fixed extends Kernel {
        private final Column column;

        public Fixed(Column column) {
            this.column = column;
        }

        @Override
        public Column eval(Batch batch) {
            return column;
        }
    }

    /**
     * Aggregates over a block, such as {@code count { … } > 2}: computes the aggregate of each outer row, then filters
     * by the test on it.
     */
    public static final class Measure extends Operator {
        private final Sources.Outer block;
        private final Tally tally;
        private final Column measured;
        private final Kernel test;
        private final int[] live;
        private final Batch out;
        private final Operator next;
        private final int[] rows;

        public Measure(Sources.Outer block, Tally tally, Column measured, Kernel test, Downstream down) {
            this.rows = down.budget().rowNumbers();
            this.block = block;
            this.tally = tally;
            this.measured = measured;
            this.test = test;
            this.live = down.slots();
            this.out = down.batch();
            this.next = down.next();
        }

        @Override
        public boolean push(Batch batch) {
            tally.begin(batch.size);
            block.feed(batch);
            tally.results(batch.size, measured);
            var mask = test.test(batch);
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (!mask.isNull(row) && mask.values[row]) {
                    rows[n++] = row;
                }
            }
            if (n == 0) {
                return true;
            }
            out.clear(live);
            out.append(batch, rows, n, live);
            return next.push(out);
        }

        @Override
        public void finish() {
            next.finish();
        }
    }

    /** The last operator of an optional block: pushes the matches downstream, with the tags of the outer rows. */
    public static final class Matched extends Operator {
        final boolean[] marks = new boolean[Column.CAPACITY];
        private final int[] live;
        private final Batch out;
        private final Operator next;
        private int[] outerTags = {};
        private boolean more = true;

        public Matched(Downstream down) {
            this.live = down.slots();
            this.out = down.batch();
            this.next = down.next();
        }

        void begin(Batch outer) {
            Arrays.fill(marks, 0, outer.size, false);
            outerTags = outer.tags;
            more = true;
        }

        @Override
        public boolean push(Batch batch) {
            for (int slot : live) {
                out.put(slot, batch.column(slot));
            }
            for (int i = 0; i < batch.size; i++) {
                marks[batch.tags[i]] = true;
            }
            out.size = 0;
            out.tag(outerTags, batch.tags, batch.size);
            out.size = batch.size;
            out.version++;
            more = more && next.push(out);
            return more;
        }

        @Override
        public void finish() {}
    }

    /** {@code optional}. */
    public static final class Optional extends Operator {
        private final Sources.Outer block;
        private final Matched matched;
        private final int[] outerLive;
        private final int[] blockLive;
        private final Batch out;
        private final Operator next;
        private final int[] rows;

        /** @param bound slots that the block binds, each with an empty column for it */
        public Optional(Sources.Outer block, Matched matched, Map<Integer, Column> bound, Downstream down) {
            this.rows = down.budget().rowNumbers();
            this.block = block;
            this.matched = matched;
            int[] slots = bound.keySet().stream().mapToInt(Integer::intValue).toArray();
            this.outerLive = down.carriedSlots(slots);
            this.blockLive = Arrays.stream(slots).filter(down::reads).toArray();
            this.out = down.batch();
            this.next = down.next();
            for (int slot : blockLive) {
                out.put(slot, Objects.requireNonNull(bound.get(slot)));
            }
        }

        @Override
        public boolean push(Batch batch) {
            matched.begin(batch);
            block.feed(batch);
            if (!matched.more) {
                return false;
            }
            int n = 0;
            for (int row = 0; row < batch.size; row++) {
                if (!matched.marks[row]) {
                    rows[n++] = row;
                }
            }
            if (n == 0) {
                return true;
            }
            out.clear(outerLive);
            out.append(batch, rows, n, outerLive);
            for (int slot : blockLive) {
                out.column(slot).reset(n);
                for (int i = 0; i < n; i++) {
                    out.column(slot).setNull(i);
                }
            }
            return next.push(out);
        }

        @Override
        public void finish() {
            next.finish();
        }
    }
}
