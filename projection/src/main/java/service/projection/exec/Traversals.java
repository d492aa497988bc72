package service.projection.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.value.Direction;

/** Traversals as physical nodes, from either end, and how many rows they are expected to give. */
final class Traversals {
    private final GraphView view;
    private final List<Variable> variables;

    Traversals(GraphView view, List<Variable> variables) {
        this.view = view;
        this.variables = variables;
    }

    /**
     * @param forward from the left variable to the right one
     */
    Node node(Node input, Traversal t, boolean forward, boolean closing) {
        int near = forward ? t.from() : t.to();
        int far = forward ? t.to() : t.from();
        List<Integer> farTypes = variables.get(far).types();
        List<Node.Step> steps = steps(t, forward);
        double rows = rows(input.rows(), t, forward, closing);
        if (t.hopRange()) {
            return new Node.Hops(
                    input, near, far, steps, t.minHops(), t.maxHops(), closing, farTypes, rows);
        }
        steps.removeIf(step -> !farTypes.contains(step.farType()));
        return new Node.Expand(
                input, near, far, t.edge(), steps, closing, farTypes, t.undirected(), rows);
    }

    private List<Node.Step> steps(Traversal t, boolean forward) {
        List<Node.Step> steps = new ArrayList<>();
        for (int identity : t.edgeTypes()) {
            EntityType.EdgeType type = (EntityType.EdgeType) view.catalog().requireType(identity);
            if (forward || t.undirected()) {
                steps.add(
                        new Node.Step(identity, Direction.OUT, type.source(), type.destination()));
            }
            if (!forward || t.undirected()) {
                steps.add(new Node.Step(identity, Direction.IN, type.destination(), type.source()));
            }
        }
        return steps;
    }

    double rows(double input, Traversal t, boolean forward, boolean closing) {
        double fan = 0;
        Set<Integer> farTypes = new TreeSet<>();
        for (Node.Step step : steps(t, forward)) {
            fan += view.fanOut(step.edgeType(), step.direction());
            farTypes.add(step.farType());
        }
        double all = 0;
        for (int type : farTypes) {
            all += view.count(type);
        }
        double reached = fan;
        if (t.maxHops() > 1) {
            reached = 0;
            double level = 1;
            for (int hop = 1; hop <= t.maxHops() && level < all; hop++) {
                level *= fan;
                reached += hop >= t.minHops() ? level : 0;
            }
            reached = Math.min(Math.max(reached, level >= all ? all : 0), all);
        }
        return closing ? input * Math.min(1, reached / Math.max(1, all)) : input * reached;
    }
}
