package service.core.gq.plan;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;
import service.core.value.ValueType;

/**
 * A variable of a pattern, bound to an entity, or of a {@code with}, bound to an entity or a value. Slots count from 0
 * over the whole query, in the order in which bindings and traversals first name the variables. Ties of a sort are
 * broken in the same order.
 *
 * @param name without the {@code $}; an anonymous variable ({@code $_}) has a name that no source can contain
 * @param kind null for a value
 * @param types the possible type identities, ascending; several for an interface or for alternatives of edges; none for
 *     a value
 * @param value the type of a value; null for an entity
 */
public record Variable(
        int slot,
        String name,
        @Nullable EntityKind kind,
        List<Integer> types,
        @Nullable ValueType value) {
    /** A variable that is bound to an entity. */
    public Variable(int slot, String name, EntityKind kind, List<Integer> types) {
        this(slot, name, kind, types, null);
    }

    /** The type of what the variable is bound to. */
    public ValueType type() {
        return value != null ? value : entity().type();
    }

    /** The entity that the variable is bound to. */
    public Expression.EntityOf entity() {
        return new Expression.EntityOf(slot, new ValueType.Entity(Objects.requireNonNull(kind), types));
    }
}
