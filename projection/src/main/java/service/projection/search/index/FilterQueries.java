package service.projection.search.index;

import java.util.List;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.AutomatonQuery;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.MultiTermQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.LevenshteinAutomata;
import service.core.port.TextFilter;

/** Queries of Lucene that find all texts that a filter lets pass. */
final class FilterQueries {
    private static final int FUZZY_CHARS_MAX = 255;

    private FilterQueries() {}

    /** Whether the automata of a filter are small: those of a long term take more than reading all records. */
    static boolean isCheap(TextFilter filter) {
        return filter.kind() != TextFilter.Kind.FUZZY
                || filter.terms().stream().allMatch(term -> term.length() <= FUZZY_CHARS_MAX);
    }

    /** @param filter with terms */
    static Query of(IndexedField field, TextFilter filter) {
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        List<String> terms = filter.terms();
        switch (filter.kind()) {
            case ANY -> terms.forEach(term -> query.add(exact(field, term), BooleanClause.Occur.SHOULD));
            case ALL -> terms.forEach(term -> query.add(exact(field, term), BooleanClause.Occur.FILTER));
            case PREFIX -> {
                terms.subList(0, terms.size() - 1)
                        .forEach(term -> query.add(exact(field, term), BooleanClause.Occur.FILTER));
                query.add(
                        new PrefixQuery(
                                new Term(field.terms(), terms.getLast()), MultiTermQuery.CONSTANT_SCORE_REWRITE),
                        BooleanClause.Occur.FILTER);
            }
            case PHRASE -> {
                return new PhraseQuery(field.terms(), terms.toArray(String[]::new));
            }
            case FUZZY ->
                terms.forEach(term -> query.add(near(field, term, filter.edits()), BooleanClause.Occur.FILTER));
        }
        return query.build();
    }

    private static Query exact(IndexedField field, String term) {
        return new TermQuery(new Term(field.terms(), term));
    }

    private static Query near(IndexedField field, String term, int given) {
        int characters = term.codePointCount(0, term.length());
        int edits = given >= 0 ? given : characters <= 2 ? 0 : characters <= 5 ? 1 : 2;
        if (edits == 0) {
            return exact(field, term);
        }
        Automaton near = new LevenshteinAutomata(term, true).toAutomaton(edits);
        return new AutomatonQuery(new Term(field.terms(), term), near, false, MultiTermQuery.CONSTANT_SCORE_REWRITE);
    }
}
