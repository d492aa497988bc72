package service.projection.query.operator;

/** Where a pipeline's rows come from. */
public interface Source {
    /** Pushes all rows into the pipeline's first operator, then finishes it. */
    void drive();
}
