package service.core.graph.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.ChangeSet;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.RulesCache;
import service.core.port.GraphView;
import service.core.schema.EntityType;

/** Makes the changes of a load over one view, and checks them. One thread. */
final class LoadRun {
    private final LoadBatch batch;
    private final GraphView view;
    private final Supplier<String> newIds;
    private final List<EntityChange> changes = new ArrayList<>();

    /** Lines of the records that brought no id, by the id they were given. */
    private final Map<String, Integer> lineByNewId = new HashMap<>();

    /** Of the records that were to be inserted and exist, the one that stands first. */
    private @Nullable LoadRecord firstKnown;

    /** The batch is in order; ids given here and entities deleted besides are not. */
    private boolean sorted = true;

    LoadRun(LoadBatch batch, GraphView view, Supplier<String> newIds) {
        this.batch = batch;
        this.view = view;
        this.newIds = newIds;
    }

    /** The net changes, checked. A refusal names the line of the record at fault, where there is one. */
    ChangeSet run(RulesCache rules) {
        if (!view.catalog().digest().equals(batch.schemaDigest)) {
            throw ServiceException.conflict("the schema has changed since the records were read; load them again");
        }
        batch.types.forEach(this::apply);
        LoadRecord known = firstKnown;
        if (known != null) {
            throw LoadBatch.keyConflict(known, "exists already; mode `merge` would update it");
        }
        ChangeSet set = sorted ? ChangeSet.ofSorted(changes) : ChangeSet.of(changes);
        try {
            ConstraintChecks.check(set, view, rules, null, this::byLine);
        } catch (ServiceException e) {
            throw withLine(e);
        }
        return set;
    }

    /** The order of the records; what a load deletes besides comes after them. */
    private Comparator<EntityChange> byLine() {
        Map<Integer, Map<String, Integer>> lines = new HashMap<>();
        for (LoadType loaded : batch.types) {
            Map<String, Integer> ofType = HashMap.newHashMap(loaded.records.size());
            for (LoadRecord record : loaded.records) {
                if (record.id() != null) {
                    ofType.put(record.id(), record.line());
                }
            }
            lines.put(loaded.type.identity(), ofType);
        }
        return Comparator.comparingInt(change -> {
            Integer assigned = lineByNewId.get(change.id());
            return assigned != null
                    ? assigned
                    : lines.getOrDefault(change.typeIdentity(), Map.of()).getOrDefault(change.id(), Integer.MAX_VALUE);
        });
    }

    private ServiceException withLine(ServiceException refusal) {
        if (refusal.detail() instanceof ErrorDetail.ConstraintViolation violation) {
            Integer assigned = lineByNewId.get(violation.entityId());
            int line = assigned != null ? assigned : batch.lineOf(violation.typeName(), violation.entityId());
            if (line > 0) {
                return new ServiceException(
                        refusal.code(), "line " + line + ": " + refusal.getMessage(), violation, refusal);
            }
        }
        return refusal;
    }

    private void apply(LoadType loaded) {
        EntityType type = loaded.type;
        int identity = type.identity();
        boolean hasSome = view.count(identity) > 0;
        for (LoadRecord record : loaded.records) {
            String id = record.id();
            int ordinal = id != null && hasSome ? view.lookup(identity, id) : -1;
            if (id == null) {
                id = newIds.get();
                sorted = false;
                lineByNewId.put(id, record.line());
            }
            if (ordinal < 0) {
                Image after = new Image(loaded.fresh(record.given(), record.cleared()), record.from(), record.to());
                changes.add(new EntityChange(type.kind(), identity, id, null, after));
            } else if (batch.mode == LoadMode.APPEND) {
                if (firstKnown == null || record.line() < firstKnown.line()) {
                    firstKnown = record;
                }
            } else {
                change(loaded, record, id, view.image(identity, ordinal));
            }
        }
        if (batch.mode == LoadMode.OVERWRITE && hasSome) {
            deleteOthers(loaded);
        }
    }

    private void change(LoadType loaded, LoadRecord record, String id, Image before) {
        var row = batch.mode == LoadMode.OVERWRITE
                ? loaded.fresh(record.given(), record.cleared())
                : before.properties().overlaidWith(record.given(), record.cleared());
        Image after = new Image(row, record.from(), record.to());
        if (!after.equals(before)) {
            changes.add(new EntityChange(loaded.type.kind(), loaded.type.identity(), id, before, after));
        }
    }

    private void deleteOthers(LoadType loaded) {
        sorted = false;
        int identity = loaded.type.identity();
        Set<String> named = new HashSet<>();
        loaded.records.forEach(record -> {
            if (record.id() != null) {
                named.add(record.id());
            }
        });
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(identity)) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    String id = view.id(identity, found.ordinals[row]);
                    if (!named.contains(id)) {
                        Image before = view.image(identity, found.ordinals[row]);
                        changes.add(new EntityChange(loaded.type.kind(), identity, id, before, null));
                    }
                }
            }
        }
    }
}
