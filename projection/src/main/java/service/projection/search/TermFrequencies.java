package service.projection.search;

import java.util.Arrays;
import service.core.text.Work;

/** Counts the terms of a text, and how often it has each term of a query. One thread. */
public final class TermFrequencies implements TextAnalyzer.TermSink {
    private final QueryTerms terms;
    private final Work work;

    /** How often the text has each distinct term of the query. */
    public final int[] of;

    /** The number of terms of the text. */
    public int length;

    public TermFrequencies(QueryTerms terms, Work work) {
        this.terms = terms;
        this.work = work;
        this.of = new int[terms.distinct().size()];
    }

    /** Begins a text. */
    public void begin() {
        length = 0;
        Arrays.fill(of, 0);
    }

    @Override
    public void term(char[] term, int chars, int position) {
        work.step();
        length++;
        int number = terms.number(term, chars);
        if (number >= 0) {
            of[number]++;
        }
    }
}
