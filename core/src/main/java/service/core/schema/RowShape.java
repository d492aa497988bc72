package service.core.schema;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * Shows rows that were stored under earlier schemas as a type of a later schema has them: without properties that were
 * dropped since, and with the values that new properties give to old entities. So no migration rewrites records.
 *
 * <p>A stored row without a property is either older than the property or has a null in it. Only a nullable property
 * can have a null. So where a property is nullable and gives a value to old entities, which happens when it became
 * nullable later, {@link #stored} marks the nulls of new rows. Immutable; any thread.
 */
public final class RowShape {
    /** Ascending. */
    private final int[] identities;

    private final @Nullable Value[] missing;

    /** Identities of the properties whose nulls are marked, ascending. */
    private final int[] marked;

    private final boolean plain;

    /** @param changed whether a property of the graph was ever dropped; otherwise rows have no unknown properties */
    RowShape(List<Property> properties, boolean changed) {
        List<Property> sorted = properties.stream()
                .sorted(Comparator.comparingInt(Property::identity))
                .toList();
        identities = sorted.stream().mapToInt(Property::identity).toArray();
        missing = sorted.stream().map(Property::missing).toArray(Value[]::new);
        marked = sorted.stream()
                .filter(property -> property.nullable() && property.missing() != null)
                .mapToInt(Property::identity)
                .toArray();
        plain = !changed && Arrays.stream(missing).allMatch(value -> value == null);
    }

    /** Whether every stored row is as the type has it. */
    public boolean isPlain() {
        return plain;
    }

    /** Whether nulls of some property are marked in stored rows. */
    public boolean marksNulls() {
        return marked.length > 0;
    }

    /** A stored row as the type has it. */
    public PropertyRow shown(PropertyRow stored) {
        if (plain || fits(stored)) {
            return stored;
        }
        Map<Integer, Value> values = new TreeMap<>();
        for (int i = 0; i < identities.length; i++) {
            int place = stored.placeOf(identities[i]);
            Value value = missing[i];
            if (place < 0 && value != null) {
                values.put(identities[i], value);
            } else if (place >= 0 && stored.tagAt(place) != PropertyRow.TAG_NULL) {
                values.put(identities[i], stored.valueAt(place));
            }
        }
        return PropertyRow.of(values);
    }

    /**
     * A row as the type has it which another schema of the graph shows. A property that is not in the row is null if
     * the type has the property in that schema. If it is newer than that schema, it is what old entities have; if that
     * schema has dropped it, nothing is known of it, and it is what the entity has now.
     *
     * @param next the first identity that is newer than the other schema
     * @param now the entity as it is; null where it does not exist
     */
    public PropertyRow carried(PropertyRow row, EntityType from, int next, @Nullable PropertyRow now) {
        Map<Integer, Value> values = new TreeMap<>();
        for (int i = 0; i < identities.length; i++) {
            Value value = row.get(identities[i]);
            if (value == null && from.property(identities[i]) == null) {
                value = identities[i] >= next ? missing[i] : now == null ? null : now.get(identities[i]);
            }
            if (value != null) {
                values.put(identities[i], value);
            }
        }
        return PropertyRow.of(values);
    }

    private boolean fits(PropertyRow stored) {
        int n = stored.size();
        int at = 0;
        for (int i = 0; i < identities.length; i++) {
            if (at < n && stored.identityAt(at) == identities[i]) {
                if (stored.tagAt(at) == PropertyRow.TAG_NULL) {
                    return false;
                }
                at++;
            } else if (missing[i] != null) {
                return false;
            }
        }
        return at == n;
    }

    /** A row of the type as it is stored. */
    public PropertyRow stored(PropertyRow row) {
        int[] nulls = Arrays.stream(marked)
                .filter(property -> row.placeOf(property) < 0)
                .toArray();
        return nulls.length == 0 ? row : row.withNulls(nulls);
    }
}
