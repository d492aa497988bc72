package service.core.port;

/**
 * The rows that a view has read so far, by where they came from. Only reads that structures in memory can answer are
 * counted. Belongs to the thread of its view.
 */
public final class ReadCounts {
    /** Rows that structures in memory have answered. */
    public long fromBlocks;

    /** Rows that the tables have answered and structures in memory could have. */
    public long fromTables;
}
