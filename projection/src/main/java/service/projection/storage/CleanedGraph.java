package service.projection.storage;

import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.lmdbjava.LmdbException;
import service.log.format.EventLog;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/**
 * What a cleanup works on.
 *
 * @param log the events of a graph
 * @param environment the tables that were made of them
 * @param catalogs reads the schemas in the events
 * @param clockMicros microseconds since the epoch
 */
record CleanedGraph(EventLog log, ProjectionEnvironment environment, CatalogSource catalogs, LongSupplier clockMicros) {
    /** Runs a piece of a sweep of the tables in its own transaction. Writer thread. */
    int write(ToIntFunction<TableAccess> piece) {
        while (true) {
            try (WriteTransaction write = environment.environment().write()) {
                TableAccess access = environment.access(write);
                int done;
                try {
                    done = piece.applyAsInt(access);
                } finally {
                    access.end();
                }
                write.commit();
                return done;
            } catch (LmdbException e) {
                growOr(StorageFailure.of(e, environment.environment().directory()));
            } catch (StorageFailure e) {
                growOr(e);
            }
        }
    }

    private void growOr(StorageFailure failure) {
        if (failure.kind() != StorageFailure.Kind.MAP_FULL) {
            throw failure;
        }
        environment.environment().grow();
    }
}
