package service.projection.query.operator;

import service.core.port.ReadCounts;

/** The time that calls of a part of a pipeline took, and the rows that its view read meanwhile. One thread. */
public final class Spending {
    private final ReadCounts reads;

    /** Nanoseconds so far. */
    public long nanos;

    /** Rows read from blocks so far. */
    public long fromBlocks;

    /** Rows read from the tables so far. */
    public long fromTables;

    /** @param reads of the view that the pipeline reads */
    public Spending(ReadCounts reads) {
        this.reads = reads;
    }

    /** Begins a call; {@link #end} must follow. */
    void begin() {
        fromBlocks -= reads.fromBlocks;
        fromTables -= reads.fromTables;
        nanos -= System.nanoTime();
    }

    void end() {
        nanos += System.nanoTime();
        fromBlocks += reads.fromBlocks;
        fromTables += reads.fromTables;
    }

    /** Runs a source as one call. */
    public void drive(Source source) {
        begin();
        source.drive();
        end();
    }
}
