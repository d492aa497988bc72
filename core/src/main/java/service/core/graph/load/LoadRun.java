package service.core.graph.load;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.batch.EntityColumn;
import service.core.budget.RequestBudget;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeBlockWriter;
import service.core.event.ChangeSorter;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.graph.check.CheckedChanges;
import service.core.graph.check.ConstraintChecks;
import service.core.graph.check.EdgeImages;
import service.core.graph.check.RulesCache;
import service.core.port.Branch;
import service.core.port.GraphView;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;

/** Makes the changes of a load over one view, and checks them. One thread. */
final class LoadRun {
    /** Heap bytes of an id that the load makes, with its entry in the map. */
    private static final int NEW_ID_BYTES = 160;

    /** Records between two readings of the clock: below a millisecond of work. */
    private static final int RECORDS_PER_CHECKPOINT = 256;

    /** Takes a change; they come in the order of an event if {@link #isSorted}. */
    @FunctionalInterface
    private interface Changes {
        void add(EntityKind kind, int type, String id, @Nullable Image before, @Nullable Image after);
    }

    private LoadBatch batch;
    private final GraphView view;
    private final Supplier<String> newIds;
    private final RequestBudget budget;

    /** The ids, and their ordinals, of the records up to the next checkpoint. */
    private final String[] ids = new String[RECORDS_PER_CHECKPOINT];

    private final int[] ordinals = new int[RECORDS_PER_CHECKPOINT];

    /** Lines of the records without an id, by the id that they received. */
    private final Map<String, Integer> lineByNewId = new HashMap<>();

    /** Of the records that were to be inserted and exist already, the first one in the batch. */
    private @Nullable LoadRecord firstKnown;

    LoadRun(LoadBatch batch, GraphView view, Supplier<String> newIds, RequestBudget budget) {
        this.batch = batch;
        this.view = view;
        this.newIds = newIds;
        this.budget = budget;
    }

    /**
     * The net changes, checked. A refusal names the line of the record, if there is one.
     *
     * @param branch whose head the view shows
     */
    CheckedChanges run(Branch branch, RulesCache rules) {
        if (!view.catalog().fingerprint().equals(batch.schemaFingerprint)) {
            throw ServiceException.conflict(
                    Reason.SCHEMA, "the schema has changed since the records were read; load them again");
        }
        batch = batch.whole(this::resolved);
        ChangeBlock changes = changes();
        try {
            return ConstraintChecks.check(branch, changes, view, rules, budget, null, this::place);
        } catch (ServiceException e) {
            throw withLine(e);
        }
    }

    private ChangeBlock changes() {
        ChangeBlockWriter writer = new ChangeBlockWriter(budget);
        if (isSorted()) {
            apply(writer::add);
        } else {
            try (ChangeSorter sorter = new ChangeSorter(budget)) {
                apply(sorter::add);
                sorter.merge(writer::addNet);
            }
        }
        return writer.finish();
    }

    /** Records are sorted by id; ids made here, and entities deleted by a cascade, come between them. */
    private boolean isSorted() {
        return batch.mode != LoadMode.OVERWRITE
                && batch.types.stream()
                        .allMatch(type -> type.records.getFirst().id() == null
                                || type.records.getLast().id() != null);
    }

    private void apply(Changes changes) {
        for (LoadType type : batch.types) {
            apply(type, changes);
        }
        LoadRecord known = firstKnown;
        if (known != null) {
            throw LoadBatch.keyConflict(known, "exists already; mode `merge` would update it");
        }
    }

    /** The line of the record; entities that the load deletes by a cascade come after all lines. */
    private int place(EntityChange change) {
        int line = lineOf(change.typeIdentity(), change.id());
        return line == 0 ? Integer.MAX_VALUE : line;
    }

    private int lineOf(int typeIdentity, String id) {
        Integer assigned = lineByNewId.get(id);
        LoadType type = batch.ofType(typeIdentity);
        return assigned != null ? assigned : type == null ? 0 : LoadBatch.lineOf(type, id);
    }

    private ServiceException withLine(ServiceException refusal) {
        if (refusal.detail() instanceof ErrorDetail.ConstraintViolation violation && violation.entityId() != null) {
            EntityType type = violation.entityKind().equals(EntityKind.NODE.wireName())
                    ? view.catalog().node(violation.typeName())
                    : view.catalog().edge(violation.typeName());
            int line = type == null ? 0 : lineOf(type.identity(), violation.entityId());
            if (line > 0) {
                return new ServiceException(
                        refusal.code(), "line " + line + ": " + refusal.getMessage(), violation, refusal);
            }
        }
        return refusal;
    }

