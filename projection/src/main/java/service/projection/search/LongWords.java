package service.projection.search;

import java.io.IOException;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/** Cuts words of more than 255 code points into several, of 255 each but the last. */
final class LongWords extends TokenFilter {
    static final int LONGEST = 255;

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);

    /** The word that is being cut; the type of its pieces stays the type of the word. */
    private char[] word = new char[0];

    private int length;
    private int done;
    private int offsetOfWord;

    LongWords(TokenStream input) {
        super(input);
    }

    @Override
    public boolean incrementToken() throws IOException {
        if (done == length) {
            if (!input.incrementToken()) {
                return false;
            }
            if (Character.codePointCount(term.buffer(), 0, term.length()) <= LONGEST) {
                return true;
            }
            word = term.toString().toCharArray();
            length = word.length;
            done = 0;
            offsetOfWord = offset.startOffset();
        }
        int left = Character.codePointCount(word, done, length - done);
        int end = left <= LONGEST ? length : Character.offsetByCodePoints(word, 0, length, done, LONGEST);
        term.copyBuffer(word, done, end - done);
        offset.setOffset(offsetOfWord + done, offsetOfWord + end);
        done = end;
        return true;
    }

    @Override
    public void reset() throws IOException {
        super.reset();
        done = 0;
        length = 0;
    }
}
