package service.core.batch;

/**
 * One step of an expansion: for each row, the input row that it came from, the neighbour, and the edge between them if
 * edges are wanted.
 */
public final class ExpandBatch {
    public final boolean withEdges;
    public int size;
    public final int[] inputRows = new int[Column.CAPACITY];
    public final int[] neighbours = new int[Column.CAPACITY];

    /** Empty unless edges are wanted. */
    public final int[] edges;

    /** A batch with edges. */
    public ExpandBatch() {
        this(true);
    }

    /** @param withEdges whether edges are wanted; without them fewer places in memory are read */
    public ExpandBatch(boolean withEdges) {
        this.withEdges = withEdges;
        this.edges = new int[withEdges ? Column.CAPACITY : 0];
    }
}
