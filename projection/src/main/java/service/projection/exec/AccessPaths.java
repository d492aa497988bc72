package service.projection.exec;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.KeyText;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * The ways to find the first entities of a variable: by id or key, through an index, at the ends of
 * edges, or by a scan. A filter that the path answers exactly is not evaluated again. A variable of
 * several types may have another path for each.
 */
final class AccessPaths {
    private static final double LOOKUP_COST = 1;
    private static final double LESS_THAN_SCAN = 0.5;

    private final GraphView view;
    private final Statistics statistics;
    private final IndexPaths indexes;

    AccessPaths(Statistics statistics, Choices choices, boolean probing) {
        this.view = statistics.view();
        this.statistics = statistics;
        this.indexes = new IndexPaths(statistics, choices, probing);
    }

    /**
     * A source.
     *
     * @param answered the filters that need no evaluation behind it
     * @param cost of driving it to its end, in entities scanned
     */
    record Path(Node source, List<Expression> answered, double cost) {
        double rows() {
            return source.rows();
        }
    }

    /**
     * Every path for the variable, the scan last.
     *
     * @param filters the conjuncts that use it alone
     */
    List<Path> all(Variable variable, List<Expression> filters) {
        List<Path> paths = new ArrayList<>();
        Path byId = byId(variable, filters);
        if (byId != null) {
            paths.add(byId);
        }
        if (variable.types().size() == 1) {
            int slot = variable.slot();
            EntityType type = view.catalog().requireType(variable.types().getFirst());
            paths.addAll(ofType(slot, type, filters));
        } else {
            Path union = union(variable, filters);
            if (union != null) {
                paths.add(union);
            }
        }
        double rows = statistics.count(variable);
        paths.add(
                new Path(new Node.Scan(variable.slot(), variable.types(), rows), List.of(), rows));
        return paths;
    }

    private List<Path> ofType(int slot, EntityType type, List<Expression> filters) {
        List<Path> paths = new ArrayList<>();
        add(byKey(slot, type, filters), paths);
        for (IndexDefinition index : type.indexes()) {
            add(indexes.path(slot, type, index, filters), paths);
        }
        add(byEnd(slot, type, filters), paths);
        return paths;
    }

    private static void add(@Nullable Path path, List<Path> into) {
        if (path != null) {
            into.add(path);
        }
    }

    /** For each type its cheapest path; null where no type has one that beats its scan. */
    private @Nullable Path union(Variable variable, List<Expression> filters) {
        List<Node> sources = new ArrayList<>();
        Set<Expression> answered = new LinkedHashSet<>(filters);
        double rows = 0;
        double cost = 0;
        boolean found = false;
        for (int identity : variable.types()) {
            double all = statistics.count(identity);
            Path best =
                    new Path(
                            new Node.Scan(variable.slot(), List.of(identity), all), List.of(), all);
            EntityType type = view.catalog().requireType(identity);
            for (Path path : ofType(variable.slot(), type, filters)) {
                if (path.cost < best.cost || best.source instanceof Node.Scan) {
                    best = path;
                    found = true;
                }
            }
            sources.add(best.source);
            answered.retainAll(best.answered);
            rows += best.rows();
            cost += best.cost;
        }
        Node union = new Node.Union(variable.slot(), sources, rows);
        return found ? new Path(union, List.copyOf(answered), cost) : null;
    }

    /** Looking up never costs more than the scan in whose place it stands, and is exact. */
    private double lookups(Variable variable, int lookups) {
        return Math.min(LOOKUP_COST * lookups, LESS_THAN_SCAN * statistics.count(variable));
    }

    private @Nullable Path byId(Variable variable, List<Expression> filters) {
        for (Expression filter : filters) {
            List<Value> ids = null;
            if (filter instanceof Expression.In in && in.left() instanceof Expression.IdOf) {
                ids = ConstantTest.list(in.list());
            } else {
                ConstantTest test = ConstantTest.of(filter);
                if (test != null && test.left() instanceof Expression.IdOf && test.isEqual()) {
                    ids = List.of(test.value());
                }
            }
            if (ids != null) {
                List<String> texts = texts(ids);
                return new Path(
                        new Node.IdLookup(variable.slot(), variable.types(), texts, texts.size()),
                        List.of(filter),
                        lookups(variable, texts.size() * variable.types().size()));
            }
        }
        return null;
    }

    private @Nullable Path byKey(int slot, EntityType type, List<Expression> filters) {
        if (!(type instanceof EntityType.NodeType node) || node.key().isEmpty()) {
            return null;
        }
        List<PropertyType> types = new ArrayList<>();
        List<Value> values = new ArrayList<>();
        Set<Expression> used = new LinkedHashSet<>();
        for (int member : node.key()) {
            IndexPaths.Equal equal = IndexPaths.equality(type, member, filters);
            Property property = type.property(member);
            if (equal == null || property == null) {
                return null;
            }
            types.add(property.type());
            values.add(equal.value());
            used.add(equal.filter());
        }
        return new Path(
                new Node.IdLookup(
                        slot, List.of(type.identity()), List.of(KeyText.id(types, values)), 1),
                List.copyOf(used),
                Math.min(LOOKUP_COST, LESS_THAN_SCAN * statistics.count(type.identity())));
    }

    /** {@code @src = …} of an edge: the edges at that node. */
    private @Nullable Path byEnd(int slot, EntityType type, List<Expression> filters) {
        if (type.kind() != EntityKind.EDGE) {
            return null;
        }
        for (Expression filter : filters) {
            ConstantTest test = ConstantTest.of(filter);
            if (test != null && test.isEqual() && test.left() instanceof Expression.EndOf end) {
                Direction direction = end.end();
                double rows = statistics.fanOut(type.identity(), direction);
                return new Path(
                        new Node.EdgesAt(
                                slot,
                                type.identity(),
                                direction,
                                texts(List.of(test.value())),
                                rows),
                        List.of(filter),
                        LOOKUP_COST + rows);
            }
        }
        return null;
    }

    private static List<String> texts(List<Value> values) {
        Set<String> texts = new LinkedHashSet<>();
        for (Value value : values) {
            if (value instanceof Value.Text(String text)) {
                texts.add(text);
            }
        }
        return List.copyOf(texts);
    }
}
