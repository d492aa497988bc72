package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Refinement;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Checks what an aggregate says besides its operand. */
final class RefinementChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final ExpressionChecker checker;

    /** @param checker refuses aggregates while the refinement is checked */
    RefinementChecker(QueryFindings findings, ParameterTable parameters, ExpressionChecker checker) {
        this.findings = findings;
        this.parameters = parameters;
        this.checker = checker;
    }

    /**
     * The refinement of an aggregate.
     *
     * @param operand what it runs over
     * @param distinct whether it takes each value once
     */
    Refinement check(ExpressionSyntax.Refinement syntax, Expression operand, boolean distinct) {
        if (syntax.isNone()) {
            return Refinement.NONE;
        }
        ExpressionSyntax where = syntax.where();
        List<Plan.SortKey> order = new ArrayList<>();
        for (GqFile.OrderKey key : syntax.order()) {
            order.add(new Plan.SortKey(key(key.expression(), operand, distinct), checker.isDescending(key)));
        }
        ExpressionSyntax fraction = syntax.fraction();
        return new Refinement(
                where == null ? null : checker.condition(where, "the condition of an aggregate"),
                fraction == null ? null : fraction(fraction),
                List.copyOf(order),
                new CountChecker(findings, parameters).count(syntax.limit(), "limit"));
    }

    private Expression key(ExpressionSyntax syntax, Expression operand, boolean distinct) {
        Expression key = checker.check(syntax);
        Family family = key.family();
        if (!family.ordered() && family != Family.BOOL) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "cannot order by " + key.typeName(),
                    family == Family.ENTITY ? "order by its `@id` or a property" : null);
        }
        Expression settled = Grouping.settle(key, Map.of(operand, 0));
        boolean ofElement = !Grouping.readsRow(settled)
                || (operand instanceof Expression.EntityOf entity && readsOnly(key, entity.slot()));
        if (distinct && !ofElement) {
            throw findings.refuse(
                    "T4",
                    syntax.span(),
                    "with `distinct` the order may only speak of the element",
                    "equal elements come from several rows, which may differ in `" + findings.text(syntax.span())
                            + "`: leave `distinct` out, or group first in a `with`");
        }
        return key;
    }

    private static boolean readsOnly(Expression expression, int slot) {
        return expression instanceof Expression.SlotRead read
                ? read.slot() == slot
                : expression.operands().stream().allMatch(operand -> readsOnly(operand, slot));
    }

    /** The place of a percentile: a literal from 0 to 1, or a parameter that is a number. */
    private Expression fraction(ExpressionSyntax syntax) {
        Expression fraction = checker.check(syntax);
        Span span = syntax.span();
        if (fraction instanceof Expression.Argument && fraction.family() == Family.NUMBER) {
            return fraction;
        }
        if (fraction instanceof Expression.Literal literal && fraction.family() == Family.NUMBER) {
            double place = number(literal.value());
            if (place >= 0 && place <= 1) {
                return new Expression.Literal(new Value.Real(place), PropertyType.F64);
            }
            throw refused(span, "`" + findings.text(span) + "` is not from 0 to 1");
        }
        throw refused(
                span,
                "the place of a percentile is a number or a parameter, but `" + findings.text(span) + "` is "
                        + (fraction.family() == Family.NUMBER ? "computed" : fraction.typeName()));
    }

    private QueryFindings.Refused refused(Span span, String message) {
        return findings.refuse("T4", span, message, "such as `percentile($x.size, 0.9)`, which a tenth exceeds");
    }

    private static double number(Value value) {
        return switch (value) {
            case Value.Int(long number) -> number;
            case Value.Real(double number) -> number;
            default -> 2;
        };
    }
}
