package service.projection.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import service.log.commit.WriterSettings;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.projection.resident.ResidentMemory;
import service.projection.search.index.SearchOptions;
import service.projection.table.CatalogSource;
import service.projection.table.IdTable;
import service.projection.table.SharedCatalogs;

/**
 * Options for opening the storage of a graph.
 *
 * @param catalogs compiles the schema that a commit sets
 * @param log options of the environment of the log
 * @param projection options of the environment of the tables
 * @param writer options of the writer thread
 * @param checkpointEvents events between two checkpoints; 0 for no checkpoints
 * @param ordinalsMax ordinals that a type can have; less than {@link IdTable#ORDINALS_MAX} in tests only
 * @param machine the clock, the boot and the memory for blocks
 * @param hook {@link CommitHook#NONE} in production
 */
public record StorageOptions(
        CatalogSource catalogs,
        LmdbOptions log,
        LmdbOptions projection,
        WriterSettings writer,
        long checkpointEvents,
        int ordinalsMax,
        Machine machine,
        CommitHook hook) {
    /**
     * What the storage takes from the machine.
     *
     * @param clockMicros microseconds since the epoch
     * @param boot returns an id of the current boot; empty when it is unknown
     * @param resident the memory for blocks
     * @param readHold for how long a read in progress may hold back cleanup
     * @param search what search indexes may take
     */
    public record Machine(
            LongSupplier clockMicros,
            Supplier<String> boot,
            ResidentMemory resident,
            Duration readHold,
            SearchOptions search) {
        private Machine withClock(LongSupplier micros) {
            return new Machine(micros, boot, resident, readHold, search);
        }

        private Machine withBoot(Supplier<String> newBoot) {
            return new Machine(clockMicros, newBoot, resident, readHold, search);
        }

        private Machine withResident(ResidentMemory memory) {
            return new Machine(clockMicros, boot, memory, readHold, search);
        }

        private Machine withReadHold(Duration longest) {
            return new Machine(clockMicros, boot, resident, longest, search);
        }

        private Machine withSearch(SearchOptions options) {
            return new Machine(clockMicros, boot, resident, readHold, options);
        }
    }

    /** The longest time for which a read may hold back cleanup. */
    public static final Duration READ_HOLD_DEFAULT = Duration.ofHours(1);

    public static final long CHECKPOINT_EVENTS_DEFAULT = 100_000;
    private static final CatalogSource CATALOGS = new SharedCatalogs();
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** The options of a server. */
    public static StorageOptions defaults() {
        return defaults(CATALOGS);
    }

    public static StorageOptions defaults(CatalogSource catalogs) {
        return new StorageOptions(
                catalogs,
                LmdbOptions.synced(),
                LmdbOptions.unsynced(),
                WriterSettings.DEFAULT,
                CHECKPOINT_EVENTS_DEFAULT,
                IdTable.ORDINALS_MAX,
                new Machine(
                        StorageOptions::nowMicros,
                        StorageOptions::bootId,
                        ResidentMemory.OFF,
                        READ_HOLD_DEFAULT,
                        SearchOptions.DEFAULT),
                CommitHook.NONE);
    }

    public StorageOptions withCheckpointEvents(long events) {
        return new StorageOptions(catalogs, log, projection, writer, events, ordinalsMax, machine, hook);
    }

    public StorageOptions withOrdinalsMax(int max) {
        return new StorageOptions(catalogs, log, projection, writer, checkpointEvents, max, machine, hook);
    }

    public StorageOptions withBoot(Supplier<String> newBoot) {
        return with(machine.withBoot(newBoot));
    }

    public StorageOptions withWriter(WriterSettings settings) {
        return new StorageOptions(catalogs, log, projection, settings, checkpointEvents, ordinalsMax, machine, hook);
    }

    public StorageOptions withClock(LongSupplier micros) {
        return with(machine.withClock(micros));
    }

    /** The same options, with this longest time for which a read may hold back cleanup. */
    public StorageOptions withReadHold(Duration longest) {
        return with(machine.withReadHold(longest));
    }

    /** The same options with blocks in this memory. */
    public StorageOptions withResident(ResidentMemory memory) {
        return with(machine.withResident(memory));
    }

    /** The same options with these of search indexes. */
    public StorageOptions withSearch(SearchOptions search) {
        return with(machine.withSearch(search));
    }

    private StorageOptions with(Machine changed) {
        return new StorageOptions(catalogs, log, projection, writer, checkpointEvents, ordinalsMax, changed, hook);
    }

    public StorageOptions withHook(CommitHook newHook) {
        return new StorageOptions(catalogs, log, projection, writer, checkpointEvents, ordinalsMax, machine, newHook);
    }

    public StorageOptions withMapBytes(long first, long max) {
        return new StorageOptions(
                catalogs,
                log.withMapBytes(first, max),
                projection.withMapBytes(first, max),
                writer,
                checkpointEvents,
                ordinalsMax,
                machine,
                hook);
    }

    /** The same options with this number of reader slots in each environment, all processes together. */
    public StorageOptions withReaders(int max) {
        return new StorageOptions(
                catalogs,
                log.withReaders(max, log.readersWait()),
                projection.withReaders(max, projection.readersWait()),
                writer,
                checkpointEvents,
                ordinalsMax,
                machine,
                hook);
    }

    private static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    /** Read once: a process does not live longer than the boot of its machine. */
    private static final class Boot {
        private static final String ID = read();

        private static String read() {
            try {
                return Files.readString(BOOT_ID).strip();
            } catch (IOException e) {
                return "";
            }
        }
    }

    private static String bootId() {
        return Boot.ID;
    }
}
