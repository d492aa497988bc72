package service.projection.query.operator;

import service.projection.query.vector.Batch;

/**
 * A step of a pipeline. A {@link Source} pushes batches into the first operator, each operator pushes its results into
 * the next one, and the last one hands rows to the caller. One thread executes a pipeline, once.
 *
 * <p>A <em>run</em> is any number of calls of {@link #push}, then one call of {@link #finish}. The main pipeline of a
 * query has one run. The pipeline of a block ({@code exists}, {@code optional}, {@code count}) has one run for each
 * batch of outer rows, so an operator there must be ready for the next run when {@code finish} returns. {@link Meter}
 * asserts these rules.
 *
 * <p><b>Failure.</b> When {@code push} or {@code finish} throws, the state of every operator of the pipeline is
 * undefined. The exception goes to the caller of {@link Source#drive}, no method is called again, not even
 * {@code finish}, and the pipeline is dropped. An operator translates no exceptions of the next operator.
 *
 * <p><b>Resources.</b> There is no {@code close}. An operator opens cursors of the view inside {@code push} and closes
 * them before it returns or throws. It charges memory that grows with the data to its {@code ExecutionBudget}, and may
 * release what it no longer needs; the caller of the query returns the rest when it closes the request's budget, after
 * success and after failure.
 */
public abstract class Operator {
    /**
     * Takes a batch of at least one row. Called before {@link #finish} of the same run, never after this method has
     * returned false in that run.
     *
     * <p>The operator reads the batch during the call and does not change it; the caller reuses the batch and its
     * columns afterwards, so what is needed later must be copied. The operator reuses its own output batch in the same
     * way.
     *
     * @return false when the operator needs no more rows in this run; it has used the rows that it needed of this
     *     batch. An operator whose next one returned false returns false, too.
     */
    public abstract boolean push(Batch batch);

    /**
     * Ends a run: pushes rows that were held back, unless the next operator has returned false in this run, then
     * finishes the next operator. Called once a run, also when {@link #push} returned false or was never called.
     */
    public abstract void finish();
}
