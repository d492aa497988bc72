package service.core.cluster;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.cluster.RecoveryRecord.Operation;
import service.core.error.ServiceException;
import service.core.port.GraphPlace;
import service.core.port.GraphPort;
import service.core.port.ObjectStore;
import service.core.port.ObjectStore.StoredObject;
import service.core.port.ObjectStoreException;

/** The recovery records of a root. A command that changes something holds the lock. */
final class Recoveries {
    /**
     * A pending record.
     *
     * @param record null when it cannot be read
     */
    record Pending(String key, @Nullable RecoveryRecord record) {}

    private final ClusterRoot root;
    private final GraphPort graphs;

    Recoveries(ClusterRoot root, GraphPort graphs) {
        this.root = root;
        this.graphs = graphs;
    }

    /** The pending records, oldest first. */
    List<Pending> pending() {
        List<Pending> pending = new ArrayList<>();
        for (String key : root.recoveries()) {
            try {
                StoredObject found = root.store().get(key);
                if (found != null) {
                    pending.add(new Pending(key, RecoveryRecord.parse(found.bytes())));
                }
            } catch (ObjectStoreException e) {
                throw e;
            } catch (UncheckedIOException | ServiceException | IllegalArgumentException e) {
                pending.add(new Pending(key, null));
            }
        }
        return pending;
    }

    /** The graphs that pending records name. */
    static Set<String> graphIds(List<Pending> pending) {
        Set<String> ids = new LinkedHashSet<>();
        for (Pending each : pending) {
            if (each.record() != null) {
                ids.add(each.record().graphId());
            }
        }
        return ids;
    }

    /** Announces a step. */
    void announce(RecoveryRecord record) {
        root.putRecovery(record.id(), (record.json() + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Whether the announced step was done, judged by the graph itself.
     *
     * @param observed the graph as it is now; null when its directory is missing
     */
    static boolean isDone(RecoveryRecord record, GraphPort.@Nullable Observed observed) {
        if (record.operation() == Operation.DELETE_GRAPH) {
            return observed == null;
        }
        return observed != null
                && observed.schemaSource() != null
                && Resource.schema(record.graphId(), observed.schemaSource())
                        .digest()
                        .equals(record.schemaDigest());
    }

    /** Removes what unfinished steps have left beside the places of graphs. */
    void clear(List<Pending> pending) {
        for (String graphId : graphIds(pending)) {
            GraphPlace place = root.graph(graphId);
            graphs.clear(place);
        }
    }

    /** Removes all records; the ledger contains what their steps have done. */
    void retire() {
        List<String> keys = root.recoveries();
        for (int from = 0; from < keys.size(); from += ObjectStore.DELETE_KEYS_MAX) {
            root.store().deleteAll(keys.subList(from, Math.min(keys.size(), from + ObjectStore.DELETE_KEYS_MAX)));
        }
    }
}
