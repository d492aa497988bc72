package service.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Direction;
import service.core.value.EntityKind;

/** A node or edge type of a catalog. */
public sealed interface EntityType {
    int identity();

    String name();

    /** In source order, with the properties of interfaces first. */
    List<Property> properties();

    List<Constraint> constraints();

    List<IndexDefinition> indexes();

    List<Annotation> annotations();

    EntityKind kind();

    default @Nullable Property property(String name) {
        for (Property property : properties()) {
            if (property.name().equals(name)) {
                return property;
            }
        }
        return null;
    }

    default @Nullable Property property(int identity) {
        for (Property property : properties()) {
            if (property.identity() == identity) {
                return property;
            }
        }
        return null;
    }

    /**
     * A node type.
     *
     * @param key identities of the {@code @key} members in ascending order; empty when ids are free
     */
    record NodeType(
            int identity,
            String name,
            List<Property> properties,
            List<Constraint> constraints,
            List<IndexDefinition> indexes,
            List<Annotation> annotations,
            List<String> interfaces,
            List<Integer> key)
            implements EntityType {
        @Override
        public EntityKind kind() {
            return EntityKind.NODE;
        }
    }

    /**
     * An edge type.
     *
     * @param cardinality how many edges a source may have
     */
    record EdgeType(
            int identity,
            String name,
            List<Property> properties,
            List<Constraint> constraints,
            List<IndexDefinition> indexes,
            List<Annotation> annotations,
            Ends ends,
            Cardinality cardinality)
            implements EntityType {
        @Override
        public EntityKind kind() {
            return EntityKind.EDGE;
        }

        /** Identity of the node type at the source end. */
        public int source() {
            return ends.source;
        }

        /** Identity of the node type at the destination end. */
        public int destination() {
            return ends.destination;
        }

        /** Identity of the node type at the end from which edges are followed. */
        public int near(Direction direction) {
            return direction == Direction.OUT ? ends.source : ends.destination;
        }

        /** Identity of the node type to which edges lead that are followed in a direction. */
        public int far(Direction direction) {
            return direction == Direction.OUT ? ends.destination : ends.source;
        }
    }

    /** The identities of the node types that an edge type joins. */
    record Ends(int source, int destination) {}

    /**
     * The bounds of {@code @card}: how many edges of the type start at one node.
     *
     * @param max {@link Integer#MAX_VALUE} when there is no upper bound
     */
    record Cardinality(int min, int max) {
        /** The bounds of a type without {@code @card}. */
        public static final Cardinality ANY = new Cardinality(0, Integer.MAX_VALUE);

        /** Whether a number of edges can be outside of the bounds. */
        public boolean isBounded() {
            return !equals(ANY);
        }

        public boolean allows(int edges) {
            return min <= edges && edges <= max;
        }

        /** The bounds as a schema writes them: {@code 1..2}, or {@code 1..} without an upper one. */
        public String text() {
            return min + ".." + (max == Integer.MAX_VALUE ? "" : max);
        }
    }
}
