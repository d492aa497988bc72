package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.Direction;

/**
 * Two hops that meet: {@code open} binds a node {@code c} from a node {@code b}, and the hop after it keeps the rows in
 * which {@code c} is also a neighbour of a node {@code a} that was bound before. The rows are those with a {@code c} in
 * both lists of neighbours, so these can be intersected.
 *
 * @param open the hop that binds {@code c}
 * @param other the slot of {@code a}
 * @param step the second hop, from {@code a} to {@code c}
 */
public record ClosedHop(Node.Expand open, int other, Node.Step step) {
    /** The hops that end with this one; null when it has another form. */
    public static @Nullable ClosedHop of(Node.Expand closing) {
        if (!closing.far().bound()
                || !isPlain(closing)
                || !(closing.input() instanceof Node.Expand open)
                || open.far().bound()
                || !isPlain(open)) {
            return null;
        }
        int meeting = open.far().slot();
        int near = closing.near();
        int far = closing.far().slot();
        if ((near == meeting) == (far == meeting)) {
            return null;
        }
        Node.Step step = closing.steps().getFirst();
        Node.Step fromOther = far == meeting ? step : new Node.Step(step.lane(), opposite(step.direction()));
        return fromOther.farType() == open.steps().getFirst().farType()
                ? new ClosedHop(open, near == meeting ? far : near, fromOther)
                : null;
    }

    /** Whether the hop follows one edge type in one direction and binds no edge. */
    private static boolean isPlain(Node.Expand hop) {
        List<Node.Step> steps = hop.steps();
        return hop.edge() < 0 && steps.size() == 1 && !hop.undirected();
    }

    private static Direction opposite(Direction direction) {
        return direction == Direction.OUT ? Direction.IN : Direction.OUT;
    }
}
