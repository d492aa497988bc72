package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.TakenSides;
import service.core.value.EntityKind;

/**
 * What an entity in conflict, or one of its properties, becomes by a merge.
 *
 * @param typeName the name of the type in the target's schema
 * @param property a property, or {@code from} or {@code to} for an end of an edge; null for everything of the entity
 *     that is in conflict and that no other resolution names
 */
public record Resolution(
        EntityKind kind,
        String typeName,
        String entityId,
        @Nullable String property,
        Choice choice) {
    /** The new state: that of a side, or a given value of a property. */
    public sealed interface Choice {}

    /** A side of a merge. */
    public enum Side implements Choice {
        SOURCE,
        TARGET;

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A value for a property, as JSON; null is the value null. */
    public record Given(JsonNode value) implements Choice {}

    /**
     * Makes a resolution of an entity from the texts of a request.
     *
     * @throws ServiceException {@code bad_request} when the kind or the side is another word
     */
    public static Resolution of(String kind, String typeName, String entityId, String take) {
        return of(kind, typeName, entityId, null, side(take));
    }

    /**
     * Makes a resolution from the parts of a request.
     *
     * @throws ServiceException {@code bad_request} when the kind is another word
     */
    public static Resolution of(
            String kind, String typeName, String entityId, @Nullable String property, Choice choice) {
        EntityKind found = EntityKind.ofWireName(kind);
        if (found == null) {
            throw ServiceException.badRequest("`entity_kind` of a resolution must be node or edge, not `" + kind + "`");
        }
        return new Resolution(found, typeName, entityId, property, choice);
    }

    /** The side of that name; {@code bad_request} for another word. */
    static Side side(String take) {
        return switch (take) {
            case "source" -> Side.SOURCE;
            case "target" -> Side.TARGET;
            default ->
                throw ServiceException.badRequest(
                        "`take` of a resolution must be source or target, not `" + take + "`");
        };
    }

    /** What it decides, as it stands in messages. */
    String subject() {
        String entity = kind.wireName() + " " + typeName + " `" + entityId + "`";
        return property == null ? entity : "`" + property + "` of " + entity;
    }

    /** What resolutions take, as the commit of the merge records it; null when there are none. All of them are used. */
    static @Nullable TakenSides sides(List<Resolution> resolutions) {
        return resolutions.isEmpty()
                ? null
                : new TakenSides(
                        count(resolutions, Side.SOURCE),
                        count(resolutions, Side.TARGET),
                        ResolutionJson.array(resolutions));
    }

    private static int count(List<Resolution> resolutions, Side side) {
        return (int) resolutions.stream().filter(each -> each.choice == side).count();
    }

    /** The whole resolution as it counts in the digest of a request. */
    String text() {
        return switch (choice) {
            case Side side -> side.wireName() + " " + subject();
            case Given(JsonNode value) -> "value " + value + " " + subject();
        };
    }
}
