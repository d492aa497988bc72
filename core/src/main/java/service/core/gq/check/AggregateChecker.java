package service.core.gq.check;

import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Expression.AggregateFunction;
import service.core.gq.plan.Refinement;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/** Checks aggregates. */
final class AggregateChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;
    private final ExpressionChecker checker;

    /** Describes the place where aggregates are refused; null where they are allowed. */
    private @Nullable String noAggregate;

    AggregateChecker(
            QueryFindings findings,
            ParameterTable parameters,
            ExpressionChecker checker,
            @Nullable String noAggregate) {
        this.findings = findings;
        this.parameters = parameters;
        this.checker = checker;
        this.noAggregate = noAggregate;
    }

    Expression aggregate(ExpressionSyntax.Aggregate syntax) {
        String word = syntax.function().name().toLowerCase(Locale.ROOT);
        if (noAggregate != null) {
            throw findings.refuse(
                    "T9",
                    syntax.span(),
                    "the aggregate `" + word + "` cannot be used in " + noAggregate,
                    "aggregates belong in `return` and `order`; in `match` compare one over a block:"
                            + " `count { … } > 2`");
        }
        return unrefused(syntax);
    }

    /** An aggregate, where one may stand. */
    Expression.Aggregate unrefused(ExpressionSyntax.Aggregate syntax) {
        String before = noAggregate;
        noAggregate = "another aggregate";
        Expression operand;
        Refinement refinement;
        try {
            operand = checker.check(syntax.operand());
            refinement = new RefinementChecker(findings, parameters, checker)
                    .check(syntax.refinement(), operand, syntax.distinct());
        } finally {
            noAggregate = before;
        }
        if (syntax.function() == AggregateFunction.COLLECT && !syntax.distinct()) {
            refinement = refinement.thenBy(checker.rowIds());
        }
        return new Expression.Aggregate(
                syntax.function(),
                syntax.distinct(),
                operand,
                refinement,
                typeOf(syntax.function(), operand, syntax.operand().span()),
                findings.origin(syntax.span()));
    }

    /** Checks what may hold no aggregate; the place is described by the first argument. */
    <T> T refusing(String place, Supplier<T> body) {
        String before = noAggregate;
        noAggregate = before == null ? place : before;
        try {
            return body.get();
        } finally {
            noAggregate = before;
        }
    }

    /**
     * The type of an aggregate over an operand. Notes T8 for a bare entity and T4 for a type that it cannot aggregate.
     */
    ValueType typeOf(AggregateFunction function, Expression operand, Span span) {
        String word = function.name().toLowerCase(Locale.ROOT);
        if (function == AggregateFunction.COUNT) {
            return PropertyType.I64;
        }
        Family family = operand.family();
        ValueType type = operand.type();
        if (family == Family.ENTITY && function != AggregateFunction.COLLECT) {
            throw findings.refuse(
                    "T8",
                    span,
                    "`" + word + "` over the bare variable `" + findings.text(span) + "`",
                    "name a property, such as `"
                            + word
                            + "("
                            + findings.text(span)
                            + ".age)`; only `count` and `collect` take"
                            + " a bare variable");
        }
        boolean fits = switch (function) {
            case COUNT -> true;
            case SUM, AVG, STDEV, MEDIAN, PERCENTILE -> family == Family.NUMBER;
            case MIN, MAX -> family.ordered();
            case COLLECT -> family != Family.LIST && family != Family.VECTOR && family != Family.BLOB;
        };
        if (!fits || type == null) {
            throw findings.refuse("T4", span, "`" + word + "` cannot run over " + operand.typeName(), null);
        }
        return function.over(type);
    }
}
