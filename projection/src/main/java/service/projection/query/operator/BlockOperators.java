package service.projection.query.operator;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.projection.query.vector.Batch;

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
            KnownMatches memory = KnownMatches.whileUseful(known);
            known = memory;
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
