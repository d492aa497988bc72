package service.projection.query.vector;

/**
 * Makes the batches of one pipeline.
 *
 * @param budget of the execution that the batches belong to
 * @param slotCount variables of the plan
 */
public record Batches(ExecutionBudget budget, int slotCount) {
    /** An empty batch. */
    public Batch make() {
        return new Batch(budget, slotCount);
    }
}
