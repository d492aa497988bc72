package service.core.schema;

import java.util.ArrayList;
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

    /**
     * Identities of the {@code @key} members in ascending order, of an edge {@link Constraint#SRC} and
     * {@link Constraint#DST} before them; empty when ids are free.
     */
    List<Integer> key();

    /** Whether an index is the one of the key. */
    default boolean isKey(IndexDefinition index) {
        return !key().isEmpty()
                && index.members().size() == key().size()
                && index.members().containsAll(key());
    }

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

    /** The index over a property alone; null without one. */
    default @Nullable IndexDefinition indexOver(int property) {
        for (IndexDefinition index : indexes()) {
            if (index.members().equals(List.of(property))) {
                return index;
            }
        }
        return null;
    }

    /** A node type. */
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

    /** An edge type. */
    record EdgeType(
            int identity,
            String name,
            List<Property> properties,
            List<Constraint> constraints,
            List<IndexDefinition> indexes,
            List<Annotation> annotations,
            Ends ends,
            List<Integer> key)
            implements EntityType {
        @Override
        public EntityKind kind() {
            return EntityKind.EDGE;
        }

        /** How many edges a source may have. */
        public Cardinality cardinality() {
            return ends.cardinality;
        }

        public EdgeEnd source() {
            return ends.source;
        }

        public EdgeEnd destination() {
            return ends.destination;
        }

        /** The end from which edges are followed. */
        public EdgeEnd near(Direction direction) {
            return direction == Direction.OUT ? ends.source : ends.destination;
        }

        /** The end to which edges lead that are followed in a direction. */
        public EdgeEnd far(Direction direction) {
            return direction == Direction.OUT ? ends.destination : ends.source;
        }

        /**
         * The edges that join nodes of two types, which stand at these ends or could once.
         *
         * @param source identity of a node type
         * @param destination identity of a node type
         */
        public Lane lane(int source, int destination) {
            int from = ends.source.place(source);
            int to = ends.destination.place(destination);
            if (from < 0 || to < 0) {
                throw new IllegalArgumentException(
                        "no edge of type " + identity + " joins types " + source + " and " + destination);
            }
            return new Lane(Lane.identity(identity, ends.number, from, to), identity, source, destination);
        }

        /** The lane of that identity, which is one of this type. */
        Lane laneOf(int lane) {
            return new Lane(
                    lane,
                    identity,
                    ends.source.places().get(Lane.sourcePlace(lane)),
                    ends.destination.places().get(Lane.destinationPlace(lane)));
        }

        /** Whether all its edges ever were of one lane. */
        public boolean hasOneLane() {
            return ends.hasOneLane();
        }

        /** All lanes that its edges can have. */
        public List<Lane> lanes() {
            List<Lane> lanes = new ArrayList<>();
            for (EdgeEnd.NodeName from : ends.source.types()) {
                for (EdgeEnd.NodeName to : ends.destination.types()) {
                    lanes.add(lane(from.identity(), to.identity()));
                }
            }
            return lanes;
        }

        /** The lanes by which a node of a type is left in a direction. */
        public List<Lane> lanes(Direction direction, int near) {
            List<Lane> lanes = new ArrayList<>();
            if (near(direction).has(near)) {
                for (EdgeEnd.NodeName far : far(direction).types()) {
                    lanes.add(direction == Direction.OUT ? lane(near, far.identity()) : lane(far.identity(), near));
                }
            }
            return lanes;
        }
    }

    /**
     * The node types that an edge type joins.
     *
     * @param number of the edge type among those with several lanes; 0 for one that has only one
     * @param cardinality how many edges a source may have
     */
    record Ends(EdgeEnd source, EdgeEnd destination, int number, Cardinality cardinality) {
        boolean hasOneLane() {
            return source.places().size() == 1 && destination.places().size() == 1;
        }
    }

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
