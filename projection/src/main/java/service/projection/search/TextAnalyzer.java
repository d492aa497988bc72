package service.projection.search;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import service.core.schema.AnalyzerName;
import service.core.value.Value;

/**
 * Turns texts into terms. The terms of a text stand at the positions 0, 1, 2 and so on; between the elements of a list
 * one position stays free, so that no phrase crosses.
 *
 * <p>Any thread. The streams of Lucene keep buffers, so they are pooled here: as many as processors, and none that a
 * long text has made large. Lucene's own pool would keep them for each virtual thread.
 */
public final class TextAnalyzer {
    /** Takes the terms of a text, one after the other. */
    public interface TermSink {
        /**
         * The next term.
         *
         * @param term holds the term; valid during this call only
         * @param length of the term in chars
         */
        void term(char[] term, int length, int position);
    }

    /** Length in chars of the texts whose streams are kept: a tokenizer has a buffer of that size. */
    private static final int POOLED = 4_096;

    private final AnalyzerName name;
    private final UnaryOperator<TokenStream> filters;
    private final ArrayBlockingQueue<Stream> pool =
            new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

    TextAnalyzer(AnalyzerName name, UnaryOperator<TokenStream> filters) {
        this.name = name;
        this.filters = filters;
    }

    /** The analyzer of that name, which the whole process shares. */
    public static TextAnalyzer of(AnalyzerName name) {
        return Analyzers.of(name);
    }

    public AnalyzerName name() {
        return name;
    }

    /** The terms of a text. */
    public List<String> terms(String text) {
        List<String> terms = new ArrayList<>();
        terms(text, 0, (term, length, position) -> terms.add(new String(term, 0, length)));
        return terms;
    }

    /** Gives the terms of a String or a list of Strings to a sink. */
    public void terms(Value value, TermSink sink) {
        switch (value) {
            case Value.Text text -> terms(text.value(), 0, sink);
            case Value.ListOf list -> {
                int position = 0;
                for (Value item : list.items()) {
                    position = 1 + terms(((Value.Text) item).value(), position, sink);
                }
            }
            default -> throw new IllegalArgumentException("no text: " + value);
        }
    }

    /**
     * Gives the terms of one text to a sink.
     *
     * @param start position of the first term
     * @return the position after the last term
     */
    public int terms(String text, int start, TermSink sink) {
        if (name == AnalyzerName.WHOLE) {
            return whole(text, start, sink);
        }
        Stream taken = text.length() <= POOLED ? pool.poll() : null;
        Stream stream = taken != null ? taken : new Stream(text.length(), filters);
        int end;
        try {
            end = stream.run(text, start, sink);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (text.length() <= POOLED) {
            pool.offer(stream);
        }
        return end;
    }

    private static int whole(String text, int start, TermSink sink) {
        if (text.isEmpty()) {
            return start;
        }
        StringBuilder lower = new StringBuilder(text.length());
        text.codePoints().forEach(point -> lower.appendCodePoint(Character.toLowerCase(point)));
        char[] term = lower.toString().toCharArray();
        sink.term(term, term.length, start);
        return start + 1;
    }

    /** A tokenizer with its filters. A stream that threw is not used again. One thread at a time. */
    private static final class Stream {
        private final StandardTokenizer words = new StandardTokenizer();
        private final TokenStream last;
        private final CharTermAttribute term;

        /**
         * @param length of the longest text in chars: the tokenizer cuts no word within it, because `LongWords` does
         */
        Stream(int length, UnaryOperator<TokenStream> filters) {
            words.setMaxTokenLength(Math.clamp(length, POOLED, StandardTokenizer.MAX_TOKEN_LENGTH_LIMIT));
            last = filters.apply(new LongWords(words));
            term = last.getAttribute(CharTermAttribute.class);
        }

        int run(String text, int start, TermSink sink) throws IOException {
            int position = start;
            words.setReader(new StringReader(text));
            last.reset();
            while (last.incrementToken()) {
                sink.term(term.buffer(), term.length(), position++);
            }
            last.end();
            last.close();
            return position;
        }
    }
}
