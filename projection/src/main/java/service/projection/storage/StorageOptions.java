package service.projection.storage;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import service.core.schema.CatalogCodec;
import service.log.commit.WriterSettings;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.projection.table.CatalogSource;
import service.projection.table.IdTable;

/**
 * How a graph's storage is opened.
 *
 * @param catalogs compiles what a schema's commit carries
 * @param log the log's environment
 * @param projection the projection's environment
 * @param writer the writer thread
 * @param checkpointEvents events between two checkpoints; 0 makes none
 * @param ordinalsMax entities that a type can have had; less than {@link IdTable#ORDINALS_MAX} in tests only
 * @param clockMicros the machine's clock, microseconds since the epoch
 * @param boot names the machine's present boot; empty when that cannot be known
 * @param hook production: {@link CommitHook#NONE}
 */
public record StorageOptions(
        CatalogSource catalogs,
        LmdbOptions log,
        LmdbOptions projection,
        WriterSettings writer,
        long checkpointEvents,
        int ordinalsMax,
        LongSupplier clockMicros,
        Supplier<String> boot,
        CommitHook hook) {
    public static final long CHECKPOINT_EVENTS_DEFAULT = 100_000;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** As a server runs. */
    public static StorageOptions defaults() {
        return defaults(CatalogCodec::decode);
    }

    public static StorageOptions defaults(CatalogSource catalogs) {
        return new StorageOptions(
                catalogs,
                LmdbOptions.synced(),
                LmdbOptions.unsynced(),
                WriterSettings.DEFAULT,
                CHECKPOINT_EVENTS_DEFAULT,
                IdTable.ORDINALS_MAX,
                StorageOptions::nowMicros,
                StorageOptions::bootId,
                CommitHook.NONE);
    }

    public StorageOptions withCheckpointEvents(long events) {
        return new StorageOptions(catalogs, log, projection, writer, events, ordinalsMax, clockMicros, boot, hook);
    }

    public StorageOptions withOrdinalsMax(int max) {
        return new StorageOptions(catalogs, log, projection, writer, checkpointEvents, max, clockMicros, boot, hook);
    }

    public StorageOptions withBoot(Supplier<String> newBoot) {
        return new StorageOptions(
                catalogs, log, projection, writer, checkpointEvents, ordinalsMax, clockMicros, newBoot, hook);
    }

    public StorageOptions withWriter(WriterSettings settings) {
        return new StorageOptions(
                catalogs, log, projection, settings, checkpointEvents, ordinalsMax, clockMicros, boot, hook);
    }

    public StorageOptions withClock(LongSupplier micros) {
        return new StorageOptions(catalogs, log, projection, writer, checkpointEvents, ordinalsMax, micros, boot, hook);
    }

    public StorageOptions withHook(CommitHook newHook) {
        return new StorageOptions(
                catalogs, log, projection, writer, checkpointEvents, ordinalsMax, clockMicros, boot, newHook);
    }

    public StorageOptions withMapBytes(long first, long max) {
        return new StorageOptions(
                catalogs,
                log.withMapBytes(first, max),
                projection.withMapBytes(first, max),
                writer,
                checkpointEvents,
                ordinalsMax,
                clockMicros,
                boot,
                hook);
    }

    private static long nowMicros() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (java.io.IOException e) {
            return "";
        }
    }
}
