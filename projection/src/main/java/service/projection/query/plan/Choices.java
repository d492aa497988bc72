package service.projection.query.plan;

/**
 * Decides between alternative plans. All alternatives give the same rows; they differ in cost. Tests replace
 * {@link #CHEAPEST} to run every plan that some statistics could lead to.
 */
public interface Choices {
    /** The choices of production. */
    Choices CHEAPEST = new Choices() {};

    /** Postings that an index may find before a scan is expected to be cheaper. */
    int POSTINGS_MIN = 4096;

    /** Rows that a product of two parts may have, at most, to bind both ends of a traversal. */
    double PRODUCT_MAX = 256;

    /**
     * Whether the planner keeps every alternative, also those that are never cheaper, and calls {@link #pick(PlanMemo,
     * PartialPlan.Reach)} to choose.
     */
    default boolean all() {
        return false;
    }

    /**
     * Chooses the alternative for a part of a plan.
     *
     * @return its index in {@link PlanMemo#alternatives}
     */
    default int pick(PlanMemo memo, PartialPlan.Reach reach) {
        throw new IllegalStateException("the cheapest is known without asking");
    }

    /** Chooses one of several alternatives; the planner estimates the first as the cheapest. */
    default int pick(int alternatives) {
        return 0;
    }

    /**
     * The number of postings of an index range from which a scan of the type is cheaper.
     *
     * @param all live entities of the type
     */
    default int[] postingsMax(double all) {
        // Reading a record found by a posting costs several times as much as reading it in a scan.
        return new int[] {(int) Math.max(POSTINGS_MIN, Math.min(1 << 30, all / 8))};
    }

    default double productMax() {
        return PRODUCT_MAX;
    }
}
