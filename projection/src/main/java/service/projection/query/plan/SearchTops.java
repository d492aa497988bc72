package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;

/** Finds the sorts by a ranking of which the first rows alone are wanted, so that most rows are dropped early. */
final class SearchTops {
    private SearchTops() {}

    /** The sort, over the rows that can be among its first ones where these can be found. */
    static Node of(Node.Sort sort) {
        if (sort.kept() == null || !sort.per().isEmpty() || !(sort.input() instanceof Node.Project project)) {
            return sort;
        }
        Node.Key first = sort.keys().getFirst();
        List<Expression> all = project.expressions();
        if (!first.descending() || all.stream().anyMatch(Expressions::canFail)) {
            return sort;
        }
        Node top = switch (all.get(first.column())) {
            case Expression.Search search -> top(project.input(), search, sort.kept(), sort.rows());
            case Expression.ValueOf score -> fused(project.input(), score, sort.kept());
            default -> null;
        };
        return top == null
                ? sort
                : new Node.Sort(
                        new Node.Project(top, all, top.rows()),
                        sort.keys(),
                        sort.tieSlots(),
                        sort.lastColumns(),
                        sort.by(),
                        sort.kept(),
                        sort.per(),
                        sort.rows());
    }

    private static @Nullable Node top(Node input, Expression.Search search, RowWindow kept, double rows) {
        if (search.function() == SearchFunction.BM25) {
            return TextTops.top(input, search, kept);
        }
        return isSought(search) ? new Node.VectorTop(input, search, kept, rows) : null;
    }

    private static @Nullable Node fused(Node input, Expression.ValueOf score, RowWindow kept) {
        return input instanceof Node.Fuse all
                        && all.fusions().stream().anyMatch(fusion -> fusion.slot() == score.slot())
                ? new Node.Fuse(all.input(), all.fusions(), score.slot(), kept, all.rows())
                : null;
    }

    /** Whether a property of an entity is compared with one vector. */
    private static boolean isSought(Expression.Search search) {
        Expression vector = search.arguments().getFirst();
        return search.function() == SearchFunction.NEAREST
                && search.subject() instanceof Expression.PropertyOf
                && (vector instanceof Expression.Literal || vector instanceof Expression.Argument);
    }
}
