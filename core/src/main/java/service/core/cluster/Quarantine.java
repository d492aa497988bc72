package service.core.cluster;

import java.util.Objects;
import java.util.regex.Pattern;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;

/**
 * Why a graph is not served. Immutable.
 *
 * @param reason in full, for operators and their log; it may name files, addresses and stored queries
 * @param shown for callers who may see that the graph exists; it names none of these
 */
public record Quarantine(String reason, String shown) {
    /** A word with a slash: a path, or an address with a scheme. The name of a file that every graph has is shown. */
    private static final Pattern PLACES = Pattern.compile(
            "[^\\s`'\",;()]*/(?:(data\\.mdb|lock\\.mdb|writer\\.lock)(?![^\\s`'\",;()])|[^\\s`'\",;()]*)");

    private static final String MASK = "…";

    /** A reason that names no stored query; callers see it without the places in it. */
    public static Quarantine of(String reason) {
        return new Quarantine(
                reason, PLACES.matcher(reason).replaceAll(place -> Objects.requireNonNullElse(place.group(1), MASK)));
    }

    /** The refusal of a request to the graph. */
    public ServiceException refusal(String graphId) {
        return new ServiceException(ErrorCode.GRAPH_QUARANTINED, "graph `" + graphId + "` is quarantined: " + shown);
    }
}
