package service.projection.search.index;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.port.TextFilter;
import service.core.port.TextIndex;
import service.core.port.TextIndex.Payer;
import service.core.port.TextIndex.Proposal;
import service.core.port.TextIndex.Statistics;
import service.core.value.HeapBytes;

/** What the index of {@code main}, and those of branches, know about one view. */
final class ViewTexts {
    /** The analysed texts of a field take at most this part of what searches keep. */
    private static final int FIELDS_KEPT = 4;

    final IndexReading reading;

    /** Those that are not kept for other searches. */
    private final Map<String, ShownTexts> ownTexts = new HashMap<>();

    ViewTexts(IndexReading reading) {
        this.reading = reading;
    }

    /** {@link TextIndex#coverage}. */
    TextIndex.@Nullable Coverage coverage(int type, int property) {
        return reading.coverage(type, property);
    }

    /** {@link TextIndex#statistics}. */
    @Nullable
    Statistics statistics(int type, int property, List<String> terms, Payer payer) {
        return reading.of(type, property, field -> {
            ShownTexts shown = shown(field, terms, payer);
            if (shown == null) {
                return null;
            }
            IndexSnapshot.Texts all = reading.difference.texts(field).plus(shown.texts());
            long[] having = new long[terms.size()];
            for (int i = 0; i < having.length; i++) {
                String term = terms.get(i);
                having[i] = reading.difference.having(field, new BytesRef(term))
                        + shown.places(term).size();
            }
            return new Statistics(all.texts(), all.length(), having);
        });
    }

    /**
     * The touched texts of a field, with at least these terms. The payer is charged for them unless they are kept for
     * other searches.
     */
    private @Nullable ShownTexts shown(IndexedField field, List<String> terms, Payer payer) {
        ShownTexts known = reading.difference.shown(field);
        if (known == null) {
            known = ownTexts.get(field.terms());
        }
        return known == null ? readShown(field, terms, payer) : known;
    }

    private @Nullable ShownTexts readShown(IndexedField field, List<String> terms, Payer payer) {
        int[] touched = reading.difference.touched(field.type());
        if (!reading.difference.isLarge(field)) {
            ShownTexts all =
                    ShownTexts.read(reading.view, field, touched, null, reading.memory.bytesMax() / FIELDS_KEPT, payer);
            if (all != null && reading.difference.keep(field, all)) {
                payer.release(all.bytes());
            } else if (all != null) {
                ownTexts.put(field.terms(), all);
            }
            if (all != null) {
                return all;
            }
            reading.difference.setLarge(field);
        }
        return ShownTexts.read(reading.view, field, touched, Set.copyOf(terms), reading.memory.bytesMax(), payer);
    }

    /** {@link TextIndex#find}. */
    @Nullable
    Proposal find(int type, int property, TextFilter filter, Payer payer) {
        return reading.of(type, property, field -> {
            if (filter.terms().isEmpty()) {
                return new Proposal(new int[0], reading.indexes.names(), 0);
            }
            int[] touched = reading.difference.touched(type);
            try (Tab tab = new Tab(payer)) {
                Query query = FilterQueries.of(field, filter, tab);
                if (query == null) {
                    return null;
                }
                FoundOrdinals found = new FoundOrdinals(tab);
                for (IndexPart part : reading.difference.parts()) {
                    search(part, query, null, new FoundEntities(part, type, found, tab), tab);
                }
                for (int ordinal : touched) {
                    if (reading.view.isLive(type, ordinal)) {
                        found.accept(ordinal);
                    }
                }
                return new Proposal(found.sorted(), reading.indexes.names(), touched.length);
            }
        });
    }

    private static void search(
            IndexPart part, Query query, @Nullable ExactLength scores, FoundEntities into, Payer payer)
            throws IOException {
        try (Tab tab = new Tab(payer)) {
            tab.charge(FilterQueries.searchBytes(query, part.snapshot().reader().maxDoc()));
            search(part, query, scores, into);
        }
    }

    private static void search(IndexPart part, Query query, @Nullable ExactLength scores, FoundEntities into)
            throws IOException {
        IndexSearcher searcher = new IndexSearcher(part.snapshot().reader());
        searcher.setQueryCache(null);
        if (scores != null) {
            searcher.setSimilarity(scores);
        }
        searcher.search(query, new CollectorManager<FoundEntities, FoundEntities>() {
            @Override
            public FoundEntities newCollector() {
                // Without an executor there is one, which goes through the leaves in order.
                return into;
            }

            @Override
            public FoundEntities reduce(Collection<FoundEntities> all) {
                return into;
            }
        });
    }

