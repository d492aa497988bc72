package service.projection.query.plan;

import java.util.List;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;

/** Finds the orders by {@code nearest} whose first rows alone are wanted, so that most rows are dropped early. */
final class VectorTops {
    private VectorTops() {}

    /** The sort, over a {@link Node.VectorTop} where that drops no row that the sort needs. */
    static Node of(Node.Sort sort) {
        if (sort.kept() == null || !sort.per().isEmpty() || !(sort.input() instanceof Node.Project project)) {
            return sort;
        }
        Node.Key first = sort.keys().getFirst();
        List<Expression> all = project.expressions();
        boolean isFirst = first.descending()
                && all.get(first.column()) instanceof Expression.Search search
                && isSought(search)
                && all.stream().noneMatch(Expressions::canFail);
        if (!isFirst) {
            return sort;
        }
        Expression.Search search = (Expression.Search) all.get(first.column());
        Node top = new Node.VectorTop(project.input(), search, sort.kept(), sort.rows());
        return new Node.Sort(
                new Node.Project(top, all, top.rows()),
                sort.keys(),
                sort.tieSlots(),
                sort.lastColumns(),
                sort.by(),
                sort.kept(),
                sort.per(),
                sort.rows());
    }

    /** Whether a property of an entity is compared with one vector. */
    private static boolean isSought(Expression.Search search) {
        Expression vector = search.arguments().getFirst();
        return search.function() == SearchFunction.NEAREST
                && search.subject() instanceof Expression.PropertyOf
                && (vector instanceof Expression.Literal || vector instanceof Expression.Argument);
    }
}
