package service.projection.apply;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.log.lmdb.MappedBytes;
import service.projection.table.MappedRow;

/** Tells which changes matter to indexes for searches: those of properties with {@code @search}. One thread. */
final class Searched {
    private static final int[] NONE = {};

    private @Nullable EntityType last;
    private int[] properties = NONE;

    /**
     * Whether a change gives an entity other values to search.
     *
     * @param rowBefore address of a row; 0 when the entity did not exist
     * @param rowAfter address of a row; 0 when the entity does not exist any more
     */
    boolean differs(EntityType type, long rowBefore, long rowAfter) {
        prepare(type);
        for (int property : properties) {
            if (differs(property, rowBefore, rowAfter)) {
                return true;
            }
        }
        return false;
    }

    /** The changes of an event are mostly of one type, and the same object. */
    @SuppressWarnings("ReferenceEquality") // comparing all properties would cost more than the work it saves
    private void prepare(EntityType type) {
        if (type != last) {
            last = type;
            properties = searched(type);
        }
    }

    private static int[] searched(EntityType type) {
        return type.properties().stream()
                .filter(Searched::isSearched)
                .mapToInt(Property::identity)
                .toArray();
    }

    private static boolean isSearched(Property property) {
        return property.analyzer() != null || property.metric() != null;
    }

    /** A row without the property may mean a default value: an entity that is older than the property has it. */
    private static boolean differs(int property, long before, long after) {
        int slotBefore = before == 0 ? -1 : MappedRow.slot(before, property, 0);
        int slotAfter = after == 0 ? -1 : MappedRow.slot(after, property, 0);
        if (slotBefore < 0 || slotAfter < 0) {
            return slotBefore != slotAfter || before == 0 || after == 0;
        }
        int length = MappedRow.valueLength(before, slotBefore);
        return length != MappedRow.valueLength(after, slotAfter)
                || !MappedBytes.same(MappedRow.value(before, slotBefore), MappedRow.value(after, slotAfter), length);
    }

    /** Whether a schema searches a property, or searches it in a way, that the one before does not. */
    static boolean searchesMore(Catalog before, Catalog after) {
        List<EntityType> types = new ArrayList<>(after.nodes());
        types.addAll(after.edges());
        for (EntityType type : types) {
            EntityType known = before.type(type.identity());
            if (known == null) {
                // It has no entities yet.
                continue;
            }
            for (Property property : type.properties()) {
                Property same = known.property(property.identity());
                if (isSearched(property)
                        && (same == null
                                || same.analyzer() != property.analyzer()
                                || same.metric() != property.metric()
                                || !Objects.equals(same.missing(), property.missing()))) {
                    return true;
                }
            }
        }
        return false;
    }
}
