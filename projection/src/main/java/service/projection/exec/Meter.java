package service.projection.exec;

/** Stands behind an operator and counts what it gives, and how long those behind it take. */
final class Meter extends Operator {
    private final Operator next;
    long rows;
    long nanosBehind;

    Meter(Operator next) {
        this.next = next;
    }

    @Override
    boolean push(Batch batch) {
        rows += batch.size;
        long start = System.nanoTime();
        boolean more = next.push(batch);
        nanosBehind += System.nanoTime() - start;
        return more;
    }

    @Override
    void finish() {
        long start = System.nanoTime();
        next.finish();
        nanosBehind += System.nanoTime() - start;
    }
}