    private void apply(LoadType loaded, Changes changes) {
        EntityType type = loaded.type;
        int identity = type.identity();
        boolean hasSome = view.count(identity) > 0;
        int done = 0;
        for (LoadRecord record : loaded.records) {
            int place = done++ % RECORDS_PER_CHECKPOINT;
            if (place == 0) {
                budget.checkpoint(() -> {});
                if (hasSome) {
                    lookUp(loaded, done - 1);
                }
            }
            String id = record.id();
            int ordinal = hasSome ? ordinals[place] : -1;
            if (id == null) {
                id = newIds.get();
                budget.memory().charge(NEW_ID_BYTES, "the load", "split it into smaller batches");
                lineByNewId.put(id, record.line());
            }
            if (ordinal < 0) {
                Image after = image(record, loaded.fresh(record.given(), record.cleared()));
                changes.add(type.kind(), identity, id, null, after);
            } else if (batch.mode == LoadMode.APPEND) {
                if (firstKnown == null || record.line() < firstKnown.line()) {
                    firstKnown = record;
                }
            } else {
                change(loaded, record, id, view.image(identity, ordinal), changes);
            }
        }
        if (batch.mode == LoadMode.OVERWRITE && hasSome) {
            deleteOthers(loaded, changes);
        }
    }

    /** Looks up the records from an index to the next checkpoint. */
    private void lookUp(LoadType loaded, int from) {
        int size = Math.min(RECORDS_PER_CHECKPOINT, loaded.records.size() - from);
        int known = 0;
        for (int i = 0; i < size; i++) {
            String id = loaded.records.get(from + i).id();
            if (id == null) {
                break;
            }
            ids[known++] = id;
        }
        // Records without an id come last.
        Arrays.fill(ordinals, known, size, -1);
        view.lookup(loaded.type.identity(), ids, known, ordinals);
    }

    private void change(LoadType loaded, LoadRecord record, String id, Image before, Changes changes) {
        PropertyRow row = batch.mode == LoadMode.OVERWRITE
                ? loaded.fresh(record.given(), record.cleared())
                : before.properties().overlaidWith(record.given(), record.cleared());
        Image after = image(record, row);
        if (!after.equals(before)) {
            changes.add(loaded.type.kind(), loaded.type.identity(), id, before, after);
        }
    }

    private Image image(LoadRecord record, PropertyRow row) {
        LoadRecord.EndTypes types = record.hasOpenEnd() ? resolved(record).endTypes() : record.endTypes();
        return types == null
                ? new Image(row, record.from(), record.to(), EdgeEnd.FIRST, EdgeEnd.FIRST)
                : new Image(row, record.from(), record.to(), types.from(), types.to());
    }

    /** A record of an edge with the types of its ends. */
    private LoadRecord resolved(LoadRecord record) {
        EntityType.EdgeType edge = (EntityType.EdgeType) record.type();
        LoadRecord.EndTypes types = Objects.requireNonNull(record.endTypes());
        return record.withEnds(new LoadRecord.EndTypes(
                endType(record, "from", edge.source(), types.from(), record.from()),
                endType(record, "to", edge.destination(), types.to(), record.to())));
    }

    /** How the image names the type of an end: that of the only node with the id, where the record does not say it. */
    private int endType(LoadRecord record, String what, EdgeEnd end, int given, @Nullable String id) {
        if (given != LoadRecord.EndTypes.OPEN || id == null) {
            return given;
        }
        try {
            return end.stored(EdgeImages.typeOf(end, what, id, type -> willBeLive(type, id), EdgeImages.IN_RECORDS));
        } catch (ServiceException e) {
            throw new ServiceException(e.code(), "line " + record.line() + ": " + e.getMessage(), e.detail(), e);
        }
    }

    /** Whether a node exists when the load is done. */
    private boolean willBeLive(int type, String id) {
        LoadType loaded = batch.ofType(type);
        if (loaded != null && LoadBatch.lineOf(loaded, id) > 0) {
            return true;
        }
        return (loaded == null || batch.mode != LoadMode.OVERWRITE) && view.lookup(type, id) >= 0;
    }

    private void deleteOthers(LoadType loaded, Changes changes) {
        int identity = loaded.type.identity();
        EntityColumn found = new EntityColumn();
        try (GraphView.Scan scan = view.scan(identity)) {
            int size;
            while ((size = scan.next(found)) > 0) {
                for (int row = 0; row < size; row++) {
                    String id = view.id(identity, found.ordinals[row]);
                    if (LoadBatch.lineOf(loaded, id) == 0) {
                        Image before = view.image(identity, found.ordinals[row]);
                        changes.add(loaded.type.kind(), identity, id, before, null);
                    }
                }
            }
        }
    }
}
