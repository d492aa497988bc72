package service.projection.query.plan;

/**
 * What the planner goes by where it could plan in several ways. Plans differ in cost, never in what they answer; tests
 * put other choices in the place of {@link #CHEAPEST} to run each plan that some statistics could lead to.
 */
public interface Choices {
    /** The choices of production. */
    Choices CHEAPEST = new Choices() {};

    /** Postings that an index may find before a scan is expected to be cheaper. */
    int POSTINGS_MIN = 4096;

    /** Rows of a product that is worth it for knowing both ends of a traversal. */
    double PRODUCT_MAX = 256;

    /**
     * Whether the planner keeps every alternative, even those that are never cheaper, and asks
     * {@link #pick(JoinSearch.Memo, PartialPlan.Reach)} which to take.
     */
    default boolean all() {
        return false;
    }

    /**
     * The alternative to take for a part of a plan.
     *
     * @return its place in {@link JoinSearch.Memo#alternatives}
     */
    default int pick(JoinSearch.Memo memo, PartialPlan.Reach reach) {
        throw new IllegalStateException("the cheapest is known without asking");
    }

    /** One of so many alternatives, the first of which the planner deems best. */
    default int pick(int alternatives) {
        return 0;
    }

    /**
     * How many postings an index range may give before a scan of the type takes its place.
     *
     * @param all live entities of the type
     */
    default int[] postingsMax(double all) {
        // A record found by its posting costs several times what a scan pays for it.
        return new int[] {(int) Math.max(POSTINGS_MIN, Math.min(1 << 30, all / 8))};
    }

    default double productMax() {
        return PRODUCT_MAX;
    }
}
