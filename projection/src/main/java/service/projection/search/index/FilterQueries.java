package service.projection.search.index;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
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
import org.apache.lucene.util.UnicodeUtil;
import org.apache.lucene.util.automaton.Automaton;
import org.apache.lucene.util.automaton.LevenshteinAutomata;
import org.jspecify.annotations.Nullable;
import service.core.port.TextFilter;
import service.core.port.TextIndex;
import service.projection.search.FuzzyMatch;

/**
 * Queries of Lucene that find all texts that a filter lets pass, and maybe others: the records decide. So a filter that
 * would be large is asked for in part.
 */
final class FilterQueries {
    /** The words of a phrase that are looked for: each has a reader of postings with positions. */
    private static final int PHRASE_TERMS_MAX = 64;

    /** The characters of a prefix that are looked for: Lucene has a table for each. */
    private static final int PREFIX_CHARS_MAX = 64;

    /**
     * Bytes of the terms of a fuzzy filter that are looked for with one edit, and with two. Making the automata of so
     * many takes some 30 ms, 300 where the characters have four bytes.
     */
    private static final int ONE_EDIT_BYTES_MAX = 256;

    private static final int TWO_EDITS_BYTES_MAX = 64;

    /** What is allocated at most while an automaton is made, for each byte of its term. Measured with Lucene 10.6. */
    private static final long ONE_EDIT_HEAP = 48 << 10;

    private static final long TWO_EDITS_HEAP = 256 << 10;

    /** Heap that a clause takes while a segment is searched: buffers of postings, positions and impacts. */
    private static final long CLAUSE_BYTES = 16 << 10;

    private FilterQueries() {}

    /**
     * Makes the query of a filter.
     *
     * @param filter with terms
     * @param payer is charged for the query
     * @return null when nothing of the filter can be looked for cheaply: then all records are read
     */
    static @Nullable Query of(IndexedField field, TextFilter filter, TextIndex.Payer payer) {
        List<String> terms = filter.terms();
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        switch (filter.kind()) {
            case ANY -> terms.forEach(term -> query.add(exact(field, term), BooleanClause.Occur.SHOULD));
            case ALL -> terms.forEach(term -> query.add(exact(field, term), BooleanClause.Occur.FILTER));
            case PREFIX -> {
                new LinkedHashSet<>(terms.subList(0, terms.size() - 1))
                        .forEach(term -> query.add(exact(field, term), BooleanClause.Occur.FILTER));
                query.add(beginning(field, terms.getLast()), BooleanClause.Occur.FILTER);
            }
            case PHRASE -> {
                return new PhraseQuery(
                        field.terms(), terms.stream().limit(PHRASE_TERMS_MAX).toArray(String[]::new));
            }
            case FUZZY -> {
                List<Query> near = near(field, terms, filter.edits(), payer);
                near.forEach(each -> query.add(each, BooleanClause.Occur.FILTER));
                if (near.isEmpty()) {
                    return null;
                }
            }
        }
        return query.build();
    }

    private static Query exact(IndexedField field, String term) {
        return new TermQuery(new Term(field.terms(), term));
    }

    private static Query beginning(IndexedField field, String term) {
        int chars = Math.min(term.length(), PREFIX_CHARS_MAX);
        String looked =
                term.substring(0, chars > 0 && Character.isHighSurrogate(term.charAt(chars - 1)) ? chars - 1 : chars);
        return new PrefixQuery(new Term(field.terms(), looked), MultiTermQuery.CONSTANT_SCORE_REWRITE);
    }

    /** The terms that few edits leave most of come first, as long as their automata are small together. */
    private static List<Query> near(IndexedField field, List<String> terms, int given, TextIndex.Payer payer) {
        List<Query> queries = new ArrayList<>();
        int oneEdit = 0;
        int twoEdits = 0;
        List<String> longestFirst = terms.stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
        for (String term : longestFirst) {
            int edits = given >= 0 ? given : FuzzyMatch.allowed(term.codePointCount(0, term.length()));
            int bytes = UnicodeUtil.calcUTF16toUTF8Length(term, 0, term.length());
            if (edits == 0) {
                queries.add(exact(field, term));
            } else if (edits == 1 && oneEdit + bytes <= ONE_EDIT_BYTES_MAX) {
                oneEdit += bytes;
                queries.add(near(field, term, 1, ONE_EDIT_HEAP * bytes, payer));
            } else if (edits == 2 && twoEdits + bytes <= TWO_EDITS_BYTES_MAX) {
                twoEdits += bytes;
                queries.add(near(field, term, 2, TWO_EDITS_HEAP * bytes, payer));
            }
        }
        return queries;
    }

    /** @param making heap that is allocated at most; what the query keeps of it is measured */
    private static Query near(IndexedField field, String term, int edits, long making, TextIndex.Payer payer) {
        payer.charge(making);
        Automaton near = new LevenshteinAutomata(term, true).toAutomaton(edits);
        AutomatonQuery query =
                new AutomatonQuery(new Term(field.terms(), term), near, false, MultiTermQuery.CONSTANT_SCORE_REWRITE);
        payer.bytes(Math.toIntExact(making));
        payer.release(Math.max(0, making - query.ramBytesUsed()));
        return query;
    }

    /**
     * About the heap that a search takes besides its query and its hits.
     *
     * @param documents of the index: a clause with many terms has a bit for each
     */
    static long searchBytes(Query query, int documents) {
        long clauses = query instanceof BooleanQuery all ? all.clauses().size() : PHRASE_TERMS_MAX;
        long sets = query instanceof BooleanQuery all
                ? all.clauses().stream()
                        .filter(clause -> clause.query() instanceof AutomatonQuery)
                        .count()
                : 0;
        return clauses * CLAUSE_BYTES + sets * documents / Byte.SIZE;
    }
}
