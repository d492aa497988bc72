package service.projection.storage;

import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import service.log.lmdb.LmdbEnvironment;
import service.log.lmdb.TableBytes;

/**
 * Where the bytes of an environment are.
 *
 * @param name as in metrics: {@code log} or {@code projection}
 * @param freeBytes pages of no table: nearly all were freed by earlier transactions, and are used again
 * @param tables largest first
 */
public record EnvironmentBytes(String name, long freeBytes, List<TableBytes> tables) {
    static EnvironmentBytes of(String name, LmdbEnvironment environment, @Nullable LongConsumer progress) {
        List<TableBytes> tables =
                progress == null ? TableBytes.of(environment) : TableBytes.read(environment, progress);
        long held = tables.stream().mapToLong(TableBytes::bytes).sum();
        return new EnvironmentBytes(name, Math.max(0, environment.usedBytes() - held), tables);
    }
}
