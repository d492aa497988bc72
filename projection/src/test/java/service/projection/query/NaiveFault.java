package service.projection.query;

/** The oracle's run-time error. */
final class NaiveFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Whether the query must end in an error by any plan. Elsewhere, as in a block of which one match is enough, a plan
     * may never come to the row.
     */
    final boolean certain;

    NaiveFault(boolean certain) {
        super(null, null, false, false);
        this.certain = certain;
    }
}
