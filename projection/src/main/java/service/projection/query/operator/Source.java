package service.projection.query.operator;

/** The start of a pipeline. */
public interface Source {
    /**
     * Pushes rows into the first operator until there are no more or {@link Operator#push} returns false, then finishes
     * that operator. Called once, on the thread of the query.
     */
    void drive();
}
