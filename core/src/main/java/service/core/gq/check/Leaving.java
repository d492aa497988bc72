package service.core.gq.check;

import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.text.Span;
import service.core.value.ValueType;

/** What a stage, or a part of a block, leaves to the next one: it makes the variables of that. */
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

    /**
     * Checks a {@code let} or a {@code for}, and makes its variable one of what follows.
     *
     * @param environment of its expression
     */
    Plan.Output given(ClauseSyntax.Given given, PatternEnvironment environment) {
        return switch (given) {
            case ClauseSyntax.Let let -> {
                Expression value = ValueTypes.typed(
                        new ExpressionChecker(findings, parameters, environment, "`let`").check(let.value()));
                yield given(let.variable(), value, value.type(), false);
            }
            case ClauseSyntax.For each -> {
                Expression list = ValueTypes.typed(
                        new ExpressionChecker(findings, parameters, environment, "`for`").check(each.list()));
                if (list.family() != Family.LIST) {
                    throw findings.refuse(
                            "T4",
                            each.list().span(),
                            "`for` takes a list, but `"
                                    + findings.text(each.list().span()) + "` is " + list.typeName(),
                            null);
                }
                yield given(each.variable(), list, ValueType.itemOf(list.type()), true);
            }
        };
    }

    private Plan.Output given(
            ClauseSyntax.VariableSyntax variable, Expression expression, @Nullable ValueType type, boolean each) {
        String name = String.valueOf(variable.name());
        if (parameters.has(name) || scope.find(name) != null) {
            throw findings.refuse(
                    "T7", variable.span(), "`$" + name + "` is bound already", "give the variable another name");
        }
        if (type == null) {
            throw findings.refuse(
                    "T4",
                    variable.span(),
                    "`$" + name + "` would be null always, because it is taken of " + expression.typeName(),
                    "leave it out");
        }
        Scope.Variable bound = put(name, type, variable.span().start());
        return new Plan.Output(name, expression, bound.slot.number, each);
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
