package service.core.graph.check;

import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.Image;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.Value;

/** The ends of images of edges. */
public final class EdgeImages {
    /** An id with its type, as records have it. */
    public static final String IN_RECORDS = "{\"type\": \"%s\", \"id\": …}";

    /** The same in GQ. */
    public static final String IN_QUERIES = "{type: \"%s\", id: …}";

    private EdgeImages() {}

    /** Identity of the node type at the end from which the edge is followed. */
    public static int type(EntityType.EdgeType edge, Image image, Direction direction) {
        return edge.near(direction).type(direction == Direction.OUT ? image.fromType() : image.toType());
    }

    /** The id of the node at the end from which the edge is followed. */
    public static @Nullable String id(Image image, Direction direction) {
        return direction == Direction.OUT ? image.from() : image.to();
    }

    /** Whether a node is at the end from which the edge is followed. */
    public static boolean isAt(EntityType.EdgeType edge, Image image, Direction direction, int nodeType, String id) {
        return Objects.equals(id, id(image, direction)) && type(edge, image, direction) == nodeType;
    }

    /**
     * Identity of the node type of an end that was given by an id alone.
     *
     * @param what the name of the end, for messages
     * @param isLive whether a type has a live node with the id
     * @param form how an id with its type is written there: {@link #IN_RECORDS} or {@link #IN_QUERIES}
     * @throws ServiceException 400 {@code orphan_edge} without such a node, and 400 with more than one
     */
    public static int typeOf(EdgeEnd end, String what, String id, IntPredicate isLive, String form) {
        EdgeEnd.NodeName found = null;
        for (EdgeEnd.NodeName type : end.types()) {
            if (!isLive.test(type.identity())) {
                continue;
            }
            if (found != null) {
                throw ServiceException.badRequest(
                        Reason.RECORD,
                        "`%s` is `%s`, which is the id of a %s and of a %s: write %s"
                                .formatted(what, id, found.name(), type.name(), form.formatted(found.name())));
            }
            found = type;
        }
        if (found == null) {
            throw ServiceException.badRequest(
                    Reason.ORPHAN_EDGE, "`%s` is `%s`, but no %s has that id".formatted(what, id, end.names()));
        }
        return found.identity();
    }

    /**
     * Identity of the node type that a text names.
     *
     * @throws ServiceException 400 when no such type may stand at the end
     */
    public static int named(EdgeEnd end, String what, Value name) {
        for (EdgeEnd.NodeName type : end.types()) {
            if (name instanceof Value.Text text && type.name().equals(text.value())) {
                return type.identity();
            }
        }
        throw ServiceException.badRequest(
                Reason.ORPHAN_EDGE,
                "`%s` is a `%s`, but that end is a `%s`"
                        .formatted(what, name instanceof Value.Text text ? text.value() : "null", end.text()));
    }
}
