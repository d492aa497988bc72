package service.http.route;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Int64Form;

/**
 * Chooses the form of an answer by the header {@code Accept} (RFC 9110 §12.5.1).
 *
 * <p>The most specific media range that fits a form decides its weight. Of the forms with the highest weight the one
 * that the client names most precisely is chosen, then the one that the route offers first. So {@code application/json,
 * text/event-stream} asks for JSON where both are offered, and {@code text/event-stream, *}{@code /*} for events. A
 * header that only excludes ({@code text/html;q=0}) accepts what it does not name, and so does an empty one. Parameters
 * besides {@code int64}, {@code charset} and the weight are ignored.
 */
public final class Accept {
    private static final String CHARSET = "charset";
    private static final List<String> UTF_8 = List.of("utf-8", "utf8");
    private static final int UNFIT = -1;

    private Accept() {}

    /**
     * Returns the form of the answer.
     *
     * @param header all values of {@code Accept}; empty without the header
     * @param offered what the route answers with, the usual one first
     * @param offersInt64 whether its answers may have 64-bit integers as strings
     * @throws ServiceException NOT_ACCEPTABLE when the header excludes every form
     */
    public static Representation choose(List<String> header, List<Media> offered, boolean offersInt64) {
        if (header.isEmpty()) {
            return new Representation(offered.getFirst(), Int64Form.NUMBER);
        }
        List<Weights.Item> ranges = Weights.items(header);
        double unnamed = ranges.stream().allMatch(range -> range.weight() == 0) ? 1 : 0;
        Representation best = null;
        double bestWeight = 0;
        int bestFit = UNFIT;
        for (Media media : offered) {
            EnumSet<Int64Form> forms =
                    offersInt64 && media.isText() ? EnumSet.allOf(Int64Form.class) : EnumSet.of(Int64Form.NUMBER);
            for (Int64Form int64 : forms) {
                Weighted found = weighted(ranges, new Representation(media, int64), offersInt64, unnamed);
                if (found.weight > bestWeight
                        || (found.weight == bestWeight && found.weight > 0 && found.fit > bestFit)) {
                    best = new Representation(media, int64);
                    bestWeight = found.weight;
                    bestFit = found.fit;
                }
            }
        }
        if (best == null) {
            throw refusal(offered, offersInt64);
        }
        return best;
    }

    private record Weighted(double weight, int fit) {}

    private static Weighted weighted(
            List<Weights.Item> ranges, Representation form, boolean offersInt64, double unnamed) {
        double weight = unnamed;
        int fit = UNFIT;
        for (Weights.Item range : ranges) {
            int fits = fit(range, form, offersInt64);
            if (fits > fit || (fits == fit && fits != UNFIT && range.weight() > weight)) {
                weight = range.weight();
                fit = fits;
            }
        }
        return new Weighted(weight, fit);
    }

    /** How precisely a media range names a form: the higher the more precisely; {@link #UNFIT} where it does not. */
    private static int fit(Weights.Item range, Representation form, boolean offersInt64) {
        String type = form.media().type();
        int precision = switch (range.name()) {
            case "*/*", "*" -> 0;
            default -> {
                if (range.name().equals(type)) {
                    yield 4;
                }
                yield range.name().equals(type.substring(0, type.indexOf('/') + 1) + "*") ? 2 : UNFIT;
            }
        };
        if (precision == UNFIT || !form.media().isText()) {
            return precision;
        }
        String charset = range.parameters().get(CHARSET);
        if (charset != null && !UTF_8.contains(charset.toLowerCase(Locale.ROOT))) {
            return UNFIT;
        }
        String int64 = range.parameters().get(Representation.INT64);
        if (int64 == null || !offersInt64) {
            return precision;
        }
        return int64.equalsIgnoreCase(form.int64().name()) ? precision + 1 : UNFIT;
    }

    private static ServiceException refusal(List<Media> offered, boolean offersInt64) {
        String types = offered.stream().map(Media::type).collect(Collectors.joining(" and "));
        boolean takesInt64 = offersInt64 && offered.stream().anyMatch(Media::isText);
        return new ServiceException(
                ErrorCode.NOT_ACCEPTABLE,
                "`Accept` excludes every answer of this route, which are " + types
                        + (takesInt64 ? " (also with `;int64=string`)" : "")
                        + " in UTF-8; accept one of them, or leave the header out");
    }
}
