package service.core.gq.check;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.schema.InterfaceType;
import service.core.text.Span;
import service.core.value.EntityKind;
import service.core.value.ValueType;

/** The variables that a block sees: those it binds and those of the enclosing blocks. */
final class Scope {
    /** A variable of the plan. Its number is assigned when all variables of its match are known. */
    static final class Slot {
        final String name;

        /** Null for a value. */
        final @Nullable EntityKind kind;

        /** The type of a value; null for an entity, and for a path until its traversal is resolved. */
        @Nullable
        ValueType value;

        /** What is asked of a path: the slots of its length and of its cost; null for what is no path. */
        @Nullable
        Facets facets;

        /** Whether it is the value of a ranking. */
        boolean isRanking;

        int firstNamed;
        final Set<Integer> types = new TreeSet<>();
        int number = -1;

        Slot(String name, EntityKind kind, int firstNamed) {
            this(name, kind, null, firstNamed);
        }

        /** A slot for a path. */
        Slot(String name, int firstNamed) {
            this(name, null, null, firstNamed);
        }

        private Slot(String name, @Nullable EntityKind kind, @Nullable ValueType value, int firstNamed) {
            this.name = name;
            this.kind = kind;
            this.value = value;
            this.firstNamed = firstNamed;
        }

        /** An output that keeps the value in its slot. */
        Plan.Output carried() {
            return new Plan.Output(name, new Expression.ValueOf(number, Objects.requireNonNull(value)), number);
        }

        /** A slot for the same entity under another name. */
        Slot renamed(String to, int position) {
            return new Slot(to, kind, value, position);
        }

        /** A slot for what has a type. */
        static Slot of(String name, ValueType type, int firstNamed) {
            if (!(type instanceof ValueType.Entity entity)) {
                return new Slot(name, null, type, firstNamed);
            }
            Slot slot = new Slot(name, entity.kind(), firstNamed);
            slot.types.addAll(entity.types());
            return slot;
        }
    }

    /** The slots of what is asked of a path. */
    record Facets(Slot length, Slot cost) {}

    /**
     * A variable as one block sees it. An inner block may bind an outer variable again and thereby narrow its types
     * there.
     */
    static final class Variable {
        final Slot slot;

        /** Whether this block binds the variable. */
        final boolean own;

        /** The possible types in this block; null until a clause determines them. */
        @Nullable
        Set<Integer> types;

        /** The interface that the variable was declared with, if it was declared with no node type. */
        @Nullable
        InterfaceType seenAs;

        /** Whether an optional block of this match binds it. */
        boolean optional;

        /** Whether a binding has declared its type. */
        boolean bound;

        /** The names of the properties that it offers; null until one is asked for. */
        @Nullable
        Set<String> offered;

        /** Its properties that were asked for, so that each is resolved, and kept, once. */
        final Map<String, Expression.PropertyOf> properties = new HashMap<>();

        Variable(Slot slot, boolean own) {
            this.slot = slot;
            this.own = own;
        }

        Variable seenFromWithin() {
            return seenIn(slot);
        }

        /** The same variable in another slot. */
        Variable seenIn(Slot of) {
            Variable seen = new Variable(of, false);
            seen.types = types;
            seen.seenAs = seenAs;
            seen.bound = bound;
            return seen;
        }

        /** The type of the entity; call it for a variable of one. */
        ValueType.Entity entityType() {
            return new ValueType.Entity(Objects.requireNonNull(slot.kind), List.copyOf(Objects.requireNonNull(types)));
        }

        String shown() {
            return "$" + slot.name;
        }
    }

    private final @Nullable Scope outer;
    private final boolean ofStep;
    private final Map<String, Variable> variables = new LinkedHashMap<>();

    /** Names that a {@code with} before this stage has dropped, with its place. */
    private final Map<String, Span> dropped = new HashMap<>();

    /** Names of variables of steps within this scope, which are not visible in it. */
    private final Set<String> ofSteps = new TreeSet<>();

    Scope(@Nullable Scope outer) {
        this(outer, false);
    }

    private Scope(@Nullable Scope outer, boolean ofStep) {
        this.outer = outer;
        this.ofStep = ofStep;
    }

    /** The scope of a step of a path. */
    static Scope ofStep(Scope outer) {
        return new Scope(outer, true);
    }

    @Nullable
    Variable find(String name) {
        Variable found = variables.get(name);
        return found != null || outer == null ? found : outer.find(name);
    }

    /** The variable as this scope sees it. For an outer variable this scope makes a view that it may narrow. */
    Variable seenHere(String name, Variable found) {
        return variables.computeIfAbsent(name, ignored -> found.seenFromWithin());
    }

    void put(String name, Variable variable) {
        variables.put(name, variable);
    }

    Collection<Variable> own() {
        return variables.values().stream().filter(variable -> variable.own).toList();
    }

    /**
     * The slots of the entities of a row, in the order in which they are named first: without those of outer blocks.
     */
    List<Slot> ofRow() {
        return variables.values().stream()
                .filter(variable -> outer == null || variable.own || variable.optional)
                .filter(variable -> variable.types != null && !variable.slot.name.startsWith("#"))
                .map(variable -> variable.slot)
                .filter(slot -> slot.value == null)
                .sorted(Comparator.comparingInt(slot -> slot.number))
                .toList();
    }

    /** The variables that this scope has bound or seen, and those of its optional blocks. */
    Map<String, Variable> visible() {
        return variables;
    }

    /**
     * The match around the step that this scope is in or within; null where that step or a block in it binds a name.
     */
    @Nullable
    Scope aroundStep(String name) {
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Variable known = scope.variables.get(name);
            if (known != null && known.own) {
                return null;
            }
            if (scope.ofStep) {
                return scope.outer;
            }
        }
        return null;
    }

    /** Whether an optional block of this match binds a name. */
    boolean isOptional(String name) {
        Variable known = variables.get(name);
        return known != null && known.optional;
    }

    /** Takes note of the name of a variable of a step. */
    void hide(String name) {
        ofSteps.add(name);
    }

    /** Whether a name is that of a variable of a step, which is not visible here. */
    boolean isOfStep(String name) {
        return ofSteps.contains(name) || (outer != null && outer.isOfStep(name));
    }

    /** Takes note that a {@code with} has left a name out. */
    void drop(String name, Span with) {
        dropped.put(name, with);
    }

    Map<String, Span> droppedNames() {
        return dropped;
    }

    /** The {@code with} that has left a name out, or null. */
    @Nullable
    Span droppedBy(String name) {
        Span with = dropped.get(name);
        return with != null || outer == null ? with : outer.droppedBy(name);
    }

    /** Adds the variables that an optional block within this one has bound. */
    void takeFrom(Scope optional) {
        optional.variables.forEach((name, variable) -> {
            if (!variables.containsKey(name) && find(name) == null) {
                Variable seen = variable.seenFromWithin();
                seen.optional = true;
                variables.put(name, seen);
            }
        });
    }

    /** Adds the variables that an optional block has bound in its parts, of which this is the scope of the last. */
    void takeWithin(Scope last) {
        for (Scope scope = last; scope != null && scope != this; scope = scope.outer) {
            takeFrom(scope);
        }
    }

    /** The visible names, for suggestions. */
    Set<String> names() {
        Set<String> names = outer == null ? new TreeSet<>() : outer.names();
        names.addAll(variables.keySet());
        return names;
    }
}
