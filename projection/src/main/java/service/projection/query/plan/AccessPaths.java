package service.projection.query.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Variable;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.EntityKind;
import service.core.value.PropertyType;

/**
 * The ways to find the first entities of a variable: by id or key, through an index, at the ends of edges, or by a
 * scan. A filter that the path answers exactly is not evaluated again. A variable of several types may have a different
 * path for each type.
 *
 * <p>Looking up one id is always cheapest: where it is possible, no other path is considered and no statistics are
 * read.
 */
final class AccessPaths {
    private static final double LOOKUP_COST = 1;
    private static final double LESS_THAN_SCAN = 0.5;

    private final Statistics statistics;
    private final Choices choices;
    private final IndexPaths indexes;
    private final boolean probing;
    private @Nullable Ordering ordering;

    /**
     * @param probing whether the plan depends on the number of entities that an index finds, beyond the choice of the
     *     path
     */
    AccessPaths(Statistics statistics, Choices choices, boolean probing) {
        this.statistics = statistics;
        this.choices = choices;
        this.indexes = new IndexPaths(statistics, choices);
        this.probing = probing;
    }

    /** Offers the order that a TopN asks for. */
    void orderBy(@Nullable Ordering of) {
        ordering = of;
    }

    /**
     * A source.
     *
     * @param answered the filters that the source answers exactly, so that they need no evaluation
     * @param cost of running it to its end, in entities scanned
     */
    record Path(Node source, List<Expression> answered, double cost) {
        double rows() {
            return source.rows();
        }
    }

    /**
     * All paths for the variable, the scan last.
     *
     * @param filters the conjuncts that read no other variable
     */
    List<Path> all(Variable variable, List<Expression> filters) {
        List<Path> paths = new ArrayList<>();
        for (Expression filter : filters) {
            Path byId = byId(variable, filter);
            if (byId != null) {
                paths.add(byId);
            }
        }
        boolean alone = variable.types().size() == 1;
        EntityType only =
                alone ? statistics.catalog().requireType(variable.types().getFirst()) : null;
        Path byKey = only == null ? null : byKey(variable.slot(), only, filters);
        if (byKey != null) {
            paths.add(byKey);
        }
        if (!choices.all()) {
            for (Path path : paths) {
                if (path.cost == LOOKUP_COST) {
                    return List.of(path);
                }
            }
        }
        if (only != null) {
            paths.addAll(ofType(variable.slot(), only, filters));
        } else {
            paths.addAll(unions(variable, filters));
        }
        double rows = statistics.count(variable);
        Ordering order = ordering;
        if (order != null && order.slot() == variable.slot() && (choices.all() || order.isWorth(rows))) {
            paths.add(new Path(order.scan(rows, filters), List.of(), LESS_THAN_SCAN * rows));
        }
        paths.add(new Path(new Node.Scan(variable.slot(), variable.types(), rows), List.of(), rows));
        return paths;
    }

    /** Paths through indexes and through the edges at a node. */
    private List<Path> ofType(int slot, EntityType type, List<Expression> filters) {
        List<Path> paths = new ArrayList<>();
        List<IndexPaths.Found> found = IndexPaths.all(type, filters);
        for (IndexPaths.Found one : found) {
            paths.addAll(indexes.paths(slot, type, one, probing || found.size() > 1));
        }
        paths.addAll(byEnd(slot, type, filters));
        paths.addAll(byIdRange(slot, type, filters));
        for (Expression filter : filters) {
            Path proposed = TextTops.seek(slot, type.identity(), filter, statistics.count(type.identity()));
            if (proposed != null) {
                paths.add(proposed);
            }
        }
        return paths;
    }

    /**
     * The cheapest path of each type; none when every type is cheapest to scan. When all alternatives are wanted, each
     * path of each type is in one of them.
     */
    private List<Path> unions(Variable variable, List<Expression> filters) {
        List<Path> best = new ArrayList<>();
        List<List<Path>> others = new ArrayList<>();
        boolean found = false;
        for (int identity : variable.types()) {
            double all = statistics.count(identity);
            Node scan = new Node.Scan(variable.slot(), List.of(identity), all);
            Path least = new Path(scan, List.of(), all);
            EntityType type = statistics.catalog().requireType(identity);
            List<Path> paths = new ArrayList<>();
            Path byKey = byKey(variable.slot(), type, filters);
            if (byKey != null) {
                paths.add(byKey);
            }
            paths.addAll(ofType(variable.slot(), type, filters));
            for (Path path : paths) {
                if (path.cost < least.cost || least.source instanceof Node.Scan) {
                    least = path;
                    found = true;
                }
            }
            best.add(least);
            others.add(paths);
        }
        List<Path> unions = new ArrayList<>();
        if (found) {
            unions.add(union(variable, filters, best));
        }
        for (int i = 0; choices.all() && i < best.size(); i++) {
            for (Path path : others.get(i)) {
                if (!path.equals(best.get(i))) {
                    List<Path> mixed = new ArrayList<>(best);
                    mixed.set(i, path);
                    unions.add(union(variable, filters, mixed));
                }
            }
        }
        return unions;
    }

