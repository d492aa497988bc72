package service.projection.query.operator;

import service.core.batch.Column;
import service.core.port.ReadCounts;
import service.projection.query.vector.Batch;

/**
 * Counts the rows between two operators and what the downstream ones spend, for {@code EXPLAIN ANALYZE}. Asserts the
 * contract of {@link Operator}.
 */
public final class Meter extends Operator {
    private final Operator next;
    private boolean ended;

    /** Rows pushed so far. */
    public long rows;

    /** What was spent downstream so far. */
    public final Spending downstream;

    /** @param reads of the view that the pipeline reads */
    public Meter(Operator next, ReadCounts reads) {
        this.next = next;
        this.downstream = new Spending(reads);
    }

    @Override
    public boolean push(Batch batch) {
        assert batch.size > 0 && batch.size <= Column.CAPACITY : "a batch of " + batch.size + " rows";
        assert !ended : next + " was pushed to after it had returned false";
        rows += batch.rows();
        downstream.begin();
        boolean more = next.push(batch);
        downstream.end();
        ended = !more;
        return more;
    }

    @Override
    public void finish() {
        ended = false;
        downstream.begin();
        next.finish();
        downstream.end();
    }
}
