package service.core.graph.branch;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.EntityKind;

/**
 * The resolutions of one run of a merge. Every one must be used: one for an entity that is not in conflict comes from
 * an older state of the branches or is a mistake, and is refused. One thread, one use.
 */
final class Resolutions {
    private record Name(int type, String id) {}

    private final Map<Name, Resolution> open = new LinkedHashMap<>();
    private final Map<Name, Resolution> used = new HashMap<>();
    private int source;

    /** @throws ServiceException {@code bad_request} for an unknown type and for an entity that is named twice */
    Resolutions(List<Resolution> resolutions, Catalog catalog) {
        for (Resolution resolution : resolutions) {
            EntityType type = resolution.kind() == EntityKind.NODE
                    ? catalog.node(resolution.typeName())
                    : catalog.edge(resolution.typeName());
            if (type == null) {
                throw ServiceException.badRequest("a resolution names the unknown type `" + resolution.typeName()
                        + "` of a " + resolution.kind().wireName());
            }
            if (open.put(new Name(type.identity(), resolution.entityId()), resolution) != null) {
                throw ServiceException.badRequest(
                        "the resolutions name " + resolution.entity() + " twice; keep one of them");
            }
        }
    }

    /** Uses the resolution of an entity in conflict; null when there is none. */
    Resolution.@Nullable Side use(int type, String id) {
        Name name = new Name(type, id);
        Resolution found = open.remove(name);
        if (found == null) {
            return null;
        }
        used.put(name, found);
        source += found.take() == Resolution.Side.SOURCE ? 1 : 0;
        return found.take();
    }

    /** Whether a used resolution gives the entity the state of the target. */
    boolean keepsTarget(int type, String id) {
        Resolution found = used.get(new Name(type, id));
        return found != null && found.take() == Resolution.Side.TARGET;
    }

    /** The number of used resolutions by side. */
    MergeResult.Resolved counts() {
        return new MergeResult.Resolved(source, used.size() - source);
    }

    /** @throws ServiceException {@code conflict} when a resolution was not used */
    void refuseNeedless() {
        if (!open.isEmpty()) {
            throw needless(open.values().iterator().next());
        }
    }

    /** The refusal of a resolution of an entity that is not in conflict. */
    static ServiceException needless(Resolution resolution) {
        return new ServiceException(
                ErrorCode.CONFLICT,
                "the resolution of " + resolution.entity()
                        + " is stale or needless: the two sides have not changed it differently;"
                        + " preview the merge again and leave out that resolution");
    }
}
