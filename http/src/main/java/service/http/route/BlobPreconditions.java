package service.http.route;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The conditional headers of RFC 9110 §13 over a representation whose one entity tag is strong. A header that stands
 * several times is one list.
 */
final class BlobPreconditions {
    /** An entity tag in a list; what is none matches nothing. */
    private static final Pattern TAG = Pattern.compile("[\\s,]*(W/)?(\"[\\x21\\x23-\\x7E\\x80-\\xFF]*\")\\s*(?:,|$)");

    private BlobPreconditions() {}

    /** What the conditions leave to do. */
    enum Outcome {
        GO_ON,
        PRECONDITION_FAILED,
        NOT_MODIFIED
    }

    /**
     * Decides {@code If-Match}, then {@code If-None-Match}.
     *
     * @param ifMatch values of the header; empty when it is absent
     * @param ifNoneMatch likewise
     */
    static Outcome decide(List<String> ifMatch, List<String> ifNoneMatch, String etag) {
        if (!ifMatch.isEmpty() && !matches(ifMatch, etag, false)) {
            return Outcome.PRECONDITION_FAILED;
        }
        if (!ifNoneMatch.isEmpty() && matches(ifNoneMatch, etag, true)) {
            return Outcome.NOT_MODIFIED;
        }
        return Outcome.GO_ON;
    }

    /** Whether {@code If-Range} lets a range be answered: absent, or the one strong tag. */
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
