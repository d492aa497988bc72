package service.core.event;

import service.core.value.EntityKind;

/** The numbers of entities that a commit inserted, updated and deleted. */
public record ChangeCounts(
        int nodesInserted, int nodesUpdated, int nodesDeleted, int edgesInserted, int edgesUpdated, int edgesDeleted) {
    public static final ChangeCounts NONE = new ChangeCounts(0, 0, 0, 0, 0, 0);

    public static ChangeCounts of(Iterable<EntityChange> changes) {
        int[] counts = new int[6];
        for (EntityChange change : changes) {
            int operation = change.before() == null ? 0 : change.after() == null ? 2 : 1;
            counts[(change.kind() == EntityKind.NODE ? 0 : 3) + operation]++;
        }
        return new ChangeCounts(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
    }

    public int nodes() {
        return nodesInserted + nodesUpdated + nodesDeleted;
    }

    public int edges() {
        return edgesInserted + edgesUpdated + edgesDeleted;
    }
}