    private static Path union(Variable variable, List<Expression> filters, List<Path> paths) {
        Set<Expression> answered = new LinkedHashSet<>(filters);
        double rows = 0;
        double cost = 0;
        for (Path path : paths) {
            answered.retainAll(path.answered);
            rows += path.rows();
            cost += path.cost;
        }
        List<Node> sources = paths.stream().map(Path::source).toList();
        return new Path(new Node.Union(variable.slot(), sources, rows), List.copyOf(answered), cost);
    }

    private @Nullable Path byId(Variable variable, Expression filter) {
        Expression ids = null;
        if (filter instanceof Expression.In in
                && in.left() instanceof Expression.IdOf
                && Constants.isConstant(in.list())) {
            ids = in.list();
        } else {
            ConstantComparison comparison = ConstantComparison.of(filter);
            if (comparison != null && comparison.left() instanceof Expression.IdOf && comparison.isEqual()) {
                ids = comparison.constant();
            }
        }
        if (ids == null) {
            return null;
        }
        boolean one = !(filter instanceof Expression.In);
        double rows = one ? 1 : statistics.length(ids);
        Node source = new Node.IdLookup(variable.slot(), variable.types(), new Ids.Given(ids), rows);
        // A look-up is exact and never costs more than the scan that it replaces.
        double cost = one
                ? LOOKUP_COST
                : Math.min(LOOKUP_COST * rows * variable.types().size(), LESS_THAN_SCAN * statistics.count(variable));
        return new Path(source, List.of(filter), cost);
    }

    private static @Nullable Path byKey(int slot, EntityType type, List<Expression> filters) {
        // The id of an edge contains the type of an end that can have several, which filters rarely give.
        if (type.key().isEmpty() || (type instanceof EntityType.EdgeType edge && !edge.hasOneLane())) {
            return null;
        }
        List<String> names = new ArrayList<>();
        List<PropertyType> types = new ArrayList<>();
        List<Expression> constants = new ArrayList<>();
        Set<Expression> used = new LinkedHashSet<>();
        for (int member : type.key()) {
            IndexPaths.Equal equal =
                    member < 0 ? endEquality(member, filters) : IndexPaths.equality(type, member, filters);
            if (equal == null || !isSure(equal.member().type(), equal)) {
                return null;
            }
            names.add(equal.member().name());
            types.add(equal.member().type());
            constants.add(equal.member().constant());
            used.add(equal.filter());
        }
        return new Path(
                new Node.IdLookup(slot, List.of(type.identity()), new Ids.OfKey(names, types, constants), 1),
                List.copyOf(used),
                LOOKUP_COST);
    }

    /** @param member {@link Constraint#SRC} or {@link Constraint#DST} */
    private static IndexPaths.@Nullable Equal endEquality(int member, List<Expression> filters) {
        Direction wanted = member == Constraint.SRC ? Direction.OUT : Direction.IN;
        for (Expression filter : filters) {
            ConstantComparison comparison = ConstantComparison.of(filter);
            if (comparison != null
                    && comparison.isEqual()
                    && comparison.left() instanceof Expression.EndOf end
                    && end.end() == wanted) {
                String name = wanted == Direction.OUT ? "@src" : "@dst";
                Seek.Member one = new Seek.Member(name, PropertyType.STRING, comparison.constant(), false);
                return new IndexPaths.Equal(one, filter, 1);
            }
        }
        return null;
    }

    /**
     * Whether every value of the constant's type is written like the key. A number of another type may equal a key and
     * be written differently; it is sought in the index of the key.
     */
    private static boolean isSure(PropertyType key, IndexPaths.Equal equal) {
        Expression constant = equal.member().constant();
        return constant instanceof Expression.Argument argument
                ? StoredForm.isSure(key, argument.type())
                : constant instanceof Expression.Literal || Constants.isMoment(constant);
    }

    /**
     * Ids between two limits; with one limit they are rarely few. Where they turn out to be many, a scan reads them.
     */
    private List<Path> byIdRange(int slot, EntityType type, List<Expression> filters) {
        IdBounds bounds = IdBounds.of(slot, filters);
        List<Path> paths = new ArrayList<>();
        if (bounds.ends() == 2 || (choices.all() && bounds.ends() == 1)) {
            double all = statistics.count(type.identity());
            double rows = Estimates.RANGE * Estimates.RANGE * all;
            double cost = Math.min(IndexPaths.SEEK_COST + IndexPaths.POSTING_COST * rows, 0.9 * all);
            for (int most : choices.postingsMax(all)) {
                paths.add(new Path(bounds.range(slot, type.identity(), false, most, rows), List.of(), cost));
            }
        }
        return paths;
    }

    /** {@code @src = …} of an edge: the edges at that node. */
    private List<Path> byEnd(int slot, EntityType type, List<Expression> filters) {
        List<Path> paths = new ArrayList<>();
        if (type.kind() != EntityKind.EDGE) {
            return paths;
        }
        for (Expression filter : filters) {
            ConstantComparison comparison = ConstantComparison.of(filter);
            if (comparison != null && comparison.isEqual() && comparison.left() instanceof Expression.EndOf end) {
                Direction direction = end.end();
                double rows = statistics.fanOut(type.identity(), direction);
                Node source =
                        new Node.EdgesAt(slot, type.identity(), direction, new Ids.Given(comparison.constant()), rows);
                paths.add(new Path(source, List.of(filter), LOOKUP_COST + rows));
            }
        }
        return paths;
    }
}
