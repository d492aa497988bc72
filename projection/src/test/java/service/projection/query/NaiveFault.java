package service.projection.query;

/** The oracle's run-time error. */
final class NaiveFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Whether the query fails by every plan. Otherwise a plan may skip the failing row, for example in a block that
     * stops at its first match.
     */
    final boolean certain;

    NaiveFault(boolean certain) {
        super(null, null, false, false);
        this.certain = certain;
    }
}
