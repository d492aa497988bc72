package service.core.port;

/**
 * The state of the resident blocks of a process, for metrics.
 *
 * @param bytes heap that they hold
 * @param bytesMax heap that they may hold
 * @param built blocks made since the start
 * @param dirty ordinals that blocks have and do not answer, of so many {@code ordinals}
 * @param fromBlocks rows that blocks have answered since the start
 * @param fromTables rows that the tables have answered and blocks could have
 */
public record BlockGauges(
        long bytes,
        long bytesMax,
        int blocks,
        long built,
        long dirty,
        long ordinals,
        long fromBlocks,
        long fromTables) {
    /** The part of the ordinals that is dirty, from 0 to 1. */
    public double dirtyShare() {
        return ordinals == 0 ? 0 : (double) dirty / ordinals;
    }
}
