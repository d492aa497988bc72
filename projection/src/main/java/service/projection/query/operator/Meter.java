package service.projection.query.operator;

import service.projection.query.vector.Batch;

/** Stands behind an operator and counts what it gives, and how long those behind it take. */
public final class Meter extends Operator {
    private final Operator next;
    public long rows;
    public long nanosBehind;

    public Meter(Operator next) {
        this.next = next;
    }

    @Override
    public boolean push(Batch batch) {
        rows += batch.size;
        long start = System.nanoTime();
        boolean more = next.push(batch);
        nanosBehind += System.nanoTime() - start;
        return more;
    }

    @Override
    public void finish() {
        long start = System.nanoTime();
        next.finish();
        nanosBehind += System.nanoTime() - start;
    }
}
