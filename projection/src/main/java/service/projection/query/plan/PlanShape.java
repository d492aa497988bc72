package service.projection.query.plan;

import java.util.BitSet;
import java.util.List;

/** The inputs of a physical plan, and the slots that it binds and reads. */
public final class PlanShape {
    private PlanShape() {}

    /** The direct inputs of a node, the main one first. */
    public static List<Node> children(Node node) {
        return switch (node) {
            case Node.OuterRows ignored -> List.of();
            case Node.Unit ignored -> List.of();
            case Node.Given ignored -> List.of();
            case Node.Scan ignored -> List.of();
            case Node.IdLookup ignored -> List.of();
            case Node.Index ignored -> List.of();
            case Node.TextSeek ignored -> List.of();
            case Node.TextTop ignored -> List.of();
            case Node.OrderedScan ignored -> List.of();
            case Node.IdRange ignored -> List.of();
            case Node.EdgesAt ignored -> List.of();
            case Node.Counts ignored -> List.of();
            case Node.Union ignored -> List.of();
            case Node.Concat n -> n.parts();
            case Node.Lookup n -> List.of(n.input());
            case Node.Ends n -> List.of(n.input());
            case Node.Expand n -> List.of(n.input());
            case Node.Hops n -> List.of(n.input());
            case Node.Paths n -> withRule(n);
            case Node.Filter n -> List.of(n.input());
            case Node.SemiJoin n -> List.of(n.input(), n.block());
            case Node.BlockValue n -> List.of(n.input(), n.block());
            case Node.Fuse n -> List.of(n.input());
            case Node.Optional n -> List.of(n.input(), n.block());
            case Node.Shared n -> List.of(n.input(), n.block());
            case Node.CrossJoin n -> List.of(n.input(), n.right());
            case Node.HashJoin n -> List.of(n.input(), n.build());
            case Node.Aggregate n -> List.of(n.input());
            case Node.Project n -> List.of(n.input());
            case Node.Distinct n -> List.of(n.input());
            case Node.Sort n -> List.of(n.input());
            case Node.VectorTop n -> List.of(n.input());
            case Node.Limit n -> List.of(n.input());
            case Node.LimitPer n -> List.of(n.input());
            case Node.Having n -> List.of(n.input());
            case Node.Stage n -> List.of(n.input());
            case Node.Unnest n -> List.of(n.input());
        };
    }

    private static List<Node> withRule(Node.Paths n) {
        Node.Rule rule = n.rule();
        if (rule == null) {
            return List.of(n.input());
        }
        return rule.along().equals(rule.against())
                ? List.of(n.input(), rule.along())
                : List.of(n.input(), rule.along(), rule.against());
    }

    /** Adds the slots that the plan binds, blocks included. */
    public static void addBound(Node node, BitSet into) {
        switch (node) {
            case Node.Stage n -> {
                n.slots().forEach(into::set);
                if (!n.isOpen()) {
                    return;
                }
            }
            case Node.Given n -> into.set(0, n.given().expressions().size());
            case Node.Concat n -> {
                n.slots().forEach(into::set);
                return;
            }
            case Node.TextSeek n -> into.set(n.slot());
            case Node.TextTop n -> into.set(n.slot());
            case Node.OrderedScan n -> into.set(n.slot());
            case Node.IdRange n -> into.set(n.slot());
            case Node.Lookup n -> into.set(n.slot());
            case Node.BlockValue n -> into.set(n.slot());
            case Node.Fuse n -> n.fusions().forEach(fusion -> into.set(fusion.slot()));
            case Node.Scan n -> into.set(n.slot());
            case Node.IdLookup n -> into.set(n.slot());
            case Node.Index n -> into.set(n.slot());
            case Node.EdgesAt n -> into.set(n.slot());
            case Node.Union n -> into.set(n.slot());
            case Node.Ends n -> {
                into.set(n.from());
                into.set(n.to());
            }
            case Node.Expand n -> {
                if (!n.far().bound()) {
                    into.set(n.far().slot());
                }
                if (n.edge() >= 0) {
                    into.set(n.edge());
                }
            }
            case Node.Hops n -> {
                if (!n.far().bound()) {
                    into.set(n.far().slot());
                }
            }
            case Node.Paths n -> {
                if (!n.far().bound()) {
                    into.set(n.far().slot());
                }
                n.walking().walk().slots().asked().forEach(into::set);
            }
            default -> {}
        }
        children(node).forEach(child -> addBound(child, into));
    }
}
