package service.http.route;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The conditional headers of RFC 9110 §13 for a blob, whose entity tag is strong. Repeated headers are joined into one
 * list.
 *
 * <p>Undertow's {@code ETagUtils} does not fit: it reads only the first header, ignores {@code *}, trims the content of
 * tags, and accepts tags without a closing quote.
 */
final class BlobPreconditions {
    /** One entity tag of a list. An item that is no entity tag ends the list. */
    private static final Pattern TAG = Pattern.compile("[\\s,]*(W/)?(\"[\\x21\\x23-\\x7E\\x80-\\xFF]*\")\\s*(?:,|$)");

    private BlobPreconditions() {}

    /** The result of the preconditions. */
    enum Outcome {
        PROCEED,
        PRECONDITION_FAILED,
        NOT_MODIFIED
    }

    /**
     * Evaluates {@code If-Match}, then {@code If-None-Match}.
     *
     * @param ifMatch all values of the header; empty when it is absent
     * @param ifNoneMatch all values of the header; empty when it is absent
     */
    static Outcome decide(List<String> ifMatch, List<String> ifNoneMatch, String etag) {
        if (!ifMatch.isEmpty() && !matches(ifMatch, etag, false)) {
            return Outcome.PRECONDITION_FAILED;
        }
        if (!ifNoneMatch.isEmpty() && matches(ifNoneMatch, etag, true)) {
            return Outcome.NOT_MODIFIED;
        }
        return Outcome.PROCEED;
    }

    /** Whether {@code If-Range} allows a partial answer: it is absent, or is the tag of the blob. */
    static boolean allowsRange(List<String> ifRange, String etag) {
        return ifRange.isEmpty()
                || (ifRange.size() == 1 && ifRange.getFirst().strip().equals(etag));
    }

    private static boolean matches(List<String> values, String etag, boolean weakly) {
        for (String value : values) {
            if (value.strip().equals("*")) {
                return true;
            }
            Matcher tag = TAG.matcher(value);
            int at = 0;
            while (at < value.length() && tag.region(at, value.length()).lookingAt()) {
                if (tag.group(2).equals(etag) && (weakly || tag.group(1) == null)) {
                    return true;
                }
                at = tag.end();
            }
        }
        return false;
    }
}
