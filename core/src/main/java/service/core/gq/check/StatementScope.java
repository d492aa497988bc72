package service.core.gq.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Parameter;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.Mentions;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.text.Span;
import service.core.value.EntityKind;
import service.core.value.ValueType;

/** The variables of the statements of a mutation. Slot 0 is the entity that a predicate is asked about. */
final class StatementScope {
    private static final Variable CURRENT = new Variable(0, "#entity", EntityKind.NODE, List.of());

    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private Scope scope = new Scope(null);

    /** The scopes around the current one, the innermost first. */
    private final Deque<Scope> outer = new ArrayDeque<>();

    /** The fields of the records of loops, by the name of the variable. */
    private final Map<String, Map<String, Scope.Slot>> records = new HashMap<>();

    /** All variables by slot, without the first. */
    private final List<Scope.Slot> slots = new ArrayList<>();

    /** The slots that hold the values of blocks, by the names of the outputs. */
    private final Map<String, Scope.Slot> blocks = new HashMap<>();

    /** Numbers the variables of the stages before the statements. */
    private final PatternDeclarer declarer;

    private final boolean hasMatch;

    /** Null without a match and without a block, and after a finding in the match. */
    private @Nullable StatementRows rows;

    /** @param match the stages before the statements; null without any */
    StatementScope(Catalog catalog, QueryFindings findings, ParameterTable parameters, GqFile.@Nullable Read match) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
        this.declarer = new PatternDeclarer(catalog, findings, parameters);
        this.hasMatch = match != null;
        if (match != null) {
            rows = rowsOf(match.stages());
        }
        if (rows != null) {
            rows.variables().forEach(this::take);
            rows.dropped().forEach(scope::drop);
        }
    }

    private @Nullable StatementRows rowsOf(List<GqFile.Stage> stages) {
        return new ReadChecker(catalog, findings, parameters).rows(stages, declarer);
    }

    /** What the statements run for; null when they run once. */
    Plan.@Nullable Read rows(GqFile.Query query) {
        return rows == null
                ? null
                : new Plan.Read(
                        query.name(), parameters.list(), query.annotations(), declarer.variables(), rows.stages());
    }

    /** Whether there are rows of a match, of which a statement with {@code where} sees none. */
    boolean hasMatch() {
        return hasMatch;
    }

    /** The value of a block in the rows of the match; without a match, in the one row for which the statements run. */
    Expression block(ExpressionSyntax.BlockValue block) {
        if (rows == null && !hasMatch) {
            rows = rowsOf(List.of(GqFile.Stage.empty(block.span())));
        }
        StatementRows of = rows;
        if (of == null) {
            throw findings.silent();
        }
        for (String name : Mentions.of(block)) {
            if (!of.has(name) && (scope.find(name) != null || records.containsKey(name))) {
                throw findings.refuse(
                        "T31",
                        block.span(),
                        "`$" + name + "` is bound by a statement, and a block sees what is there before the first one",
                        "bind it in the match before the statements, or ask after them with a query of its own");
            }
        }
        Plan.Output output = of.block(block);
        Scope.Slot slot = blocks.get(output.column());
        if (slot == null) {
            ValueType type = Objects.requireNonNull(output.expression().type());
            slot = Scope.Slot.of(output.column(), type, block.span().start());
            number(slot);
            blocks.put(output.column(), slot);
        }
        return new Expression.ValueOf(slot.number, Objects.requireNonNull(slot.value));
    }

    /** Makes a variable of the stages before the statements one of theirs, in the next slot. */
    private void take(Scope.Variable before) {
        Scope.Slot slot = before.slot.renamed(before.slot.name, before.slot.firstNamed);
        if (before.types != null) {
            slot.types.addAll(before.types);
        }
        number(slot);
        scope.put(slot.name, before.seenIn(slot));
    }

    /** Begins the statements of a loop: what they bind is not visible after it. */
    void enter() {
        outer.push(scope);
        scope = new Scope(scope);
    }

    /** Ends the statements of a loop. */
    void leave(ExpressionSyntax.Dollar variable) {
        records.remove(variable.name());
        scope = outer.pop();
    }

    boolean isInLoop() {
        return !outer.isEmpty();
    }

    /** Binds the elements of a loop to a variable. */
    Variable bindElement(ExpressionSyntax.Dollar variable, ValueType type) {
        requireNew(variable);
        Scope.Slot slot = Scope.Slot.of(variable.name(), type, variable.span().start());
        number(slot);
        Scope.Variable bound = new Scope.Variable(slot, false);
        if (slot.value == null) {
            bound.types = slot.types;
        }
        scope.put(variable.name(), bound);
        return variable(slot);
    }

    /** Binds the fields of the elements of a loop. */
    List<Variable> bindRecord(ExpressionSyntax.Dollar variable, List<Parameter> fields) {
        requireNew(variable);
        Map<String, Scope.Slot> slots = new LinkedHashMap<>();
        for (Parameter field : fields) {
            Scope.Slot slot = Scope.Slot.of(
                    variable.name() + "." + field.name(),
                    field.type(),
                    variable.span().start());
            number(slot);
            slots.put(field.name(), slot);
        }
        records.put(variable.name(), slots);
        return slots.values().stream().map(StatementScope::variable).toList();
    }

    /** The field of a record that a property names; null when the variable is no record. */
    @Nullable
    Expression field(ExpressionSyntax.Property property) {
        Map<String, Scope.Slot> fields = records.get(property.subject().name());
        if (fields == null) {
            return null;
        }
        Scope.Slot slot = fields.get(property.name());
        if (slot == null || slot.value == null) {
            throw findings.refuse(
                    "T2",
                    property.nameSpan(),
                    "the record `$" + property.subject().name() + "` has no field `" + property.name() + "`",
                    QueryFindings.nearOr(
                            property.name(), fields.keySet(), "it has " + String.join(", ", fields.keySet())));
        }
        return new Expression.ValueOf(slot.number, slot.value);
    }

    /**
     * What reads the type of an end, with the names of types: a statement reads images, which name them by numbers.
     *
     * @param edges the types of the edge
     */
    Expression named(Expression read, @Nullable Set<Integer> edges, Span span) {
        if (!(read instanceof Expression.EndTypeOf of) || edges == null) {
            return read;
        }
        Map<Integer, String> names = new HashMap<>();
        for (int identity : edges) {
            EdgeEnd end = ((EntityType.EdgeType) catalog.requireType(identity)).near(of.end());
            for (EdgeEnd.NodeName type : end.types()) {
                String other = names.put(end.stored(type.identity()), type.name());
                if (other != null && !other.equals(type.name())) {
                    throw findings.refuse(
                            "T4",
                            span,
                            "the types of this end differ between the types of the edge",
                            "bind the edge to one type, or read the type in a `with` before the statement");
                }
            }
        }
        return new Expression.EndTypeOf(of.slot(), of.end(), Map.copyOf(names));
    }

    /** Refuses a record where one value is needed. */
    void rejectRecord(ExpressionSyntax.Dollar dollar) {
        Map<String, Scope.Slot> fields = records.get(dollar.name());
        if (fields != null) {
            throw findings.refuse(
                    "T4",
                    dollar.span(),
                    "`$" + dollar.name() + "` is a whole record",
                    "name a field: `$" + dollar.name() + "."
                            + fields.keySet().iterator().next() + "`");
        }
    }

    private void requireNew(ExpressionSyntax.Dollar variable) {
        String name = variable.name();
        boolean isParameter = parameters.has(name);
        if (isParameter || scope.find(name) != null || records.containsKey(name)) {
            throw findings.refuse(
                    "T7",
                    variable.span(),
                    "`$" + name + "` is " + (isParameter ? "a parameter and cannot be bound" : "bound already"),
                    "give the variable another name");
        }
    }

    private void number(Scope.Slot slot) {
        slots.add(slot);
        slot.number = slots.size();
    }

    /**
     * Binds the entity that an insert makes.
     *
     * @param as null when it binds none
     * @return the slot, or −1
     */
    int bind(ExpressionSyntax.@Nullable Dollar as, EntityType type) {
        if (as == null) {
            return -1;
        }
        String name = as.name();
        requireNew(as);
        Scope.Slot slot = new Scope.Slot(name, type.kind(), as.span().start());
        slot.types.add(type.identity());
        number(slot);
        Scope.Variable variable = new Scope.Variable(slot, false);
        variable.types = slot.types;
        scope.put(name, variable);
        return slot.number;
    }

    /** The variable that a statement changes or deletes, or that an edge ends in. */
    Scope.Variable entity(ExpressionSyntax.Dollar dollar) {
        if (parameters.has(dollar.name())) {
            throw findings.refuse(
                    "T4",
                    dollar.span(),
                    "`$" + dollar.name() + "` is a parameter, not an entity",
                    "bind the entity in a match before the statement: `match { $x: Type { … } }`");
        }
        rejectRecord(dollar);
        if (scope.find(dollar.name()) == null && scope.names().isEmpty()) {
            throw findings.refuse(
                    "T6",
                    dollar.span(),
                    "the variable `$" + dollar.name() + "` is not bound",
                    "bind it in a match before the statement, or by `insert … as $" + dollar.name() + "`");
        }
        return names().entity(dollar, dollar.span());
    }

    /** The variables as names of expressions. */
    PatternEnvironment names() {
        return new PatternEnvironment(
                catalog, findings, parameters, scope, new PatternEnvironment.Names(Map.of(), null, null, null));
    }

    /** The variable in the plan. */
    Variable variable(Scope.Variable variable) {
        return variable(variable.slot);
    }

    private static Variable variable(Scope.Slot slot) {
        return new Variable(slot.number, slot.name, slot.kind, List.copyOf(slot.types), slot.value);
    }

    /** The variables by slot. */
    List<Variable> variables() {
        List<Variable> variables = new ArrayList<>(List.of(CURRENT));
        slots.forEach(slot -> variables.add(variable(slot)));
        return List.copyOf(variables);
    }

    /** The types of an entity, as messages show them. */
    String typesOf(Scope.Variable variable) {
        return Objects.requireNonNull(variable.types).stream()
                .map(type -> "`" + catalog.requireType(type).name() + "`")
                .collect(Collectors.joining(" or "));
    }

    /** The names in the values of an insert. */
    MutationEnvironment ofInsert() {
        return new MutationEnvironment(findings, parameters, null, false, this);
    }

    /** The names in the values of an update of what a predicate finds. */
    MutationEnvironment ofUpdate(EntityType type) {
        return new MutationEnvironment(findings, parameters, new MutationEnvironment.OfType(type), false, this);
    }

    /** The names in the values of an update of a variable. */
    MutationEnvironment ofBound(Scope.Variable variable) {
        return new MutationEnvironment(findings, parameters, new MutationEnvironment.OfVariable(variable), false, this);
    }

    /** The names in a predicate. */
    MutationEnvironment ofPredicate(EntityType type) {
        return new MutationEnvironment(findings, parameters, new MutationEnvironment.OfType(type), true, this);
    }

    /** The variables that are visible after the last statement. */
    Scope all() {
        return scope;
    }

    /** Whether there is any variable. */
    boolean isEmpty() {
        return slots.isEmpty();
    }
}
