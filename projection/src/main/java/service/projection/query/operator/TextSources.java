package service.projection.query.operator;

import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;
import service.core.port.TextFilter;
import service.core.port.TextIndex;
import service.core.schema.AnalyzerName;
import service.core.schema.Property;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.plan.Node;
import service.projection.query.vector.ExecutionBudget;
import service.projection.search.QueryTerms;
import service.projection.search.TextStatistics;

/**
 * Entities that the index of texts of a view proposes, in the order of their ordinals; where it knows too little, all
 * entities of the type. The filters and the order above decide by the records, so both give the same rows.
 */
public final class TextSources {
    /** For more rows a scan is as good. */
    private static final int WANTED_MAX = 100_000;

    private TextSources() {}

    private static @Nullable TextIndex index(ExecutionBudget budget, Expression.Search search, int type) {
        Property property = budget.view.catalog().requireType(type).property(property(search, type));
        return property == null || property.analyzer() != search.by().analyzer() ? null : budget.view.texts();
    }

    private static int property(Expression.Search search, int type) {
        return ((Expression.PropertyOf) search.subject()).identityByType().getOrDefault(type, -1);
    }

    private static Value argument(Expression.Search search, int at) {
        return at < search.arguments().size() && search.arguments().get(at) instanceof Expression.Literal literal
                ? literal.value()
                : Value.NULL;
    }

    /** The terms that are sought; null without a text. Their number was checked when the plan was made. */
    private static @Nullable QueryTerms terms(Expression.Search search) {
        AnalyzerName analyzer = search.by().analyzer();
        return analyzer != null && argument(search, 0) instanceof Value.Text(String text)
                ? QueryTerms.of(analyzer, text)
                : null;
    }

    /** The entities of a type that a filter can let pass. */
    public record Seek(
            ExecutionBudget budget, Node.TextSeek node, Expression.Search search, int slotCount, Operator first)
            implements Source {
        @Override
        public void drive() {
            TextIndex index = index(budget, search, node.type());
            QueryTerms terms = terms(search);
            TextIndex.Proposal found = index == null || terms == null
                    ? null
                    : index.find(node.type(), property(search, node.type()), filter(terms), budget);
            give(budget, node.slot(), node.type(), found, slotCount, first);
        }

        private TextFilter filter(QueryTerms terms) {
            Value last = argument(search, 1);
            return switch (search.function()) {
                case MATCH_TEXT -> TextFilter.of(TextFilter.Kind.PHRASE, terms.inOrder());
                case FUZZY ->
                    new TextFilter(
                            TextFilter.Kind.FUZZY,
                            terms.distinct(),
                            last instanceof Value.Int(long edits) ? (int) edits : -1);
                case SEARCH ->
                    switch (last instanceof Value.Text(String mode) ? mode : "any") {
                        case "all" -> TextFilter.of(TextFilter.Kind.ALL, terms.distinct());
                        case "prefix" -> TextFilter.of(TextFilter.Kind.PREFIX, terms.inOrder());
                        default -> TextFilter.of(TextFilter.Kind.ANY, terms.distinct());
                    };
                case BM25, NEAREST, RRF -> throw new IllegalStateException(search.function() + " is no filter");
            };
        }
    }

    /**
     * The entities of a type that can be among the first by {@code bm25}.
     *
     * @param wanted rows that are needed; −1 for all
     */
    public record Top(
            ExecutionBudget budget,
            Node.TextTop node,
            Expression.Search search,
            long wanted,
            int slotCount,
            Operator first)
            implements Source {
        @Override
        public void drive() {
            give(budget, node.slot(), node.type(), best(), slotCount, first);
        }

        private TextIndex.@Nullable Proposal best() {
            TextIndex.Proposal best =
                    wanted > 0 ? TextSources.best(budget, search, node.type(), wanted, TextIndex.ALL) : null;
            // After the hits come the entities without one.
            return best == null || (!node.hits() && best.ordinals().length < wanted) ? null : best;
        }
    }

    /**
     * How a search of texts reads a type: through indexes, or all records.
     *
     * @return null where no index knows the property as the search wants it
     */
    public static TextIndex.@Nullable Coverage coverage(ExecutionBudget budget, Expression.Search search, int type) {
        TextIndex index = search.by().annotated() ? index(budget, search, type) : null;
        return index == null ? null : index.coverage(type, property(search, type));
    }

    /** Whether an index knows the texts of all these types that a bound ranking searches. */
    static boolean isIndexed(ExecutionBudget budget, Expression.Search search, Set<Integer> types) {
        return terms(search) != null && types.stream().allMatch(type -> coverage(budget, search, type) != null);
    }

    /**
     * The entities of a type that can be among the first by {@code bm25}.
     *
     * @param wanted rows that are needed, positive
     * @param among of which ordinals
     * @return null when the index knows too little
     */
    static TextIndex.@Nullable Proposal best(
            ExecutionBudget budget, Expression.Search search, int type, long wanted, IntPredicate among) {
        TextIndex index = wanted <= WANTED_MAX ? index(budget, search, type) : null;
        QueryTerms terms = terms(search);
        if (index == null || terms == null || search.function() != SearchFunction.BM25) {
            return null;
        }
        List<String> distinct = terms.distinct();
        TextStatistics.Counts counts = budget.statistics().of(search.by(), distinct);
        return index.best(
                type,
                property(search, type),
                new TextIndex.Ranked(
                        distinct, new TextIndex.Statistics(counts.texts(), counts.length(), counts.containing())),
                (int) wanted,
                among,
                budget);
    }

    static void give(
            ExecutionBudget budget,
            int slot,
            int type,
            TextIndex.@Nullable Proposal proposal,
            int slotCount,
            Operator first) {
        budget.direct(proposal == null ? budget.view.count(type) : proposal.direct());
        if (proposal == null) {
            new Sources.Scan(budget, new Node.Scan(slot, List.of(type), 0), slotCount, first).drive();
            return;
        }
        budget.charge(HeapBytes.array(proposal.ordinals().length, Integer.BYTES));
        budget.examined(proposal.ordinals().length);
        Sources.give(budget, slot, type, proposal.ordinals(), slotCount, first);
        first.finish();
    }
}
