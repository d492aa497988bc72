package service.core.schema;

import java.util.List;
import org.jspecify.annotations.Nullable;
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
     * @param source identity of the node type at the source end
     * @param destination identity of the node type at the destination end
     * @param minPerSource lower bound of {@code @card}, 0 when there is none
     * @param maxPerSource upper bound of {@code @card}, {@link Integer#MAX_VALUE} when there is none
     */
    record EdgeType(
            int identity,
            String name,
            List<Property> properties,
            List<Constraint> constraints,
            List<IndexDefinition> indexes,
            List<Annotation> annotations,
            int source,
            int destination,
            int minPerSource,
            int maxPerSource)
            implements EntityType {
        @Override
        public EntityKind kind() {
            return EntityKind.EDGE;
        }
    }
}
