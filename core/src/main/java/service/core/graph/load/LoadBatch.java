package service.core.graph.load;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.schema.Catalog;
import service.core.value.EntityKind;
import service.core.value.ValueOrder;

/**
 * The records of a load, by type in the order of an event and within a type by id, those without an id last: look-ups
 * then go through the id table in its order, and the changes are made in sorted order. Repeated ids are resolved here,
 * on the caller's thread. Immutable afterwards.
 */
final class LoadBatch {
    private static final Comparator<LoadRecord> BY_ID = byId(ValueOrder::compareText);

    /** The same order for ids without surrogates and characters above them; several times as fast. */
    private static final Comparator<LoadRecord> BY_PLAIN_ID = byId(String::compareTo);

    private static Comparator<LoadRecord> byId(Comparator<String> order) {
        return (left, right) -> {
            String leftId = left.id();
            String rightId = right.id();
            return leftId == null || rightId == null
                    ? Boolean.compare(leftId == null, rightId == null)
                    : order.compare(leftId, rightId);
        };
    }

    final String schemaFingerprint;
    final LoadMode mode;

    /** Nodes before edges, each by type identity; no type without records. */
    final List<LoadType> types;

    /** Types whose keys contain ends of which only the data says the type: some of their records have no id yet. */
    private final Set<Integer> open;

    private LoadBatch(String schemaFingerprint, LoadMode mode, List<LoadType> types) {
        this.schemaFingerprint = schemaFingerprint;
        this.mode = mode;
        this.types = types;
        this.open = types.stream()
                .filter(LoadType::isOpen)
                .map(type -> type.type.identity())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Makes a batch of the records of the types, which are in the order in which they were read. */
    static LoadBatch of(Catalog catalog, LoadMode mode, Collection<LoadType> read) {
        List<LoadType> types = new ArrayList<>(read);
        types.removeIf(type -> type.records.isEmpty());
        types.sort(Comparator.comparing((LoadType type) -> type.type.kind())
                .thenComparingInt(type -> type.type.identity()));
        settle(types, mode);
        return new LoadBatch(catalog.fingerprint(), mode, types);
    }

    /**
     * The batch with the ids of all records that a key names.
     *
     * @param resolved gives a record the types of its ends
     */
    LoadBatch whole(UnaryOperator<LoadRecord> resolved) {
        if (open.isEmpty()) {
            return this;
        }
        List<LoadType> whole = new ArrayList<>(types);
        whole.replaceAll(type -> isOpen(type.type.identity()) ? type.whole(resolved) : type);
        settle(whole, mode);
        return new LoadBatch(schemaFingerprint, mode, whole);
    }

    /** Whether records of a type have no id yet although the type has a key. */
    boolean isOpen(int type) {
        return open.contains(type);
    }

    private static void settle(List<LoadType> types, LoadMode mode) {
        List<LoadRecord> repeats = new ArrayList<>();
        types.forEach(type -> settle(type, repeats));
        if (mode == LoadMode.APPEND && !repeats.isEmpty()) {
            throw keyConflict(
                    Collections.min(repeats, Comparator.comparingInt(LoadRecord::line)), "occurs twice in the batch");
        }
    }

    /**
     * Sorts by id; of records with the same id only the last remains.
     *
     * @param repeats receives each record whose id occurred before
     */
    private static void settle(LoadType type, List<LoadRecord> repeats) {
        List<LoadRecord> records = type.records;
        if (!sort(type)) {
            return;
        }
        int kept = 0;
        for (int i = 0; i < records.size(); i++) {
            LoadRecord record = records.get(i);
            boolean repeated = kept > 0
                    && record.id() != null
                    && record.id().equals(records.get(kept - 1).id());
            if (repeated) {
                repeats.add(record);
            }
            // The sort is stable: of equal ids, the later record comes later.
            records.set(repeated ? kept - 1 : kept++, record);
        }
        records.subList(kept, records.size()).clear();
    }

    /**
     * Sorts records by id; those with the same id, or without one, keep their order. Blocks are sorted where they are
     * read, on all cores; only their runs remain to be merged.
     *
     * @return false when they were sorted already, without repeats
     */
    static boolean sort(LoadType type) {
        List<LoadRecord> records = type.records;
        if (ascends(records)) {
            return false;
        }
        records.sort(records.stream().allMatch(LoadBatch::isPlain) ? BY_PLAIN_ID : BY_ID);
        return true;
    }

    /** Whether the records are sorted already, without repeats, as in an export. */
    private static boolean ascends(List<LoadRecord> records) {
        String before = "";
        for (LoadRecord record : records) {
            String id = record.id();
            if (id == null || ValueOrder.compareText(before, id) >= 0) {
                return false;
            }
            before = id;
        }
        return true;
    }

    private static boolean isPlain(LoadRecord record) {
        String id = record.id();
        for (int i = 0; id != null && i < id.length(); i++) {
            if (id.charAt(i) >= Character.MIN_SURROGATE) {
                return false;
            }
        }
        return true;
    }

    static ServiceException keyConflict(LoadRecord record, String fault) {
        String kind = record.type().kind().wireName();
        return new ServiceException(
                ErrorCode.CONFLICT,
                "line " + record.line() + ": " + kind + " " + record.type().name() + " `" + record.id() + "` " + fault,
                new ErrorDetail.KeyConflict(kind, record.type().name(), String.valueOf(record.id())));
    }

    /** The number of records. */
    int size() {
        return types.stream().mapToInt(type -> type.records.size()).sum();
    }

    /** The records of a type; null when it has none. */
    @Nullable
    LoadType ofType(int identity) {
        for (LoadType type : types) {
            if (type.type.identity() == identity) {
                return type;
            }
        }
        return null;
    }

    /** The line of the record that gives an entity's id, or 0. */
    static int lineOf(LoadType type, String id) {
        List<LoadRecord> records = type.records;
        int low = 0;
        int high = records.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            LoadRecord record = records.get(middle);
            // Records without an id come last.
            int order = record.id() == null ? 1 : ValueOrder.compareText(record.id(), id);
            if (order == 0) {
                return record.line();
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return 0;
    }

    /** Number of edges whose ids the load makes. */
    long edgesWithoutId() {
        return types.stream()
                .filter(type -> type.type.kind() == EntityKind.EDGE && !type.isKeyed())
                .flatMap(type -> type.records.stream())
                .filter(record -> record.id() == null)
                .count();
    }
}
