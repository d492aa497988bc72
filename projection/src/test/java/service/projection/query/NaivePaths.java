package service.projection.query;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Pattern.Traversal;
import service.core.gq.plan.Walk;
import service.core.testkit.HeapGraph;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** The oracle of paths: it makes paths longer by one edge at a time and compares whole paths. */
final class NaivePaths {
    /** A path as lists of its nodes and edges. */
    record Path(List<HeapGraph.Entity> nodes, List<HeapGraph.Entity> edges, double cost) {
        Path with(Step step) {
            List<HeapGraph.Entity> longer = new ArrayList<>(nodes);
            longer.add(step.to);
            List<HeapGraph.Entity> more = new ArrayList<>(edges);
            more.add(step.edge);
            return new Path(longer, more, cost + step.cost);
        }

        Value.Path value(boolean isCosted) {
            return new Value.Path(list(nodes), list(edges), isCosted ? cost : null);
        }

        private static Value.ListOf list(List<HeapGraph.Entity> entities) {
            return new Value.ListOf(entities.stream()
                    .<Value>map(entity -> new Value.Text(entity.id + " " + entity.type))
                    .toList());
        }

        HeapGraph.Entity end() {
            return nodes.getLast();
        }
    }

    record Step(HeapGraph.Entity edge, HeapGraph.Entity to, double cost) {}

    private final HeapGraph graph;
    private final Traversal traversal;
    private final Walk walk;
    private final NaiveEvaluator.Row row;
    private final BiFunction<Expression, NaiveEvaluator.Row, Value> eval;
    private final BiFunction<Pattern, NaiveEvaluator.Row, List<NaiveEvaluator.Row>> matches;

    NaivePaths(
            HeapGraph graph,
            Traversal traversal,
            NaiveEvaluator.Row row,
            BiFunction<Expression, NaiveEvaluator.Row, Value> eval,
            BiFunction<Pattern, NaiveEvaluator.Row, List<NaiveEvaluator.Row>> matches) {
        this.graph = graph;
        this.traversal = traversal;
        this.walk = traversal.walk();
        this.row = row;
        this.eval = eval;
        this.matches = matches;
    }

    List<Path> between(HeapGraph.Entity from, HeapGraph.Entity to) {
        Path empty = new Path(List.of(from), List.of(), 0);
        boolean isEmpty = walk.minHops() == 0 && from == to;
        return switch (walk.mode()) {
            case TRAIL, ACYCLIC -> {
                List<Path> found = new ArrayList<>();
                extend(empty, to, found);
                yield found;
            }
            case SHORTEST, ALL_SHORTEST, CHEAPEST -> isEmpty ? List.of(empty) : best(from, to, empty);
        };
    }

    private void extend(Path path, HeapGraph.Entity to, List<Path> found) {
        if (path.edges.size() >= walk.minHops() && path.end() == to) {
            found.add(path);
        }
        if (path.edges.size() == walk.maxHops()) {
            return;
        }
        for (Step step : steps(path.end())) {
            boolean repeats =
                    walk.mode() == Walk.Mode.TRAIL ? path.edges.contains(step.edge) : path.nodes.contains(step.to);
            if (!repeats) {
                extend(path.with(step), to, found);
            }
        }
    }

    /** The best paths: those without a repetition of the ends, or after a first step those back to the start. */
    private List<Path> best(HeapGraph.Entity from, HeapGraph.Entity to, Path empty) {
        List<Path> candidates = new ArrayList<>();
        if (from != to) {
            candidates.addAll(levels(empty, to, null));
        } else {
            for (Step first : steps(from)) {
                candidates.addAll(levels(empty.with(first), to, first.edge));
            }
        }
        candidates.removeIf(path -> path.edges.size() < walk.minHops());
        if (candidates.isEmpty()) {
            return List.of();
        }
        candidates.sort(order());
        Path best = candidates.getFirst();
        return walk.mode() == Walk.Mode.ALL_SHORTEST
                ? candidates.stream()
                        .filter(path -> path.edges.size() == best.edges.size())
                        .toList()
                : List.of(best);
    }

