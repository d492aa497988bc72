package service.core.schema.migrate;

import java.util.List;
import java.util.Map;
import service.core.schema.Constraint;

/** A condition on the live entities of one type that a migration needs. Types and properties are identities. */
public sealed interface LiveCheck {
    int type();

    /** The type has no live entity. The only check of a type that the desired schema does not have. */
    record NoEntities(int type) implements LiveCheck {}

    /** No entity lacks a value of the property. */
    record Required(int type, int property) implements LiveCheck {}

    /** No value breaks a {@code @range} or {@code @check}. */
    record Values(int type, Constraint constraint) implements LiveCheck {}

    /** No two entities have the same values of the members; a null is never the same. */
    record Unique(int type, List<Integer> members) implements LiveCheck {}

    /** The id of each entity is the one that the key of the desired schema gives. */
    record Key(int type) implements LiveCheck {}

    /**
     * No edge ends at a node of a type that may not stand there any more.
     *
     * @param sources names of such types by identity
     * @param destinations names of such types by identity
     */
    record Ends(int type, Map<Integer, String> sources, Map<Integer, String> destinations) implements LiveCheck {}

    /** Each source with at least one edge of the type has as many as the desired {@code @card} allows. */
    record Card(int type) implements LiveCheck {}
}
