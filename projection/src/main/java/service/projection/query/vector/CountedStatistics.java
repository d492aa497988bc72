package service.projection.query.vector;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.SearchedBy;
import service.core.port.GraphView;
import service.core.port.TextIndex;
import service.core.schema.AnalyzerName;
import service.core.schema.Property;
import service.core.value.HeapBytes;
import service.projection.search.Analysis;
import service.projection.search.QueryTerms;
import service.projection.search.TermFrequencies;
import service.projection.search.TextAnalyzer;
import service.projection.search.TextStatistics;

/**
 * Counts the texts of a collection, once for all terms that were announced: by an index, or by reading them all in the
 * view.
 */
final class CountedStatistics implements TextStatistics {
    private static final long TERM_BYTES = 96;

    private final ExecutionBudget budget;
    private final Map<Key, Collection> collections = new HashMap<>();

    private record Key(Map<Integer, Integer> properties, AnalyzerName analyzer) {
        static Key of(SearchedBy by) {
            AnalyzerName analyzer = by.analyzer();
            if (analyzer == null) {
                throw new IllegalArgumentException("vectors have no statistics");
            }
            return new Key(by.collection(), analyzer);
        }
    }

    /** What is known of a collection. The counts of a term are −1 before it was counted. */
    private static final class Collection {
        private final Map<String, Long> containing = new LinkedHashMap<>();
        private long texts;
        private long length;
    }

    CountedStatistics(ExecutionBudget budget) {
        this.budget = budget;
    }

    @Override
    public void announce(SearchedBy by, List<String> terms) {
        Collection collection = collections.computeIfAbsent(Key.of(by), key -> new Collection());
        for (String term : terms) {
            if (collection.containing.putIfAbsent(term, -1L) == null) {
                budget.charge(TERM_BYTES + HeapBytes.of(term));
            }
        }
    }

    @Override
    public Counts of(SearchedBy by, List<String> terms) {
        announce(by, terms);
        Key key = Key.of(by);
        Collection collection = collections.getOrDefault(key, new Collection());
        if (terms.stream().anyMatch(term -> collection.containing.getOrDefault(term, -1L) < 0)) {
            count(key, collection);
        }
        long[] containing = terms.stream()
                .mapToLong(term -> collection.containing.getOrDefault(term, 0L))
                .toArray();
        return new Counts(collection.texts, collection.length, containing);
    }

    private void count(Key key, Collection into) {
        List<String> terms = new ArrayList<>();
        into.containing.forEach((term, count) -> {
            if (count < 0) {
                terms.add(term);
            }
        });
        Pass pass = new Pass(QueryTerms.ofTerms(key.analyzer, terms));
        key.properties.keySet().stream()
                .sorted()
                .forEach(type -> pass.over(type, key.properties.getOrDefault(type, -1)));
        into.texts = pass.texts;
        into.length = pass.length;
        for (int i = 0; i < terms.size(); i++) {
            into.containing.put(terms.get(i), pass.containing[i]);
        }
    }

    /** One pass over the texts of a collection. */
    private final class Pass {
        private final QueryTerms terms;
        private final TextAnalyzer analyzer;
        private final TermFrequencies frequencies;
        private final long[] containing;
        private final EntityColumn rows = budget.own(new EntityColumn());
        private long texts;
        private long length;

        Pass(QueryTerms terms) {
            this.terms = terms;
            this.analyzer = TextAnalyzer.of(terms.analyzer());
            this.frequencies = new TermFrequencies(terms, budget);
            this.containing = new long[terms.distinct().size()];
        }

        /** Counts the texts of a type: an index that knows them is asked. */
        void over(int type, int property) {
            Property declared = budget.view.catalog().requireType(type).property(property);
            boolean isIndexed = declared != null && declared.analyzer() == terms.analyzer();
            TextIndex index = isIndexed ? budget.view.texts() : null;
            TextIndex.Statistics known =
                    index == null ? null : index.statistics(type, property, terms.distinct(), budget);
            if (known == null) {
                scan(type, property);
                return;
            }
            texts += known.texts();
            length += known.length();
            for (int i = 0; i < containing.length; i++) {
                containing[i] += known.having()[i];
            }
        }

        private void scan(int type, int property) {
            Property searched = budget.view.catalog().requireType(type).property(property);
            if (searched == null) {
                throw new IllegalStateException("no property has the identity " + property);
            }
            Column values = budget.own(GraphView.columnFor(searched.type()));
            try (GraphView.Scan scan = budget.view.scan(type)) {
                for (int n = scan.next(rows); n > 0; n = scan.next(rows)) {
                    budget.examined(n);
                    values.reset(n);
                    budget.view.read(property, rows, n, values);
                    for (int row = 0; row < n; row++) {
                        if (!values.isNull(row)) {
                            add(values, row);
                        }
                    }
                }
            }
        }

        private void add(Column values, int row) {
            frequencies.begin();
            Analysis.terms(budget, analyzer, values, row, frequencies);
            texts++;
            length += frequencies.length;
            for (int i = 0; i < containing.length; i++) {
                containing[i] += frequencies.of[i] > 0 ? 1 : 0;
            }
        }
    }
}
