package service.projection.storage;

import org.jspecify.annotations.Nullable;
import service.core.port.GraphStorage;
import service.core.port.StorageGauges;
import service.log.lmdb.StorageFailure;

/** A graph that is stored in a directory of this machine, a bucket's copy included. Any thread. */
public interface StoredGraph extends GraphStorage {
    /** The state of the storage, for metrics. Waits while a map is moved. */
    @Override
    StorageGauges gauges();

    @Override
    default @Nullable String damageIn(Throwable failure) {
        return StorageFailure.damageIn(failure);
    }
}
