package service.core.text;

/**
 * A range of the source.
 *
 * @param start offset of its first UTF-16 unit
 * @param end offset after its last unit
 */
public record Span(int start, int end) {
    /** From the start of this one to the end of that one. */
    public Span to(Span last) {
        return new Span(start, last.end);
    }
}
