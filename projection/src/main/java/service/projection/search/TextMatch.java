package service.projection.search;

import java.util.Arrays;
import service.core.text.Work;

/** Decides whether a text meets a condition, while its terms pass by. One thread. */
public abstract class TextMatch implements TextAnalyzer.TermSink {
    /** Begins a text. */
    public abstract void begin();

    /** Whether the text, whose terms have all passed, meets the condition. */
    public abstract boolean holds();

    /** A text with any term of a query, or with all. */
    public static TextMatch ofTerms(QueryTerms terms, boolean all, Work work) {
        return new OfTerms(terms, all, work);
    }

    /** A text with all terms of a query, the last one as the beginning of a term. */
    public static TextMatch ofPrefix(QueryTerms terms, Work work) {
        return new OfPrefix(terms, work);
    }

    /** A text in which the terms of a query follow one another. */
    public static TextMatch ofPhrase(QueryTerms terms, Work work) {
        return new OfPhrase(terms, work);
    }

    private static final class OfTerms extends TextMatch {
        private final TermFrequencies frequencies;
        private final boolean all;

        OfTerms(QueryTerms terms, boolean all, Work work) {
            this.frequencies = new TermFrequencies(terms, work);
            this.all = all;
        }

        @Override
        public void begin() {
            frequencies.begin();
        }

        @Override
        public void term(char[] term, int length, int position) {
            frequencies.term(term, length, position);
        }

        @Override
        public boolean holds() {
            for (int f : frequencies.of) {
                if (f > 0 != all) {
                    return !all;
                }
            }
            return all;
        }
    }

    private static final class OfPrefix extends TextMatch {
        private final TermFrequencies frequencies;
        private final char[] prefix;

        /** Whether each distinct term occurs before the last place. */
        private final boolean[] whole;

        private boolean begins;

        OfPrefix(QueryTerms terms, Work work) {
            this.frequencies = new TermFrequencies(terms, work);
            int[] sequence = terms.sequence();
            this.prefix = terms.distinct().get(sequence[sequence.length - 1]).toCharArray();
            this.whole = new boolean[terms.distinct().size()];
            for (int i = 0; i < sequence.length - 1; i++) {
                whole[sequence[i]] = true;
            }
        }

        @Override
        public void begin() {
            frequencies.begin();
            begins = false;
        }

        @Override
        public void term(char[] term, int length, int position) {
            frequencies.term(term, length, position);
            begins |= length >= prefix.length && Arrays.equals(term, 0, prefix.length, prefix, 0, prefix.length);
        }

        @Override
        public boolean holds() {
            for (int i = 0; i < whole.length; i++) {
                if (whole[i] && frequencies.of[i] == 0) {
                    return false;
                }
            }
            return begins;
        }
    }

    /**
     * Keeps for each place of the phrase whether the phrase up to there ends at the last term of the text, as bits that
     * move by one with each term.
     */
    private static final class OfPhrase extends TextMatch {
        private final QueryTerms terms;
        private final Work work;
        private final int length;

        /** For each distinct term the places at which the phrase has it. */
        private final long[][] places;

        private final long[] reached;
        private int last;
        private boolean found;

        OfPhrase(QueryTerms terms, Work work) {
            this.terms = terms;
            this.work = work;
            this.length = terms.sequence().length;
            int words = (length + Long.SIZE - 1) / Long.SIZE;
            this.places = new long[terms.distinct().size()][words];
            this.reached = new long[words];
            for (int i = 0; i < length; i++) {
                places[terms.sequence()[i]][i / Long.SIZE] |= 1L << i;
            }
        }

        @Override
        public void begin() {
            Arrays.fill(reached, 0);
            last = -1;
            found = false;
        }

        @Override
        public void term(char[] term, int chars, int position) {
            work.steps(reached.length);
            int number = terms.number(term, chars);
            if (number < 0 || position != last + 1) {
                Arrays.fill(reached, 0);
            }
            last = position;
            if (number < 0) {
                return;
            }
            long carry = 1;
            for (int i = 0; i < reached.length; i++) {
                long next = reached[i] >>> (Long.SIZE - 1);
                reached[i] = (reached[i] << 1 | carry) & places[number][i];
                carry = next;
            }
            int end = length - 1;
            found |= (reached[end / Long.SIZE] >>> end & 1) != 0;
        }

        @Override
        public boolean holds() {
            return found;
        }
    }
}
