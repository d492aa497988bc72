package service.projection.exec;

/**
 * What the planner goes by where it could plan in several ways. Plans differ in cost, never in what
 * they answer; tests put other choices in the place of {@link #CHEAPEST} to run those plans that
 * statistics would not pick.
 */
interface Choices {
    /** The choices of production. */
    Choices CHEAPEST = cost -> cost;

    /** Postings that an index may find before a scan is expected to be cheaper. */
    int POSTINGS_MIN = 4096;

    /**
     * What a candidate of the given cost counts in comparison with others; the least is taken, of
     * equal ones the first.
     */
    double weigh(double cost);

    /**
     * How many postings an index range may give before a scan of the type takes its place.
     *
     * @param all live entities of the type
     */
    default int postingsMax(double all) {
        // A record found by its posting costs several times what a scan pays for it.
        return (int) Math.max(POSTINGS_MIN, Math.min(1 << 30, all / 8));
    }
}
