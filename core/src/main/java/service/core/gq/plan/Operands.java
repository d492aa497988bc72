package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The direct operands of expressions. */
final class Operands {
    private Operands() {}

    static List<Expression> of(Expression expression) {
        return switch (expression) {
            case Expression.Literal ignored -> List.of();
            case Expression.Argument ignored -> List.of();
            case Expression.PropertyOf ignored -> List.of();
            case Expression.IdOf ignored -> List.of();
            case Expression.TypeOf ignored -> List.of();
            case Expression.EndOf ignored -> List.of();
            case Expression.EndTypeOf ignored -> List.of();
            case Expression.EntityOf ignored -> List.of();
            case Expression.OutputOf ignored -> List.of();
            case Expression.ValueOf ignored -> List.of();
            case Expression.Not e -> List.of(e.operand());
            case Expression.And e -> e.operands();
            case Expression.Or e -> e.operands();
            case Expression.Compare e -> List.of(e.left(), e.right());
            case Expression.TextTest e -> List.of(e.left(), e.right());
            case Expression.In e -> List.of(e.left(), e.list());
            case Expression.ListOf e -> e.items();
            case Expression.IsNull e -> List.of(e.operand());
            case Expression.Arithmetic e -> List.of(e.left(), e.right());
            case Expression.Negate e -> List.of(e.operand());
            case Expression.Call e -> e.arguments();
            case Expression.Aggregate e -> {
                List<Expression> all = new ArrayList<>(e.refinement().operands());
                all.addFirst(e.operand());
                yield all;
            }
            case Expression.Concat e -> List.of(e.left(), e.right());
            case Expression.Element e -> List.of(e.list(), e.index());
            case Expression.Slice e -> List.of(e.list(), e.from(), e.to());
            case Expression.Case e ->
                Stream.concat(e.conditions().stream(), e.results().stream()).toList();
            case Expression.RecordOf e -> e.values();
            case Expression.FieldOf e -> List.of(e.subject());
            case Expression.PropertyOfValue e -> List.of(e.subject());
            case Expression.MetaOfValue e -> List.of(e.subject());
            case Expression.Loop e -> List.of(e.list(), e.where(), e.map());
            case Expression.Search e -> {
                List<Expression> all = new ArrayList<>(e.arguments());
                all.addFirst(e.subject());
                yield all;
            }
            case Expression.Local ignored -> List.of();
        };
    }
}