    private Comparator<Path> order() {
        Comparator<Path> order = Comparator.comparingInt(path -> path.edges.size());
        if (walk.mode() == Walk.Mode.CHEAPEST) {
            order = Comparator.<Path>comparingDouble(path -> path.cost).thenComparing(order);
        }
        return order.thenComparing((a, b) -> ids(a.nodes, b.nodes)).thenComparing((a, b) -> ids(a.edges, b.edges));
    }

    private static int ids(List<HeapGraph.Entity> one, List<HeapGraph.Entity> other) {
        for (int i = 0; i < one.size(); i++) {
            int order = ValueOrder.compareText(one.get(i).id, other.get(i).id);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** The best paths of each number of edges that go on from a path to the end. */
    private List<Path> levels(Path begun, HeapGraph.Entity to, HeapGraph.Entity without) {
        List<Path> found = new ArrayList<>();
        Map<HeapGraph.Entity, List<Path>> level = new HashMap<>(Map.of(begun.end(), List.of(begun)));
        int nodes = 1
                + graph.all(QuerySchema.PERSON).size()
                + graph.all(QuerySchema.COMPANY).size();
        for (int more = 0; more <= nodes && !level.isEmpty(); more++) {
            if (begun.edges.size() + more > 0) {
                found.addAll(level.getOrDefault(to, List.of()));
            }
            if (begun.edges.size() + more == walk.maxHops()) {
                return found;
            }
            Map<HeapGraph.Entity, List<Path>> next = new HashMap<>();
            for (List<Path> paths : level.values()) {
                for (Path path : paths) {
                    if (path.end() == to && path.edges.size() > 0) {
                        continue;
                    }
                    for (Step step : steps(path.end())) {
                        Path longer = path.with(step);
                        boolean simple = !path.nodes
                                .subList(without == null ? 0 : 1, path.nodes.size())
                                .contains(step.to);
                        if (step.edge != without && simple && longer.cost < Double.POSITIVE_INFINITY) {
                            keep(next.computeIfAbsent(step.to, added -> new ArrayList<>()), longer);
                        }
                    }
                }
            }
            level = next;
        }
        return found;
    }

    private void keep(List<Path> paths, Path path) {
        if (walk.mode() == Walk.Mode.ALL_SHORTEST || paths.isEmpty()) {
            paths.add(path);
        } else if (order().compare(path, paths.getFirst()) < 0) {
            paths.set(0, path);
        }
    }

    private List<Step> steps(HeapGraph.Entity near) {
        List<Step> found = new ArrayList<>();
        for (int identity : traversal.edgeTypes()) {
            for (HeapGraph.Entity edge : graph.live(identity)) {
                if (edge.sourceType == near.type && edge.source == near.ordinal) {
                    add(near, edge, graph.all(edge.destinationType).get(edge.destination), found);
                }
                boolean back = traversal.undirected() && edge.destinationType == near.type;
                boolean loop = edge.sourceType == edge.destinationType && edge.source == edge.destination;
                if (back && edge.destination == near.ordinal && !loop) {
                    add(near, edge, graph.all(edge.sourceType).get(edge.source), found);
                }
            }
        }
        return found;
    }

    private void add(HeapGraph.Entity near, HeapGraph.Entity edge, HeapGraph.Entity far, List<Step> found) {
        Walk.Rule rule = walk.rule();
        double cost = 1;
        if (rule != null) {
            NaiveEvaluator.Row step = new NaiveEvaluator.Row(row);
            step.put(rule.source(), near);
            step.put(rule.edge(), edge);
            step.put(rule.destination(), far);
            List<NaiveEvaluator.Row> passed = matches.apply(rule.where(), step);
            if (passed.isEmpty()) {
                return;
            }
            if (rule.by() != null) {
                Value by = eval.apply(rule.by(), passed.getFirst());
                if (by instanceof Value.Null) {
                    return;
                }
                cost = by instanceof Value.Int(long number) ? number : ((Value.Real) by).value();
            }
        }
        found.add(new Step(edge, far, cost));
    }
}
