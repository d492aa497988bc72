package service.core.port;

import java.util.List;

/**
 * A condition on one text of an entity, as an index looks for it.
 *
 * @param terms of the query, made by the analyzer of the property, in order; those of {@link Kind#PHRASE} with
 *     repetitions
 * @param edits of {@link Kind#FUZZY}: at most so many for each term, −1 by its length; 0 otherwise
 */
public record TextFilter(Kind kind, List<String> terms, int edits) {
    /** What the text must have. */
    public enum Kind {
        /** A term of the query. */
        ANY,
        /** Every term of the query. */
        ALL,
        /** Every term of the query, the last one as the beginning of a term. */
        PREFIX,
        /** The terms of the query one after the other. */
        PHRASE,
        /** For each term of the query one that is at most so many edits away. */
        FUZZY
    }

    public TextFilter {
        terms = List.copyOf(terms);
    }

    public static TextFilter of(Kind kind, List<String> terms) {
        return new TextFilter(kind, terms, 0);
    }
}
