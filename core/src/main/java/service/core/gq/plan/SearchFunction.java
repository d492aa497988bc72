package service.core.gq.plan;

import java.util.Locale;

/** The functions of search. */
public enum SearchFunction {
    /** Whether a text has terms: any of them, all, or all with the last one as a beginning. */
    SEARCH,
    /** Whether terms follow one another in a text. */
    MATCH_TEXT,
    /** Whether a text has terms that are like those given. */
    FUZZY,
    /** How well a text fits. */
    BM25,
    /** How similar a vector is. */
    NEAREST,
    /** Rankings fused. */
    RRF;

    /** The name as written. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it gives a score, of which greater ones are better. */
    public boolean isRanking() {
        return this == BM25 || this == NEAREST || this == RRF;
    }
}
