package service.core.gq.check;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.schema.InterfaceType;
import service.core.value.EntityKind;

/** The variables that a block sees: its own and those of the blocks around it. */
final class Scope {
    /** A variable of the plan. Its number is given when all variables of the query are known. */
    static final class Slot {
        final String name;
        final EntityKind kind;
        int firstNamed;
        final Set<Integer> types = new TreeSet<>();
        int number = -1;

        Slot(String name, EntityKind kind, int firstNamed) {
            this.name = name;
            this.kind = kind;
            this.firstNamed = firstNamed;
        }
    }

    /**
     * A variable as one block sees it: an inner block may bind it again and then knows it more closely than the block
     * around it.
     */
    static final class Variable {
        final Slot slot;

        /** Whether the block that sees it is the one that binds it. */
        final boolean own;

        /** The types it may take here; null until something says. */
        @Nullable
        Set<Integer> types;

        /** The interface through which it is seen, when no node type was named for it. */
        @Nullable
        InterfaceType seenAs;

        /** Whether a binding has named its type. */
        boolean bound;

        Variable(Slot slot, boolean own) {
            this.slot = slot;
            this.own = own;
        }

        Variable seenFromWithin() {
            Variable seen = new Variable(slot, false);
            seen.types = types;
            seen.seenAs = seenAs;
            seen.bound = bound;
            return seen;
        }

        String shown() {
            return "$" + slot.name;
        }
    }

    private final @Nullable Scope outer;
    private final Map<String, Variable> variables = new LinkedHashMap<>();

    Scope(@Nullable Scope outer) {
        this.outer = outer;
    }

    @Nullable
    Variable find(String name) {
        Variable found = variables.get(name);
        return found != null || outer == null ? found : outer.find(name);
    }

    /** The variable as this scope sees it: its own, or its own view of one from outside, which it may narrow. */
    Variable seenHere(String name, Variable found) {
        return variables.computeIfAbsent(name, ignored -> found.seenFromWithin());
    }

    void put(String name, Variable variable) {
        variables.put(name, variable);
    }

    Collection<Variable> own() {
        return variables.values().stream().filter(variable -> variable.own).toList();
    }

    /** Lets this scope see what an optional block within it has bound. */
    void takeFrom(Scope optional) {
        optional.variables.forEach((name, variable) -> {
            if (!variables.containsKey(name) && find(name) == null) {
                variables.put(name, variable.seenFromWithin());
            }
        });
    }

    /** The names in sight, for suggestions. */
    Set<String> names() {
        Set<String> names = outer == null ? new TreeSet<>() : outer.names();
        names.addAll(variables.keySet());
        return names;
    }
}
