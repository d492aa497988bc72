package service.core.gq.check;

import java.util.TreeSet;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.text.Span;
import service.core.value.ValueType;

/** What a stage leaves to the next one: it makes the variables of that. */
final class Leaving {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final PatternDeclarer declarer;
    final Scope scope;
    final Scope next;

    /**
     * What a stage leaves.
     *
     * @param declarer numbers the variables
     * @param scope the variables of the stage
     * @param next receives those of the next one
     */
    Leaving(QueryFindings findings, ParameterTable parameters, PatternDeclarer declarer, Scope scope, Scope next) {
        this.findings = findings;
        this.parameters = parameters;
        this.declarer = declarer;
        this.scope = scope;
        this.next = next;
    }

    /** Takes note of the names that are not left, which {@code with} drops. */
    void dropOthers(Span with) {
        scope.droppedNames().forEach(next::drop);
        for (String name : scope.visible().keySet()) {
            if (next.find(name) == null) {
                next.drop(name, with);
            }
        }
    }

    /**
     * Makes an item of {@code with} a variable of the next stage.
     *
     * @param isRanking whether the item is a ranking
     */
    void item(GqFile.Projection item, Expression expression, boolean isRanking) {
        String name = item.column();
        if (parameters.has(name)) {
            findings.note(
                    "T7",
                    item.span(),
                    "`$" + name + "` is a parameter and cannot be bound",
                    item.alias() == null
                            ? "leave it out: parameters are visible in every stage"
                            : "give the variable another name");
            return;
        }
        ValueType type = expression.type();
        Scope.Variable entity =
                expression instanceof Expression.EntityOf && item.expression() instanceof ExpressionSyntax.Dollar dollar
                        ? scope.find(dollar.name())
                        : null;
        if (entity != null) {
            if (entity.slot.name.equals(name)) {
                next.put(name, entity.seenFromWithin());
                return;
            }
            Scope.Slot slot = entity.slot.renamed(name, item.span().start());
            if (entity.types != null) {
                slot.types.addAll(entity.types);
            }
            declarer.add(slot);
            next.put(name, entity.seenIn(slot));
        } else if (type == null) {
            findings.note("T4", item.span(), "`$" + name + "` would be " + expression.typeName(), "leave it out");
        } else {
            put(name, type, item.span().start()).slot.isRanking = isRanking;
        }
    }

    /** Binds a new variable of the next stage. */
    Scope.Variable put(String name, ValueType type, int position) {
        Scope.Slot slot = Scope.Slot.of(name, type, position);
        declarer.add(slot);
        Scope.Variable variable = new Scope.Variable(slot, false);
        if (type instanceof ValueType.Entity entity) {
            variable.types = new TreeSet<>(entity.types());
            variable.bound = true;
        }
        next.put(name, variable);
        return variable;
    }
}
