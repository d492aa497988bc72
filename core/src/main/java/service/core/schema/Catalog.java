package service.core.schema;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/**
 * A compiled schema: the types of a graph by name and by stable identity. Immutable; safe between threads.
 *
 * <p>Names of node types and interfaces are case-sensitive; names of edge types are not.
 */
public final class Catalog {
    private final String source;
    private final String digest;
    private final Next next;

    /** Computed on first use; two threads compute the same text. */
    private volatile @Nullable String fingerprint;

    private final Map<String, EntityType.NodeType> nodesByName = new LinkedHashMap<>();
    private final Map<String, EntityType.EdgeType> edgesByLowerName = new LinkedHashMap<>();
    private final Map<Integer, EntityType.EdgeType> edgesByNumber = new HashMap<>();
    private final Map<String, InterfaceType> interfacesByName = new LinkedHashMap<>();
    private final Map<Integer, EntityType> byIdentity = new LinkedHashMap<>();
    private final Map<Integer, RowShape> shapes = new HashMap<>();
    private final Map<Integer, Value> missing = new HashMap<>();

    /**
     * The identities that follow those in use.
     *
     * @param identity the next stable identity of a type or property
     * @param index the next identity of an index
     * @param wide the next number of an edge type with several lanes
     */
    public record Next(int identity, int index, int wide) {}

    /**
     * Indexes the types of a compiled schema.
     *
     * @param source the schema text that was compiled
     * @param digest {@code sha256:<hex>} of the source
     * @param next the identities that a migration may mint
     */
    public Catalog(
            String source,
            String digest,
            Next next,
            List<EntityType.NodeType> nodes,
            List<EntityType.EdgeType> edges,
            List<InterfaceType> interfaces) {
        this.source = source;
        this.digest = digest;
        this.next = next;
        nodes.forEach(node -> {
            nodesByName.put(node.name(), node);
            byIdentity.put(node.identity(), node);
        });
        edges.forEach(edge -> {
            if (!edge.hasOneLane()) {
                edgesByNumber.put(edge.ends().number(), edge);
            }
            edgesByLowerName.put(edge.name().toLowerCase(Locale.ROOT), edge);
            byIdentity.put(edge.identity(), edge);
        });
        interfaces.forEach(type -> interfacesByName.put(type.name(), type));
        int named = interfaces.size();
        for (InterfaceType type : interfaces) {
            named += type.properties().size();
        }
        for (EntityType type : byIdentity.values()) {
            named += 1 + type.properties().size();
        }
        boolean dropped = named < next.identity - 1;
        byIdentity.forEach((identity, type) -> {
            shapes.put(identity, new RowShape(type.properties(), dropped));
            for (Property property : type.properties()) {
                if (property.missing() != null) {
                    missing.put(property.identity(), property.missing());
                }
            }
        });
    }

    /** A catalog whose next index identity follows those of its indexes. */
    public Catalog(
            String source,
            String digest,
            int nextIdentity,
            List<EntityType.NodeType> nodes,
            List<EntityType.EdgeType> edges,
            List<InterfaceType> interfaces) {
        this(
                source,
                digest,
                new Next(
                        nextIdentity,
                        1
                                + Stream.<EntityType>concat(nodes.stream(), edges.stream())
                                        .flatMap(type -> type.indexes().stream())
                                        .mapToInt(IndexDefinition::identity)
                                        .max()
                                        .orElse(-1),
                        0),
                nodes,
                edges,
                interfaces);
    }

    public String source() {
        return source;
    }

    public String digest() {
        return digest;
    }

    public int nextIdentity() {
        return next.identity;
    }

    public int nextIndex() {
        return next.index;
    }

    public int nextWide() {
        return next.wide;
    }

    /**
     * Names this schema with its identities, as {@code sha256:<hex>}. Two schemas of equal text have the same digest,
     * but after a migration and back not the same identities; whatever was compiled against one must not run against
     * the other.
     */
    public String fingerprint() {
        String known = fingerprint;
        if (known == null) {
            known = SchemaCompiler.digest(
                    (digest + HexFormat.of().formatHex(CatalogCodec.encode(this))).getBytes(StandardCharsets.UTF_8));
            fingerprint = known;
        }
        return known;
    }

    public Collection<EntityType.NodeType> nodes() {
        return nodesByName.values();
    }

    public Collection<EntityType.EdgeType> edges() {
        return edgesByLowerName.values();
    }

    public Collection<InterfaceType> interfaces() {
        return interfacesByName.values();
    }

    public EntityType.@Nullable NodeType node(String name) {
        return nodesByName.get(name);
    }

    public EntityType.@Nullable EdgeType edge(String name) {
        return edgesByLowerName.get(name.toLowerCase(Locale.ROOT));
    }

    public @Nullable InterfaceType interfaceType(String name) {
        return interfacesByName.get(name);
    }

    /** The type of that identity, or null when this schema does not have it. */
    public @Nullable EntityType type(int identity) {
        return byIdentity.get(identity);
    }

    /** The lane of that identity, which an edge type has or once had. */
    public Lane lane(int identity) {
        EntityType type = Lane.isOther(identity) ? edgesByNumber.get(Lane.number(identity)) : byIdentity.get(identity);
        if (type instanceof EntityType.EdgeType edge) {
            return edge.laneOf(identity);
        }
        throw new IllegalStateException("no edge type has the lane " + identity);
    }

    /** How stored rows of a type of this schema are shown. */
    public RowShape shape(int type) {
        RowShape shape = shapes.get(type);
        if (shape == null) {
            throw new IllegalStateException("no type has the identity " + type);
        }
        return shape;
    }

    /** The value of a property in entities that are older than the property, or null. */
    public @Nullable Value missing(int property) {
        return missing.isEmpty() ? null : missing.get(property);
    }

    /** The type of that identity, which data refers to: a missing type is a fault of the service. */
    public EntityType requireType(int identity) {
        EntityType type = byIdentity.get(identity);
        if (type == null) {
            throw new IllegalStateException("no type has the identity " + identity);
        }
        return type;
    }
}
