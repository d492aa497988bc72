package service.core.schema;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.value.Direction;
import service.core.value.Value;

/**
 * The source of stable identities for a compilation. A new schema mints them in the order of the calls; a changed
 * schema takes over those of the schema before it and mints the others; a restored schema returns those that were
 * minted then. Types and properties share one sequence; indexes have a sequence for themselves.
 */
final class Identities {
    private final Map<String, Integer> named;
    private final Map<String, Integer> indexes;
    private final Map<Integer, Value> missing;
    private final Set<String> backfilled;
    private final boolean restoring;
    private final Map<String, CarriedIdentities.Ends> ends;
    private int next;
    private int nextIndex;
    private int nextWide;

    private Identities(CarriedIdentities carried, boolean restoring) {
        this.named = new LinkedHashMap<>(carried.named());
        this.indexes = new LinkedHashMap<>(carried.indexes());
        this.missing = new HashMap<>(carried.missing());
        this.backfilled = carried.backfilled();
        this.next = carried.nextIdentity();
        this.nextIndex = carried.nextIndex();
        this.ends = carried.wide().ends();
        this.nextWide = carried.wide().next();
        this.restoring = restoring;
    }

    static Identities fresh() {
        return new Identities(
                new CarriedIdentities(Map.of(), Map.of(), Map.of(), Set.of(), 1, 0, CarriedIdentities.Wide.NONE),
                false);
    }

    static Identities carried(CarriedIdentities carried) {
        return new Identities(carried, false);
    }

    static Identities restored(CarriedIdentities stored) {
        return new Identities(stored, true);
    }

    /** Whether the schema was accepted before, perhaps by a version that refused less. */
    boolean isRestoring() {
        return restoring;
    }

    int ofType(String type) {
        return of(type);
    }

    int ofProperty(String type, String property) {
        return of(CarriedIdentities.property(type, property));
    }

    /** Names an index by its type and its members in declared order. */
    int ofIndex(String type, String members) {
        String key = type + "(" + members + ")";
        Integer known = indexes.get(key);
        if (known != null) {
            return known;
        }
        refuseWhenRestoring(key);
        int identity = nextIndex++;
        indexes.put(key, identity);
        return identity;
    }

    /** Identities of the node types that have a place at an end of an edge type. */
    List<Integer> places(String edgeType, Direction direction) {
        CarriedIdentities.Ends known = ends.get(edgeType);
        return known == null ? List.of() : direction == Direction.OUT ? known.source() : known.destination();
    }

    /** The number of an edge type among those with several lanes. */
    int ofWide(String edgeType, List<Integer> source, List<Integer> destination) {
        CarriedIdentities.Ends known = ends.get(edgeType);
        boolean same = known != null
                && known.source().equals(source)
                && known.destination().equals(destination);
        if (restoring && (known == null || !same || known.number() < 0)) {
            throw new IllegalStateException("the stored identities have none for the ends of " + edgeType);
        }
        return known != null && known.number() >= 0 ? known.number() : nextWide++;
    }

    /** The value of entities that were stored before a property existed, or null. */
    @Nullable
    Value missing(String type, String property, @Nullable Value defaultValue) {
        return backfilled.contains(CarriedIdentities.property(type, property))
                ? defaultValue
                : missing.get(ofProperty(type, property));
    }

    int next() {
        return next;
    }

    int nextIndex() {
        return nextIndex;
    }

    int nextWide() {
        return nextWide;
    }

    private int of(String key) {
        Integer known = named.get(key);
        if (known != null) {
            return known;
        }
        refuseWhenRestoring(key);
        int identity = next++;
        named.put(key, identity);
        return identity;
    }

    private void refuseWhenRestoring(String key) {
        if (restoring) {
            throw new IllegalStateException("the stored identities have none for " + key);
        }
    }
}
