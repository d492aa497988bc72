package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;
import service.core.value.Value;

/** Finds where an index of texts can propose entities: for a filter, and for the first rows by {@code bm25}. */
final class TextTops {
    /** A proposed entity costs a look-up and the analysis of its text again. */
    private static final double SEEK_COST = 0.3;

    private TextTops() {}

    /** The entities that pass a filter; null when no index of a type can propose them. */
    static AccessPaths.@Nullable Path seek(int slot, int type, Expression filter, double all) {
        if (!(filter instanceof Expression.Search search)
                || search.function().isRanking()
                || property(search, type) < 0) {
            return null;
        }
        double rows = Estimates.EQUAL * all;
        // The filter stays: the index proposes, the record decides.
        return new AccessPaths.Path(new Node.TextSeek(slot, type, search, rows), List.of(), SEEK_COST * all);
    }

    /**
     * The searched property of a type.
     *
     * @return −1 when the search is not one of a property with {@code @search}, for a text that is known before the
     *     rows
     */
    private static int property(Expression.Search search, int type) {
        return search.by().annotated()
                        && search.by().analyzer() != null
                        && search.subject() instanceof Expression.PropertyOf subject
                        && search.arguments().stream().allMatch(Constants::isConstant)
                ? subject.identityByType().getOrDefault(type, -1)
                : -1;
    }

    /** The entities that can be among the first rows by {@code bm25}; null when no index can propose them. */
    static @Nullable Node top(Node input, Expression.Search search, RowWindow kept) {
        boolean hits = input instanceof Node.Filter;
        Node source = input instanceof Node.Filter filter ? filter.input() : input;
        int slot;
        int type;
        switch (source) {
            case Node.Scan scan
            when scan.types().size() == 1 -> {
                slot = scan.slot();
                type = scan.types().getFirst();
            }
            case Node.TextSeek seek -> {
                slot = seek.slot();
                type = seek.type();
            }
            default -> {
                return null;
            }
        }
        if (property(search, type) < 0 || ((Expression.PropertyOf) search.subject()).slot() != slot) {
            return null;
        }
        double rows = kept.needed(source.rows());
        Node top = new Node.TextTop(slot, type, search, hits, kept, rows);
        if (!(input instanceof Node.Filter filter)) {
            return top;
        }
        return filter.conjuncts().stream().allMatch(each -> isHit(each, search))
                ? new Node.Filter(top, filter.conjuncts(), filter.tentative(), rows)
                : null;
    }

    /** Whether a filter lets exactly those pass whose score is above 0. */
    private static boolean isHit(Expression filter, Expression.Search ranking) {
        return filter instanceof Expression.Search search
                && search.function() == SearchFunction.SEARCH
                && search.subject().equals(ranking.subject())
                && search.arguments().getFirst().equals(ranking.arguments().getFirst())
                && (search.arguments().size() == 1
                        || (search.arguments().get(1) instanceof Expression.Literal mode
                                && mode.value().equals(new Value.Text("any"))));
    }
}
