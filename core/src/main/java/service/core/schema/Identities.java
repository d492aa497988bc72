package service.core.schema;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The source of stable identities for a compilation. A new schema mints them in the order of the calls; a restored
 * schema returns those that were minted then. Types and properties share one sequence; indexes have a dense sequence
 * for themselves.
 */
final class Identities {
    private final Map<String, Integer> named;
    private final Map<String, Integer> indexes;
    private final boolean restoring;
    private int next;

    private Identities(Map<String, Integer> named, Map<String, Integer> indexes, int next, boolean restoring) {
        this.named = named;
        this.indexes = indexes;
        this.next = next;
        this.restoring = restoring;
    }

    static Identities fresh() {
        return new Identities(new LinkedHashMap<>(), new LinkedHashMap<>(), 1, false);
    }

    static Identities restored(Map<String, Integer> named, Map<String, Integer> indexes, int next) {
        return new Identities(named, indexes, next, true);
    }

    int ofType(String type) {
        return of(type);
    }

    int ofProperty(String type, String property) {
        return of(type + "." + property);
    }

    /** Names an index by its type and its members in declared order. */
    int ofIndex(String type, String members) {
        String key = type + "(" + members + ")";
        Integer known = indexes.get(key);
        if (known != null) {
            return known;
        }
        refuseWhenRestoring(key);
        int identity = indexes.size();
        indexes.put(key, identity);
        return identity;
    }

    int next() {
        return next;
    }

    Map<String, Integer> named() {
        return named;
    }

    Map<String, Integer> indexes() {
        return indexes;
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
