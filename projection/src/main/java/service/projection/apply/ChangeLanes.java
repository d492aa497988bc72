package service.projection.apply;

import service.core.event.ChangeReader;
import service.core.schema.EntityType;
import service.core.schema.Lane;

/** The lanes of a changed edge before and after the change. */
final class ChangeLanes {
    private ChangeLanes() {}

    static Lane before(EntityType.EdgeType edge, ChangeReader change) {
        return lane(edge, change.beforeFromType(), change.beforeToType());
    }

    static Lane after(EntityType.EdgeType edge, ChangeReader change) {
        return lane(edge, change.afterFromType(), change.afterToType());
    }

    private static Lane lane(EntityType.EdgeType edge, int storedSource, int storedDestination) {
        return edge.lane(edge.source().type(storedSource), edge.destination().type(storedDestination));
    }
}
