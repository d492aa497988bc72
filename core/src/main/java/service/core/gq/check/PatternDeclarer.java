package service.core.gq.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ClauseSyntax.Binding;
import service.core.gq.syntax.ClauseSyntax.Block;
import service.core.gq.syntax.ClauseSyntax.Traversal;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.InterfaceType;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/**
 * Finds the variables of a match and their types, from the outermost block inwards. The order of clauses does not
 * matter: within a block it takes all names first, then the types that bindings declare, then the types that traversals
 * imply, then the optional blocks (later blocks see their variables), then the other blocks.
 */
final class PatternDeclarer {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final EdgeResolver edges;
    private final List<Scope.Slot> slots = new ArrayList<>();
    private int anonymous;

    PatternDeclarer(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.edges = new EdgeResolver(catalog, findings);
    }

    /**
     * Declares the variables of the match of a stage.
     *
     * @param scope the variables that the stage before has left; receives those of the match
     */
    BlockScope declareStage(Block match, Scope scope) {
        return numbered(match, scope);
    }

    /**
     * Declares the variables of a block that stands as a value where the variables around it have their numbers.
     *
     * @param outer the variables that it sees
     */
    BlockScope declareWithin(Block block, Scope outer) {
        return numbered(block, new Scope(outer));
    }

    private BlockScope numbered(Block block, Scope scope) {
        int before = slots.size();
        BlockScope declared = declare(block, scope);
        slots.subList(before, slots.size()).sort(Comparator.comparingInt(slot -> slot.firstNamed));
        for (int i = before; i < slots.size(); i++) {
            slots.get(i).number = i;
        }
        return declared;
    }

    /** Gives a number to a variable that a {@code with} binds. */
    void add(Scope.Slot slot) {
        slot.number = slots.size();
        slots.add(slot);
    }

    /** The variables of the plan, by slot. */
    List<Variable> variables() {
        return slots.stream()
                .map(slot -> new Variable(slot.number, slot.name, slot.kind, List.copyOf(slot.types), slot.value))
                .toList();
    }

    private BlockScope declare(Block block, Scope scope) {
        BlockScope result = new BlockScope(block, scope);
        for (ClauseSyntax clause : block.clauses()) {
            nameVariables(clause, result);
        }
        for (ClauseSyntax clause : block.clauses()) {
            if (clause instanceof Binding binding) {
                findings.attempt(() -> bind(binding, result));
            }
        }
        joinTraversals(result);
        for (Scope.Variable variable : scope.own()) {
            if (variable.types != null) {
                variable.slot.types.addAll(variable.types);
            }
        }
        declareInner(result, true);
        declareInner(result, false);
        return result;
    }

    private void declareInner(BlockScope result, boolean optional) {
        for (ClauseSyntax clause : result.block.clauses()) {
            if (clause instanceof ClauseSyntax.OptionalBlock == optional) {
                for (Block inner : BlockScope.blocksOf(clause)) {
                    if (inner.isDivided()) {
                        // Its variables are declared where it is built, part by part.
                        continue;
                    }
                    BlockScope declared = declare(inner, new Scope(result.scope));
                    result.inner.put(inner, declared);
                    if (optional) {
                        result.scope.takeFrom(declared.scope);
                    }
                }
            }
        }
    }

    private void nameVariables(ClauseSyntax clause, BlockScope result) {
        switch (clause) {
            case Binding binding -> findings.attempt(() -> nameNode(binding.variable(), result));
            case Traversal traversal -> {
                findings.attempt(() -> nameNode(traversal.left(), result));
                VariableSyntax edge = traversal.edge();
                if (edge != null && (traversal.hops() != null || traversal.mode() != null)) {
                    findings.attempt(() -> namePath(edge, result));
                } else if (edge != null) {
                    findings.attempt(() -> nameEdge(edge, result));
                }
                findings.attempt(() -> nameNode(traversal.right(), result));
            }
            case ClauseSyntax.Filter ignored -> {}
            case ClauseSyntax.Given ignored -> throw new IllegalStateException("a block that is not divided");
            case ClauseSyntax.OptionalBlock ignored -> {}
        }
    }

    private void nameNode(VariableSyntax syntax, BlockScope result) {
        String name = syntax.name();
        if (name == null) {
            result.variables.put(syntax, mint("#" + ++anonymous, EntityKind.NODE, syntax, result));
            return;
        }
        rejectParameter(syntax);
        Scope.Variable known = result.scope.find(name);
        if (known == null) {
            known = mint(name, EntityKind.NODE, syntax, result);
        } else if (known.slot.facets != null) {
            throw findings.refuse(
                    "T32",
                    syntax.span(),
                    "`$" + name + "` is a path and cannot be used as a node",
                    "name the node at its end, such as `$b` in `$a $" + name + ":knows{1,6} $b`");
        } else if (known.slot.value != null) {
            throw findings.refuse(
                    "T7",
                    syntax.span(),
                    "`$" + name + "` is a value of type " + known.slot.value + " and cannot be used as a node",
                    "give the node another name and compare a property with the value");
        } else if (known.slot.kind == EntityKind.EDGE) {
            throw findings.refuse(
                    "T23",
                    syntax.span(),
                    "`$" + name + "` is an edge variable and cannot be used as a node",
                    "ask for its ends with `$" + name + ".@src` and `$" + name + ".@dst`, or name the end nodes");
        }
        BlockScope.StepScope.refuseUnknown(result.scope, known, syntax.span(), findings);
        // A block may come before the clause that binds a variable of the enclosing block.
        known.slot.firstNamed = Math.min(known.slot.firstNamed, syntax.span().start());
        result.variables.put(syntax, result.scope.seenHere(name, known));
    }

