package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes expressions of other ones. */
public final class Rewrite {
    private Rewrite() {}

    /** The expression with each operand replaced. */
    public static Expression operands(Expression expression, UnaryOperator<Expression> replace) {
        return switch (expression) {
            case Expression.Literal e -> e;
            case Expression.Argument e -> e;
            case Expression.PropertyOf e -> e;
            case Expression.IdOf e -> e;
            case Expression.TypeOf e -> e;
            case Expression.EndTypeOf e -> e;
            case Expression.EndOf e -> e;
            case Expression.EntityOf e -> e;
            case Expression.OutputOf e -> e;
            case Expression.ValueOf e -> e;
            case Expression.Local e -> e;
            case Expression.Not e -> new Expression.Not(replace.apply(e.operand()));
            case Expression.And e -> new Expression.And(all(e.operands(), replace));
            case Expression.Or e -> new Expression.Or(all(e.operands(), replace));
            case Expression.Compare e ->
                new Expression.Compare(e.operator(), replace.apply(e.left()), replace.apply(e.right()));
            case Expression.TextTest e ->
                new Expression.TextTest(e.operator(), replace.apply(e.left()), replace.apply(e.right()));
            case Expression.In e -> new Expression.In(replace.apply(e.left()), replace.apply(e.list()));
            case Expression.ListOf e -> new Expression.ListOf(all(e.items(), replace), e.type());
            case Expression.IsNull e -> new Expression.IsNull(replace.apply(e.operand()), e.negated());
            case Expression.Arithmetic e ->
                new Expression.Arithmetic(
                        e.operator(), replace.apply(e.left()), replace.apply(e.right()), e.type(), e.origin());
            case Expression.Negate e -> new Expression.Negate(replace.apply(e.operand()), e.type(), e.origin());
            case Expression.Call e ->
                new Expression.Call(e.function(), all(e.arguments(), replace), e.type(), e.origin());
            case Expression.Search e ->
                new Expression.Search(
                        e.function(), replace.apply(e.subject()), all(e.arguments(), replace), e.by(), e.origin());
            case Expression.Aggregate e ->
                new Expression.Aggregate(
                        e.function(),
                        e.distinct(),
                        replace.apply(e.operand()),
                        e.refinement().with(replace),
                        e.type(),
                        e.origin());
            case Expression.Concat e ->
                new Expression.Concat(replace.apply(e.left()), replace.apply(e.right()), e.type());
            case Expression.Element e ->
                new Expression.Element(replace.apply(e.list()), replace.apply(e.index()), e.type());
            case Expression.Slice e ->
                new Expression.Slice(replace.apply(e.list()), replace.apply(e.from()), replace.apply(e.to()), e.type());
            case Expression.Case e ->
                new Expression.Case(all(e.conditions(), replace), all(e.results(), replace), e.type());
            case Expression.RecordOf e -> new Expression.RecordOf(all(e.values(), replace), e.type());
            case Expression.FieldOf e -> new Expression.FieldOf(replace.apply(e.subject()), e.name(), e.type());
            case Expression.PropertyOfValue e ->
                new Expression.PropertyOfValue(replace.apply(e.subject()), e.name(), e.identityByType(), e.type());
            case Expression.MetaOfValue e -> new Expression.MetaOfValue(replace.apply(e.subject()), e.meta());
            case Expression.Loop e ->
                new Expression.Loop(
                        e.kind(),
                        e.depth(),
                        replace.apply(e.list()),
                        replace.apply(e.where()),
                        replace.apply(e.map()),
                        e.type());
        };
    }

    private static List<Expression> all(List<Expression> expressions, UnaryOperator<Expression> replace) {
        List<Expression> replaced = new ArrayList<>(expressions.size());
        for (Expression expression : expressions) {
            replaced.add(replace.apply(expression));
        }
        return replaced;
    }
}
