package service.core.cluster;

import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * One resource of a cluster. Its digest covers its content and its bindings, so that a change of either is a change of
 * the resource.
 *
 * @param address {@code graph.<id>}, {@code schema.<id>}, {@code query.<id>.<name>} or {@code policy.<name>}
 * @param digest {@code sha256:<hex>}
 * @param content the content in the catalog; null for a graph, which has none
 * @param bindings the graph ids or {@code cluster} that a policy applies to; empty for other resources
 * @param settings retention and blob policy of a graph as JSON, or null
 */
record Resource(
        Kind kind,
        String address,
        String digest,
        @Nullable String content,
        List<String> bindings,
        @Nullable String settings) {
    /** In the order in which an apply creates them. */
    enum Kind {
        GRAPH("graph", ""),
        SCHEMA("schema", ".pg"),
        QUERY("query", ".gq"),
        POLICY("policy", ".yaml");

        private final String wireName;
        private final String extension;

        Kind(String wireName, String extension) {
            this.wireName = wireName;
            this.extension = extension;
        }

        static Kind ofAddress(String address) {
            String word = address.substring(0, Math.max(0, address.indexOf('.')));
            for (Kind kind : values()) {
                if (kind.wireName.equals(word)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no resource: " + address);
        }
    }

    static Resource graph(String id, String settings) {
        String address = "graph." + id;
        return new Resource(Kind.GRAPH, address, Stamps.of(address, settings), null, List.of(), settings);
    }

    static Resource schema(String graphId, String source) {
        String address = "schema." + graphId;
        return new Resource(Kind.SCHEMA, address, Stamps.of(address, source), source, List.of(), null);
    }

    static Resource query(String graphId, String name, String source) {
        String address = "query." + graphId + "." + name;
        return new Resource(Kind.QUERY, address, Stamps.of(address, source), source, List.of(), null);
    }

    static Resource policy(String name, String source, List<String> scopes) {
        String address = "policy." + name;
        List<String> sorted = scopes.stream().sorted().toList();
        return new Resource(
                Kind.POLICY, address, Stamps.of(address, source, String.join(",", sorted)), source, sorted, null);
    }

    /** This resource with a content, and with the digest that belongs to the content. */
    Resource withContent(String text) {
        return switch (kind) {
            case GRAPH -> this;
            case SCHEMA -> schema(graphId(), text);
            case QUERY -> query(graphId(), name(), text);
            case POLICY -> policy(name(), text, bindings);
        };
    }

    /** This resource without its content, as the ledger holds it. */
    Resource bare() {
        return new Resource(kind, address, digest, null, bindings, settings);
    }

    /** The stored queries of a graph among resources by address. */
    static Collection<Resource> queriesOf(String graphId, NavigableMap<String, Resource> resources) {
        String prefix = Kind.QUERY.wireName + "." + graphId + ".";
        return resources.subMap(prefix, prefix + Character.MAX_VALUE).values();
    }

    /** Whether it belongs to this graph. */
    boolean isOf(String graphId) {
        return kind != Kind.POLICY && graphId().equals(graphId);
    }

    /** The graph that a graph, schema or query belongs to. */
    String graphId() {
        return graphIdOf(address);
    }

    /** The graph that the address of a graph, schema or query names. */
    static String graphIdOf(String address) {
        String[] parts = address.split("\\.", 3);
        return parts[1];
    }

    /** The name of a query or policy. */
    String name() {
        return address.substring(address.lastIndexOf('.') + 1);
    }

    /** The path of the content in the catalog, below {@code __cluster/resources}. */
    static String catalogPath(String address, String digest) {
        Kind kind = Kind.ofAddress(address);
        return address.replace('.', '/') + "/" + Stamps.hex(digest) + kind.extension;
    }
}
