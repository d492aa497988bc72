package service.projection.exec;

/** Where a pipeline's rows come from. */
interface Source {
    /** Pushes all rows into the pipeline's first operator, then finishes it. */
    void drive();
}
