package service.projection.search.index;

import java.util.Arrays;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.PositionIncrementAttribute;
import service.projection.search.TextAnalyzer;

/** Holds the terms of one text and gives them to Lucene. Reused; one thread. */
final class TermsStream extends TokenStream implements TextAnalyzer.TermSink {
    /**
     * Longer terms are cut: Lucene takes 32,766 bytes at most. No query has a term of that length, as it has 8 KiB, so
     * none is equal to a term that was cut, and the beginning of one stays the same.
     */
    private static final int TERM_CHARS_MAX = 10_000;

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final PositionIncrementAttribute increment = addAttribute(PositionIncrementAttribute.class);
    private char[] chars = new char[256];
    private int[] ends = new int[32];
    private int[] positions = new int[32];
    private int size;
    private int at;

    /** Forgets the terms before. */
    void clear() {
        size = 0;
        at = 0;
    }

    /** Number of terms. */
    int size() {
        return size;
    }

    @Override
    public void term(char[] from, int length, int position) {
        int kept = length;
        if (kept > TERM_CHARS_MAX) {
            kept = Character.isHighSurrogate(from[TERM_CHARS_MAX - 1]) ? TERM_CHARS_MAX - 1 : TERM_CHARS_MAX;
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
            positions = Arrays.copyOf(positions, 2 * size);
        }
        int start = size == 0 ? 0 : ends[size - 1];
        if (start + kept > chars.length) {
            chars = Arrays.copyOf(chars, Math.max(2 * chars.length, start + kept));
        }
        System.arraycopy(from, 0, chars, start, kept);
        ends[size] = start + kept;
        positions[size++] = position;
    }

    @Override
    public void reset() {
        at = 0;
    }

    @Override
    public boolean incrementToken() {
        if (at == size) {
            return false;
        }
        clearAttributes();
        int start = at == 0 ? 0 : ends[at - 1];
        term.copyBuffer(chars, start, ends[at] - start);
        increment.setPositionIncrement(positions[at] - (at == 0 ? -1 : positions[at - 1]));
        at++;
        return true;
    }
}
