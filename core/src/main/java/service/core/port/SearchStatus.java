package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.EntityKind;

/**
 * What the indexes of a graph have.
 *
 * @param kept whether this process keeps indexes of the graph; a server that only reads does not
 * @param position offset of the last event that the index of {@code main} shows; −1 without one
 * @param indexes those of {@code main}
 * @param branches other branches that have an index
 */
public record SearchStatus(boolean kept, long position, List<IndexState> indexes, List<BranchIndex> branches) {
    public static final SearchStatus NONE = new SearchStatus(false, -1, List.of(), List.of());

    /** A property with {@code @search}. */
    public record Property(EntityKind kind, String typeName, String property) {}

    /** What an index does. */
    public enum State {
        /** It follows the commits. */
        READY,
        /** It is made from the records; searches read them meanwhile. */
        BUILDING,
        /** It does not follow while the disk is nearly full. */
        PAUSED,
        /** It could not be written or read, and is opened again after a pause. */
        FAILED
    }

    /**
     * One index.
     *
     * @param reason why it is paused or has failed; null otherwise
     * @param indexed values that it has
     * @param bytes on disk: those of the directory are shared among the properties by the number of their values
     */
    public record IndexState(
            Property property, State state, @Nullable String reason, long indexed, long bytes) {}

    /** The own index of a branch: the entities that it has, and its bytes on disk. */
    public record BranchIndex(int incarnation, long ownEntities, long bytes) {}
}
