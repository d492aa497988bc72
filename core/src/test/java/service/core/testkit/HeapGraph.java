package service.core.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import service.core.event.Image;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType.EdgeType;
import service.core.value.PropertyRow;
import service.core.value.Value;

/**
 * One state of a graph in plain lists, entities of each type by ordinal. {@link HeapView} reads it. Not thread-safe.
 */
public final class HeapGraph {
    /** An entity; edges have ends, by ordinal. */
    public static final class Entity {
        public final int type;
        public final int ordinal;
        public final String id;
        public final Map<Integer, Value> properties = new TreeMap<>();
        public boolean live = true;
        public int source = -1;
        public int destination = -1;
        public int sourceType;
        public int destinationType;

        Entity(int type, int ordinal, String id) {
            this.type = type;
            this.ordinal = ordinal;
            this.id = id;
        }

        public Value get(int property) {
            return switch (property) {
                case Constraint.SRC -> new Value.Int(source);
                case Constraint.DST -> new Value.Int(destination);
                default -> properties.getOrDefault(property, Value.NULL);
            };
        }
    }

    public final Catalog catalog;
    private final Map<Integer, List<Entity>> entities = new TreeMap<>();
    private final Map<Integer, Map<String, Entity>> byId = new HashMap<>();

    public HeapGraph(Catalog catalog) {
        this.catalog = catalog;
    }

    /** All entities of a type, dead ones included. An entity's index is its ordinal. */
    public List<Entity> all(int type) {
        return entities.computeIfAbsent(type, added -> new ArrayList<>());
    }

    public List<Entity> live(int type) {
        return all(type).stream().filter(entity -> entity.live).toList();
    }

    /** The entity of an id, dead or live, or null. */
    public @Nullable Entity find(int type, String id) {
        return byId.getOrDefault(type, Map.of()).get(id);
    }

    public Entity add(int type, String id) {
        Entity entity = new Entity(type, all(type).size(), id);
        all(type).add(entity);
        byId.computeIfAbsent(type, added -> new HashMap<>()).putIfAbsent(id, entity);
        return entity;
    }

    public Entity addEdge(int type, String id, Entity from, Entity to) {
        Entity edge = add(type, id);
        join(edge, from, to);
        return edge;
    }

    /** Gives an entity its properties and, for an edge, its ends, which must have been added before. */
    public void set(Entity entity, Image image) {
        entity.live = true;
        entity.properties.putAll(image.properties().toMap());
        if (image.from() != null && image.to() != null) {
            EdgeType type = (EdgeType) catalog.requireType(entity.type);
            join(
                    entity,
                    require(type.source().type(image.fromType()), image.from()),
                    require(type.destination().type(image.toType()), image.to()));
        }
    }

    private static void join(Entity edge, Entity from, Entity to) {
        edge.source = from.ordinal;
        edge.sourceType = from.type;
        edge.destination = to.ordinal;
        edge.destinationType = to.type;
    }

    private Entity require(int type, String id) {
        Entity end = find(type, id);
        if (end == null) {
            throw new IllegalArgumentException("no entity " + id + " of type " + type);
        }
        return end;
    }

    /** The whole image of an entity. */
    public Image image(int type, int ordinal) {
        Entity entity = all(type).get(ordinal);
        PropertyRow properties = PropertyRow.of(entity.properties);
        return catalog.requireType(type) instanceof EdgeType edge
                ? new Image(
                        properties,
                        all(entity.sourceType).get(entity.source).id,
                        all(entity.destinationType).get(entity.destination).id,
                        edge.source().stored(entity.sourceType),
                        edge.destination().stored(entity.destinationType))
                : Image.ofNode(properties);
    }
}