    /** {@link TextIndex#best}. */
    @Nullable
    Proposal best(int type, int property, TextIndex.Ranked by, int most, IntPredicate among, Payer payer) {
        return reading.of(type, property, field -> {
            ShownTexts shown = shown(field, by.terms(), payer);
            if (shown == null) {
                return null;
            }
            try (Tab tab = new Tab(payer)) {
                return best(field, shown, by, new Candidates(Math.max(1, most), among, tab), tab);
            }
        });
    }

    private Proposal best(IndexedField field, ShownTexts shown, TextIndex.Ranked by, Candidates candidates, Tab tab)
            throws IOException {
        List<String> terms = by.terms();
        Statistics collection = by.collection();
        Map<BytesRef, Double> weights = new HashMap<>();
        for (int i = 0; i < terms.size(); i++) {
            double n = collection.having()[i];
            weights.put(new BytesRef(terms.get(i)), Math.log(1 + (collection.texts() - n + 0.5) / (n + 0.5)));
        }
        double average = (double) collection.length() / Math.max(1, collection.texts());
        ExactLength scores = new ExactLength(average, weights);
        tab.charge(HeapBytes.array(shown.texts().texts(), Double.BYTES));
        shown.rank(terms, scores, weights, candidates);
        for (IndexPart part : reading.difference.parts()) {
            BooleanQuery query = any(part, field, terms);
            if (!query.clauses().isEmpty()) {
                search(part, query, scores, new FoundEntities(part, field.type(), candidates, tab), tab);
            }
        }
        return new Proposal(candidates.ordinals(), reading.indexes.names(), (int)
                shown.texts().texts());
    }

    private static BooleanQuery any(IndexPart part, IndexedField field, List<String> terms) throws IOException {
        BooleanQuery.Builder any = new BooleanQuery.Builder();
        for (String text : terms) {
            BytesRef term = new BytesRef(text);
            // Lucene refuses to score a term that it finds in deleted documents alone.
            if (part.having(field, term) > 0) {
                any.add(new TermQuery(new Term(field.terms(), term)), BooleanClause.Occur.SHOULD);
            }
        }
        return any.build();
    }

    /**
     * Compares the numbers of a field with those of all records, term by term.
     *
     * @return the first difference; null when there is none, or when the view is read directly
     */
    @Nullable
    String difference(IndexedField field) {
        int type = field.type();
        int property = field.property().identity();
        Map<String, long[]> counts = new TreeMap<>();
        long[] all = new long[2];
        EntityColumn rows = new EntityColumn();
        Column values = field.column();
        Set<String> ofText = new HashSet<>();
        try (GraphView.Scan scan = reading.view.scan(type)) {
            for (int size = scan.next(rows); size > 0; size = scan.next(rows)) {
                reading.view.read(property, rows, size, values);
                for (int row = 0; row < size; row++) {
                    if (!values.isNull(row)) {
                        all[0]++;
                        ofText.clear();
                        field.analyse(Payer.NONE, values, row, (term, length, position) -> {
                            all[1]++;
                            ofText.add(new String(term, 0, length));
                        });
                        ofText.forEach(term -> counts.computeIfAbsent(term, any -> new long[1])[0]++);
                    }
                }
            }
        }
        List<String> terms = List.copyOf(counts.keySet());
        Statistics said = statistics(type, property, terms, Payer.NONE);
        String what = field.named().typeName() + "." + field.named().property();
        if (said == null) {
            return null;
        }
        if (said.texts() != all[0] || said.length() != all[1]) {
            return "%s: the index has %d texts of %d terms, the records have %d of %d"
                    .formatted(what, said.texts(), said.length(), all[0], all[1]);
        }
        for (int i = 0; i < terms.size(); i++) {
            long records = counts.getOrDefault(terms.get(i), new long[1])[0];
            if (said.having()[i] != records) {
                return "%s: `%s` is in %d texts of the index and in %d records"
                        .formatted(what, terms.get(i), said.having()[i], records);
            }
        }
        return null;
    }

    void close() {
        reading.close();
    }
}
