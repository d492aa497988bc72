package service.projection.query.operator;

import service.core.batch.Column;
import service.projection.query.vector.Batch;

/**
 * Counts the rows between two operators and the time that the downstream ones take, for {@code EXPLAIN ANALYZE}.
 * Asserts the contract of {@link Operator}.
 */
public final class Meter extends Operator {
    private final Operator next;
    private boolean ended;

    /** Rows pushed so far. */
    public long rows;

    /** Nanoseconds spent downstream so far. */
    public long nanosDownstream;

    public Meter(Operator next) {
        this.next = next;
    }

    @Override
    public boolean push(Batch batch) {
        assert batch.size > 0 && batch.size <= Column.CAPACITY : "a batch of " + batch.size + " rows";
        assert !ended : next + " was pushed to after it had returned false";
        rows += batch.rows();
        long start = System.nanoTime();
        boolean more = next.push(batch);
        nanosDownstream += System.nanoTime() - start;
        ended = !more;
        return more;
    }

    @Override
    public void finish() {
        ended = false;
        long start = System.nanoTime();
        next.finish();
        nanosDownstream += System.nanoTime() - start;
    }
}
