package service.core.event;

/**
 * The ordinals of the entities of a {@link ChangeBlock}, and of the ends of its new edges, in one state of the tables.
 * The thread that checks the changes looks them up, so that the writer need not. They are no part of an event, and the
 * writer uses them only while that state is the newest.
 *
 * <p>An ordinal is not negative. Immutable; any thread.
 */
public final class ResolvedIds {
    /** An entity without an ordinal, or an end that is not known. */
    public static final int NONE = -1;

    /** The most edges whose ends are looked up at once: more need more memory than is charged for a look-up. */
    public static final int WINDOW_EDGES = 32_768;

    private static final int FIRST_CHANGE = -2;

    private final long offset;
    private final int[] entities;
    private final int firstEdge;
    private final int[] sources;
    private final int[] destinations;

    /**
     * Takes the arrays, which must not change afterwards.
     *
     * @param offset of the last event in the state
     * @param entities by index of the change: the entity's ordinal, or NONE
     * @param sources by index of the change less {@code firstEdge}: an ordinal of a live node that the block does not
     *     change, a change of the block as {@link #ofChange} gives it, or NONE
     * @param destinations as {@code sources}
     */
    public ResolvedIds(long offset, int[] entities, int firstEdge, int[] sources, int[] destinations) {
        this.offset = offset;
        this.entities = entities;
        this.firstEdge = firstEdge;
        this.sources = sources;
        this.destinations = destinations;
    }

    /**
     * The same ordinals in a later state.
     *
     * @param later offset of the last event in a state in which none of the entities and ends has changed
     */
    public ResolvedIds at(long later) {
        return new ResolvedIds(later, entities, firstEdge, sources, destinations);
    }

    /** Offset of the last event in the state. */
    public long offset() {
        return offset;
    }

    /** A copy of the ordinals of the entities, by index of the change; NONE for an entity without one. */
    public int[] entities() {
        return entities.clone();
    }

    /** The source of the edge that the change at an index inserts. */
    public int source(int index) {
        return sources[index - firstEdge];
    }

    /** The destination of the edge that the change at an index inserts. */
    public int destination(int index) {
        return destinations[index - firstEdge];
    }

    /** An end that the change at an index inserts or changes. */
    public static int ofChange(int index) {
        return FIRST_CHANGE - index;
    }

    /** Whether an end is a change of the block. */
    public static boolean isChange(int end) {
        return end <= FIRST_CHANGE;
    }

    /** The index of the change that an end is. */
    public static int changeOf(int end) {
        return FIRST_CHANGE - end;
    }
}
