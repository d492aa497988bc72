package service.projection.query.operator;

import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;

/**
 * Binds a slot to a value over the matches of a block, such as {@code count { … }}. The block runs once for each batch
 * of outer rows, and once for outer rows that are the same for it as long as enough of them are ({@link KnownMatches}).
 */
public final class BlockValueOperator extends Operator {
    private final Sources.Outer block;
    private final Results results;
    private @Nullable KnownMatches known;
    private final int slot;
    private final int[] carried;
    private final Column computed;
    private final Column answers;
    private final Batch out;
    private final Operator next;

    /** What the end of the pipeline of a block computes for each outer row. */
    public interface Results {
        /** Begins a run over that number of outer rows. */
        void begin(int size);

        /** Writes the result of each outer row. */
        void write(int size, Column into);
    }

    /**
     * @param known null when no two outer rows are the same for the block
     * @param computed an empty column for the values
     */
    public BlockValueOperator(
            Sources.Outer block,
            Results results,
            @Nullable KnownMatches known,
            int slot,
            Column computed,
            Downstream down) {
        this.block = block;
        this.results = results;
        this.known = known;
        this.slot = slot;
        this.carried = down.carriedSlots(slot);
        this.computed = down.budget().own(computed);
        this.answers = ColumnValues.forCopies(down.budget(), computed);
        this.out = down.batch();
        this.next = down.next();
    }

    @Override
    public boolean push(Batch batch) {
        KnownMatches memory = KnownMatches.whileUseful(known);
        known = memory;
        Batch asked = memory == null ? batch : memory.unknown(batch);
        results.begin(asked.size);
        if (asked.size > 0) {
            block.feed(asked);
        }
        computed.reset(asked.size);
        results.write(asked.size, computed);
        if (memory != null) {
            memory.learn(computed, answers);
        }
        out.put(slot, memory == null ? computed : answers);
        out.share(batch, carried);
        return next.push(out);
    }

    @Override
    public void finish() {
        next.finish();
    }

    /** Aggregates the matches of the block by outer row. */
    public static final class Tally extends Operator implements Results {
        private final Aggregation aggregation;

        public Tally(Aggregation aggregation) {
            this.aggregation = aggregation;
        }

        @Override
        public void begin(int size) {
            aggregation.ensure(size);
        }

        @Override
        public boolean push(Batch batch) {
            aggregation.add(batch.tags, batch);
            return true;
        }

        @Override
        public void write(int size, Column into) {
            for (int row = 0; row < size; row++) {
                aggregation.result(row, into, row);
            }
            aggregation.clear();
        }

        @Override
        public void finish() {}
    }

    /** Whether each outer row has a match. */
    public record Marks(BlockOperators.Marker marker) implements Results {
        @Override
        public void begin(int size) {
            marker.begin(size);
        }

        @Override
        public void write(int size, Column into) {
            System.arraycopy(marker.marks, 0, ((BoolColumn) into).values, 0, size);
        }
    }
}
