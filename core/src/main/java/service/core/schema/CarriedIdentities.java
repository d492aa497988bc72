package service.core.schema;

import java.util.Map;
import java.util.Set;
import service.core.value.Value;

/**
 * What the compilation of a changed schema takes over from the schema before it. Everything that it does not name gets
 * a new identity.
 *
 * @param named identities by {@code Type} or {@code Type.property}, under the names of the new schema
 * @param indexes identities of indexes by {@code Type(member,member)}, under the names of the new schema
 * @param missing by property identity, the value of entities that were stored before the property existed
 * @param backfilled {@code Type.property} of new properties whose default becomes that value
 * @param nextIdentity the next identity of a type or property; greater than every one ever used in the graph
 * @param nextIndex the next identity of an index; greater than every one ever used in the graph
 */
public record CarriedIdentities(
        Map<String, Integer> named,
        Map<String, Integer> indexes,
        Map<Integer, Value> missing,
        Set<String> backfilled,
        int nextIdentity,
        int nextIndex) {
    public CarriedIdentities {
        named = Map.copyOf(named);
        indexes = Map.copyOf(indexes);
        missing = Map.copyOf(missing);
        backfilled = Set.copyOf(backfilled);
    }

    /** The key of a property in {@link #named}. */
    public static String property(String type, String property) {
        return type + "." + property;
    }

    /** The key of an index in {@link #indexes}. */
    public static String index(String type, Iterable<String> members) {
        return type + "(" + String.join(",", members) + ")";
    }
}
