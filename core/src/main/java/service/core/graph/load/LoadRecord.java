package service.core.graph.load;

import org.jspecify.annotations.Nullable;
import service.core.schema.EntityType;
import service.core.value.PropertyRow;

/**
 * One decoded record of a load.
 *
 * @param line its line, from 1
 * @param id given or derived from the key; null when the writer makes one
 * @param given the values that are not null
 * @param cleared identities of the properties given as null, ascending
 * @param from id of the source; null for a node
 * @param to id of the destination; null for a node
 * @param endTypes null for a node, and for an edge between nodes of the first types of its ends
 */
record LoadRecord(
        EntityType type,
        int line,
        @Nullable String id,
        PropertyRow given,
        int[] cleared,
        @Nullable String from,
        @Nullable String to,
        @Nullable EndTypes endTypes) {
    /**
     * How an image names the node types of the ends.
     *
     * @param from {@link #OPEN} where the record gives only an id, and several types may stand there
     * @param to as {@code from}
     */
    record EndTypes(int from, int to) {
        static final int OPEN = -1;
    }

    LoadRecord withId(String assigned) {
        return new LoadRecord(type, line, assigned, given, cleared, from, to, endTypes);
    }

    LoadRecord withEnds(EndTypes resolved) {
        return new LoadRecord(type, line, id, given, cleared, from, to, resolved);
    }

    /** Whether only the data says of which type an end is. */
    boolean hasOpenEnd() {
        return endTypes != null && (endTypes.from == EndTypes.OPEN || endTypes.to == EndTypes.OPEN);
    }
}
