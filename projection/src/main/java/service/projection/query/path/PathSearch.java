package service.projection.query.path;

/** Finds the paths that begin with one node. */
interface PathSearch {
    /** The end when there is none. */
    long ANY = -1;

    /**
     * Finds the paths from a node to all others.
     *
     * @param end the only other end; {@link #ANY} for all
     * @return false when the sink needs no more
     */
    boolean run(long start, long end, PathSink sink);
}
