package service.projection.search;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import service.core.schema.AnalyzerName;

/**
 * A text that is searched for, as terms: their sequence, and the distinct ones in the order of first appearance, which
 * have numbers from 0. Immutable; any thread.
 */
public final class QueryTerms {
    /** The length of a text that is searched for, in bytes of UTF-8. */
    public static final int BYTES_MAX = 8 << 10;

    /** Distinct terms of a text that is searched for. */
    public static final int TERMS_MAX = 64;

    private static final int NO_TERM = -1;

    /** Bytes of a term, besides those of the text. */
    private static final long TERM_BYTES = 160;

    private final AnalyzerName analyzer;
    private final List<String> distinct;
    private final int[] sequence;

    /** Numbers of terms by hash, twice as many as there may be. */
    private final int[] table;

    private QueryTerms(AnalyzerName analyzer, List<String> distinct, List<String> sequence) {
        this.analyzer = analyzer;
        this.distinct = List.copyOf(distinct);
        this.table = new int[Math.max(2, Integer.highestOneBit(distinct.size()) * 4)];
        for (int number = 0; number < distinct.size(); number++) {
            char[] term = distinct.get(number).toCharArray();
            int place = hash(term, term.length) & (table.length - 1);
            while (table[place] != 0) {
                place = (place + 1) & (table.length - 1);
            }
            table[place] = number + 1;
        }
        this.sequence = sequence.stream().mapToInt(distinct::indexOf).toArray();
    }

    /** Analyses a text of at most {@link #BYTES_MAX}. It may have more than {@link #TERMS_MAX} distinct terms. */
    public static QueryTerms of(AnalyzerName analyzer, String text) {
        // Half a surrogate pair, which no stored text has, would end the tokenizer's text.
        String whole = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        List<String> sequence = TextAnalyzer.of(analyzer).terms(whole);
        Set<String> distinct = new LinkedHashSet<>(sequence);
        return new QueryTerms(analyzer, new ArrayList<>(distinct), sequence);
    }

    /** Different terms that were analysed already. */
    public static QueryTerms ofTerms(AnalyzerName analyzer, List<String> distinct) {
        return new QueryTerms(analyzer, distinct, distinct);
    }

    public AnalyzerName analyzer() {
        return analyzer;
    }

    /** The distinct terms, by number. */
    public List<String> distinct() {
        return distinct;
    }

    /** The terms, one after the other. */
    public List<String> inOrder() {
        return Arrays.stream(sequence).mapToObj(distinct::get).toList();
    }

    /** The numbers of the terms, one after the other. */
    int[] sequence() {
        return sequence;
    }

    /** About the bytes that they take, with what decides a condition on them. */
    public long bytes() {
        long words = 1L + sequence.length / Long.SIZE;
        return distinct.size() * (TERM_BYTES + Long.BYTES * words) + (long) Integer.BYTES * sequence.length;
    }

    public boolean isEmpty() {
        return distinct.isEmpty();
    }

    /** The number of a term; −1 when it is none of these. */
    int number(char[] term, int length) {
        int place = hash(term, length) & (table.length - 1);
        while (table[place] != 0) {
            String known = distinct.get(table[place] - 1);
            if (isSame(known, term, length)) {
                return table[place] - 1;
            }
            place = (place + 1) & (table.length - 1);
        }
        return NO_TERM;
    }

    private static boolean isSame(String known, char[] term, int length) {
        if (known.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (known.charAt(i) != term[i]) {
                return false;
            }
        }
        return true;
    }

    private static int hash(char[] term, int length) {
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + term[i];
        }
        return hash ^ (hash >>> 15);
    }
}
