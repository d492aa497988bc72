package service.core.batch;

/**
 * One step of an expansion: for each row, the input row that it came from, the neighbour, and the edge between them.
 */
public final class ExpandBatch {
    public int size;
    public final int[] inputRows = new int[Column.CAPACITY];
    public final int[] neighbours = new int[Column.CAPACITY];
    public final int[] edges = new int[Column.CAPACITY];
}
