package service.core.gq.eval;

import org.jspecify.annotations.Nullable;
import service.core.value.Value;

/** The variables of one row of a mutation, by slot from 1. One thread. */
public interface VariableRow {
    /** The entity of a slot as it is now; null where the slot holds none, and when it was deleted. */
    @Nullable
    EntityRow entity(int slot);

    /** The entity of a view that a value is, as it is now; null when it was deleted. */
    @Nullable
    EntityRow entity(Value.Entity value);

    /** The value of a slot that holds values. */
    Value value(int slot);
}
