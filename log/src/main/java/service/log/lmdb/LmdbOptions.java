package service.log.lmdb;

import java.time.Duration;

/**
 * Options for opening an environment.
 *
 * @param durability whether a commit survives a power failure
 * @param readOnly opens an environment that another process may write; nothing is created
 * @param mapBytes initial size of the map: address space, no disk and no memory
 * @param mapBytesMax greatest size of the map; beyond it the storage is full
 * @param readersMax greatest number of simultaneous reads, all processes together
 * @param readersWait how long closing and growing wait for open reads
 */
public record LmdbOptions(
        Durability durability,
        boolean readOnly,
        long mapBytes,
        long mapBytesMax,
        int readersMax,
        Duration readersWait) {
    public static final long MAP_BYTES_DEFAULT = 256L << 30;
    public static final long MAP_BYTES_MAX_DEFAULT = 8L << 40;
    public static final int READERS_MAX_DEFAULT = 1_024;
    public static final Duration READERS_WAIT_DEFAULT = Duration.ofSeconds(30);
    private static final long MAP_BYTES_MIN = 64L << 10;

    /** What a commit survives. */
    public enum Durability {
        /** A power failure: the commit is on stable storage (fsync). */
        SYNCED,
        /** The death of the process, but not of the machine. */
        UNSYNCED
    }

    public LmdbOptions {
        if (mapBytes < MAP_BYTES_MIN || mapBytesMax < mapBytes || readersMax < 1) {
            throw new IllegalArgumentException(
                    "map of " + mapBytes + " to " + mapBytesMax + " bytes, " + readersMax + " readers");
        }
    }

    /** The log: every commit is durable. */
    public static LmdbOptions synced() {
        return of(Durability.SYNCED, false);
    }

    /** For the tables: after a power failure they are made again from the log. */
    public static LmdbOptions unsynced() {
        return of(Durability.UNSYNCED, false);
    }

    /** For reading an environment that another process writes. */
    public static LmdbOptions reading() {
        return of(Durability.SYNCED, true);
    }

    private static LmdbOptions of(Durability durability, boolean readOnly) {
        return new LmdbOptions(
                durability,
                readOnly,
                MAP_BYTES_DEFAULT,
                MAP_BYTES_MAX_DEFAULT,
                READERS_MAX_DEFAULT,
                READERS_WAIT_DEFAULT);
    }

    public LmdbOptions withMapBytes(long first, long max) {
        return new LmdbOptions(durability, readOnly, first, max, readersMax, readersWait);
    }

    public LmdbOptions withReaders(int max, Duration wait) {
        return new LmdbOptions(durability, readOnly, mapBytes, mapBytesMax, max, wait);
    }
}
