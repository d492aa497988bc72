package service.core.schema;

import java.util.List;
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
 * @param wide the places of node types at the ends of edge types
 */
public record CarriedIdentities(
        Map<String, Integer> named,
        Map<String, Integer> indexes,
        Map<Integer, Value> missing,
        Set<String> backfilled,
        int nextIdentity,
        int nextIndex,
        Wide wide) {
    /**
     * What is carried of the edge types that ever had several node types at an end.
     *
     * @param ends by the name of the edge type
     * @param next the next number of such a type; greater than every one ever used in the graph
     */
    public record Wide(Map<String, Ends> ends, int next) {
        /** A graph that never had such an edge type. */
        public static final Wide NONE = new Wide(Map.of(), 0);

        public Wide {
            ends = Map.copyOf(ends);
        }
    }

    /**
     * The ends of an edge type.
     *
     * @param number of the type among those with several lanes; −1 for one that has only one yet
     * @param source identities of node types by place
     * @param destination identities of node types by place
     */
    public record Ends(int number, List<Integer> source, List<Integer> destination) {}

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
