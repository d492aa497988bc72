package service.core.graph.branch;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.TakenSides;
import service.core.value.EntityKind;

/**
 * The side of a merge whose state an entity takes that both sides have changed differently.
 *
 * @param typeName the name of the type in the target's schema
 */
public record Resolution(EntityKind kind, String typeName, String entityId, Side take) {
    /** A side of a merge. */
    public enum Side {
        SOURCE,
        TARGET;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Makes a resolution from the texts of a request.
     *
     * @throws ServiceException {@code bad_request} when the kind or the side is another word
     */
    public static Resolution of(String kind, String typeName, String entityId, String take) {
        Side side = switch (take) {
            case "source" -> Side.SOURCE;
            case "target" -> Side.TARGET;
            default ->
                throw ServiceException.badRequest(
                        "`take` of a resolution must be source or target, not `" + take + "`");
        };
        for (EntityKind found : EntityKind.values()) {
            if (found.wireName().equals(kind)) {
                return new Resolution(found, typeName, entityId, side);
            }
        }
        throw ServiceException.badRequest("`entity_kind` of a resolution must be node or edge, not `" + kind + "`");
    }

    /** The entity as it stands in messages. */
    String entity() {
        return kind.wireName() + " " + typeName + " `" + entityId + "`";
    }

    /** What resolutions take, as the commit of the merge records it; null when there are none. All of them are used. */
    static @Nullable TakenSides sides(List<Resolution> resolutions) {
        int source = (int)
                resolutions.stream().filter(each -> each.take == Side.SOURCE).count();
        return resolutions.isEmpty()
                ? null
                : new TakenSides(source, resolutions.size() - source, ResolutionJson.array(resolutions));
    }

    /** The whole resolution as it counts in the digest of a request. */
    String text() {
        return take.wireName() + " " + entity();
    }
}