    private void nameEdge(VariableSyntax syntax, BlockScope result) {
        String name = syntax.name();
        if (name == null) {
            result.variables.put(syntax, mint("#" + ++anonymous, EntityKind.EDGE, syntax, result));
            return;
        }
        rejectParameter(syntax);
        Scope.Variable known = result.scope.find(name);
        if (known != null) {
            boolean isPath = known.slot.facets != null;
            throw findings.refuse(
                    isPath ? "T32" : "T23",
                    syntax.span(),
                    "`$"
                            + name
                            + "` is already bound"
                            + (isPath
                                    ? " as a path"
                                    : known.slot.kind == EntityKind.EDGE
                                            ? " as an edge"
                                            : known.slot.kind == null ? " to a value" : " as a node"),
                    "an edge variable is named once; give this one another name");
        }
        result.variables.put(syntax, mint(name, EntityKind.EDGE, syntax, result));
    }

    private void namePath(VariableSyntax syntax, BlockScope result) {
        String name = syntax.name();
        if (name != null) {
            rejectParameter(syntax);
            if (result.scope.find(name) != null) {
                throw findings.refuse(
                        "T32",
                        syntax.span(),
                        "`$" + name + "` is already bound",
                        "a path variable is named once; give this one another name");
            }
        }
        String own = name == null ? "#" + ++anonymous : name;
        Scope.Slot slot = new Scope.Slot(own, syntax.span().start());
        Scope.Slot length = Scope.Slot.of("#length of " + own, PropertyType.I64, slot.firstNamed);
        Scope.Slot cost = Scope.Slot.of("#cost of " + own, PropertyType.F64, slot.firstNamed);
        slot.facets = new Scope.Facets(length, cost);
        slots.addAll(List.of(slot, length, cost));
        Scope.Variable variable = new Scope.Variable(slot, true);
        result.scope.put(own, variable);
        result.variables.put(syntax, variable);
    }

    private ValueType.Path path(Traversal traversal, Set<Integer> edgeTypes) {
        Set<Integer> passed = new TreeSet<>(edges.passed(edgeTypes, true, Direction.OUT));
        ClauseSyntax.Step step =
                traversal.hops() == null ? null : traversal.hops().step();
        ClauseSyntax.Mode mode = traversal.mode();
        boolean isCheapest = mode != null && mode.mode() == Walk.Mode.CHEAPEST;
        return new ValueType.Path(
                new ValueType.Entity(EntityKind.NODE, List.copyOf(passed)),
                new ValueType.Entity(EntityKind.EDGE, List.copyOf(edgeTypes)),
                isCheapest || (step != null && step.by() != null));
    }

    private BlockScope.@Nullable StepScope step(Traversal traversal, Set<Integer> edgeTypes, BlockScope result) {
        ClauseSyntax.Step step =
                traversal.hops() == null ? null : traversal.hops().step();
        if (step == null) {
            return null;
        }
        boolean undirected = traversal.edges().undirected();
        Scope scope = Scope.ofStep(result.scope);
        Set<Integer> sources = edges.passed(edgeTypes, undirected, Direction.OUT);
        Set<Integer> destinations = edges.passed(edgeTypes, undirected, Direction.IN);
        return new BlockScope.StepScope(
                scope,
                stepVariable(step.source(), EntityKind.NODE, sources, scope, result),
                stepVariable(step.edge(), EntityKind.EDGE, edgeTypes, scope, result),
                stepVariable(step.destination(), EntityKind.NODE, destinations, scope, result));
    }

    private Scope.Variable stepVariable(
            VariableSyntax syntax, EntityKind kind, Set<Integer> types, Scope scope, BlockScope result) {
        String name = syntax.name() == null ? "#" + ++anonymous : syntax.name();
        if (syntax.name() != null) {
            rejectParameter(syntax);
            if (scope.find(name) != null) {
                throw findings.refuse(
                        "T32",
                        syntax.span(),
                        "`$" + name + "` is already bound and cannot be a variable of a step",
                        "the three variables of a step are new ones: its source, its edge and its destination");
            }
            result.scope.hide(name);
        }
        Scope.Slot slot = new Scope.Slot(name, kind, syntax.span().start());
        slots.add(slot);
        slot.types.addAll(types);
        Scope.Variable variable = new Scope.Variable(slot, true);
        variable.types = types;
        variable.bound = true;
        scope.put(name, variable);
        return variable;
    }

    private void rejectParameter(VariableSyntax syntax) {
        String name = syntax.name();
        if (name != null && parameters.has(name)) {
            throw findings.refuse(
                    "T7",
                    syntax.span(),
                    "`$" + name + "` is a parameter and cannot be bound",
                    "give the variable another name and compare: `$x.@id = $" + name + "`");
        }
    }

    private Scope.Variable mint(String name, EntityKind kind, VariableSyntax syntax, BlockScope result) {
        Scope.Slot slot = new Scope.Slot(name, kind, syntax.span().start());
        slots.add(slot);
        Scope.Variable variable = new Scope.Variable(slot, true);
        result.scope.put(name, variable);
        return variable;
    }

    private void bind(Binding binding, BlockScope result) {
        Scope.Variable variable = result.variable(binding.variable());
        Set<Integer> types = new TreeSet<>();
        InterfaceType seenAs = resolveType(binding, types);
        if (variable == null) {
            return;
        }
        if (!variable.own && variable.types != null) {
            result.narrowings.add(new BlockScope.Narrowing(variable, types));
        }
        if (variable.types == null) {
            variable.types = types;
            variable.seenAs = seenAs;
            variable.bound = true;
            return;
        }
        Set<Integer> common = new TreeSet<>(variable.types);
        common.retainAll(types);
        if (common.isEmpty()) {
            throw findings.refuse(
                    "T7",
                    binding.typeSpan(),
                    "`"
                            + variable.shown()
                            + "` is already bound to "
                            + names(variable.types)
                            + " and cannot be `"
                            + binding.type()
                            + "` as well",
                    "give the second node another name");
        }
        variable.types = common;
        variable.bound = true;
        if (seenAs == null) {
            variable.seenAs = null;
        }
    }

    private @Nullable InterfaceType resolveType(Binding binding, Set<Integer> types) {
        EntityType.NodeType node = catalog.node(binding.type());
        if (node != null) {
            types.add(node.identity());
            return null;
        }
        InterfaceType found = catalog.interfaceType(binding.type());
        if (found != null) {
            types.addAll(found.implementers());
            if (types.isEmpty()) {
                throw findings.refuse(
                        "T1", binding.typeSpan(), "no node type implements the interface `" + found.name() + "`", null);
            }
            return found;
        }
        EntityType.EdgeType edge = catalog.edge(binding.type());
        if (edge != null) {
            String lowered = EdgeResolver.written(edge.name());
            throw findings.refuse(
                    "T1",
                    binding.typeSpan(),
                    "`" + binding.type() + "` is an edge type, not a node type",
                    "bind an edge by following it: `$a $w:" + lowered + " $b`");
        }
        List<String> known =
                new ArrayList<>(catalog.nodes().stream().map(EntityType::name).toList());
        catalog.interfaces().forEach(type -> known.add(type.name()));
        throw findings.refuse(
                "T1",
                binding.typeSpan(),
                "there is no node type `" + binding.type() + "`",
                QueryFindings.nearOr(binding.type(), known, listOf(known)));
    }

    private static @Nullable String listOf(List<String> known) {
        if (known.isEmpty() || known.size() > 12) {
            return null;
        }
        return "the node types are " + String.join(", ", known);
    }

    private String names(Set<Integer> types) {
        return types.stream()
                .limit(4)
                .map(type -> "`" + catalog.requireType(type).name() + "`")
                .collect(Collectors.joining(", "));
    }

    /** Named edges first: they determine the types of ends that wildcards depend on. */
    private void joinTraversals(BlockScope result) {
        List<Traversal> traversals = result.block.clauses().stream()
                .filter(Traversal.class::isInstance)
                .map(Traversal.class::cast)
                .toList();
        for (boolean wildcard : new boolean[] {false, true}) {
            for (Traversal traversal : traversals) {
                if (traversal.edges().wildcard() == wildcard) {
                    findings.attempt(() -> join(traversal, result));
                }
            }
        }
        result.traversals.sort(
                Comparator.comparingInt(joined -> joined.syntax().span().start()));
    }

    private void join(Traversal traversal, BlockScope result) {
        Scope.Variable left = result.variable(traversal.left());
        Scope.Variable right = result.variable(traversal.right());
        if (left == null || right == null) {
            throw findings.silent();
        }
        VariableSyntax edgeSyntax = traversal.edge();
        Scope.Variable edge = edgeSyntax == null ? null : result.variable(edgeSyntax);
        Set<Integer> edgeTypes = edges.resolve(traversal, left, right);
        if (edge != null && edge.slot.facets == null) {
            edge.types = edgeTypes;
            edge.bound = true;
        }
        if (edge != null && edge.slot.facets != null) {
            edge.slot.value = path(traversal, edgeTypes);
        }
        BlockScope.StepScope step = step(traversal, edgeTypes, result);
        result.traversals.add(new BlockScope.Joined(traversal, left, edge, right, edgeTypes, step));
        edges.checkHops(traversal);
    }
}
