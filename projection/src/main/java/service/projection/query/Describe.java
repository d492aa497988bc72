package service.projection.query;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Rewrite;
import service.core.gq.plan.SearchFunction;
import service.core.gq.plan.Variable;
import service.core.gq.plan.Walk;
import service.core.port.TextIndex;
import service.core.schema.AnalyzerName;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.VectorMetric;
import service.core.value.Direction;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.projection.query.plan.Constants;
import service.projection.query.plan.Expressions;
import service.projection.query.plan.Ids;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.RowWindow;
import service.projection.query.plan.Seek;
import service.projection.search.QueryTerms;
import service.projection.search.TextAnalyzer;

/** Describes physical plans for EXPLAIN. */
final class Describe {
    private final Catalog catalog;
    private final ExpressionText texts;
    private final @Nullable List<Value> arguments;
    private final Searches searches;

    /** How searches read the view that is queried. */
    interface Searches {
        /** Whether a graph of neighbours proposes the rows of a node. */
        boolean isApproximate(Node.VectorTop node);

        /** How an index takes part in a search: how much of which type it knows; null where all records are read. */
        TextIndex.@Nullable Coverage coverage(Expression.Search search, int type);

        /** Live entities of a type. */
        long count(int type);
    }

    Describe(Catalog catalog, List<Variable> variables, List<Value> arguments, Searches searches) {
        this(catalog, variables, arguments, false, searches);
    }

    /** @param arguments null where constants are not shown */
    private Describe(
            Catalog catalog,
            List<Variable> variables,
            @Nullable List<Value> arguments,
            boolean masked,
            Searches searches) {
        this.searches = searches;
        this.catalog = catalog;
        this.arguments = arguments;
        this.texts = new ExpressionText(variables, masked);
    }

    /** A description with {@code ?} for every constant of the query text. */
    static Describe masked(Catalog catalog, List<Variable> variables, Searches searches) {
        return new Describe(catalog, variables, null, true, searches);
    }

    /** The name of the operator as in {@code docs/gq.md}; null for a node that EXPLAIN does not show. */
    static @Nullable String operator(Node node) {
        return switch (node) {
            case Node.OuterRows ignored -> null;
            case Node.Unit ignored -> null;
            case Node.Given ignored -> null;
            case Node.Scan ignored -> "NodeScan";
            case Node.IdLookup ignored -> "IdLookup";
            case Node.Index n -> n.seek().bounds() == null ? "IndexSeek" : "IndexRange";
            case Node.EdgesAt ignored -> "ExpandEdge";
            case Node.Expand n -> n.edge() >= 0 ? "ExpandEdge" : "Expand";
            case Node.Hops ignored -> "Expand";
            case Node.Paths n ->
                switch (n.walking().walk().mode()) {
                    case SHORTEST -> "ShortestPath";
                    case ALL_SHORTEST, TRAIL, ACYCLIC -> "AllPaths";
                    case CHEAPEST -> "CheapestPath";
                };
            case Node.Filter ignored -> "Filter";
            case Node.SemiJoin n -> n.negated() ? "AntiJoin" : "SemiJoin";
            case Node.BlockValue ignored -> "BlockValue";
            case Node.Fuse ignored -> "Fuse";
            case Node.Concat ignored -> "Union";
            case Node.Optional ignored -> "Optional";
            case Node.Shared ignored -> "SharedJoin";
            case Node.CrossJoin ignored -> "CrossJoin";
            case Node.HashJoin ignored -> "HashJoin";
            case Node.Aggregate ignored -> "Aggregate";
            case Node.Counts ignored -> "Aggregate";
            case Node.Union n -> operator(n.sources().getFirst());
            case Node.OrderedScan ignored -> "IndexRange";
            case Node.IdRange ignored -> "IdRange";
            case Node.TextSeek ignored -> "TextSeek";
            case Node.TextTop ignored -> "TextTop";
            case Node.Lookup n -> n.index() < 0 ? "IdLookup" : "IndexSeek";
            case Node.Ends ignored -> "ExpandEdge";
            case Node.Project n -> n.expressions().stream().anyMatch(Expressions::searches) ? "Rank" : "Project";
            case Node.Distinct ignored -> "Distinct";
            case Node.Sort n -> n.kept() == null ? "Sort" : "TopN";
            case Node.VectorTop ignored -> "VectorTop";
            case Node.Limit ignored -> "Limit";
            case Node.LimitPer ignored -> "Limit";
            case Node.Having ignored -> "Filter";
            case Node.Stage ignored -> "Stage";
            case Node.Unnest ignored -> "Unnest";
        };
    }

    String detail(Node node) {
        return switch (node) {
            case Node.OuterRows ignored -> "";
            case Node.Unit ignored -> "";
            case Node.Given ignored -> "";
            case Node.Scan n -> entity(n.slot(), n.types());
            case Node.IdLookup n -> entity(n.slot(), n.types()) + " " + ids(n.ids());
            case Node.Index n -> entity(n.slot(), List.of(n.type())) + " " + seek(n.seek());
            case Node.EdgesAt n ->
                entity(n.slot(), List.of(n.edgeType()))
                        + (n.direction() == Direction.OUT ? " @src" : " @dst")
                        + constant(((Ids.Given) n.nodeIds()).constant());
            case Node.Expand n ->
                hop(n.near(), n.edge(), n.steps(), n.far().slot(), "")
                        + (n.far().bound() ? " (both bound)" : "");
            case Node.Hops n ->
                hop(n.near(), -1, n.steps(), n.far().slot(), range(n.minHops(), n.maxHops()))
                        + (n.far().bound() ? " (both bound)" : "");
            case Node.Paths n -> paths(n);
            case Node.Union n -> n.sources().stream().map(this::detail).collect(Collectors.joining("; "));
            case Node.TextSeek n -> entity(n.slot(), List.of(n.type())) + " " + proposed(n.search());
            case Node.TextTop n ->
                entity(n.slot(), List.of(n.type())) + " " + proposed(n.search())
                        + window(n.kept(), " first ", " after ");
            case Node.OrderedScan n ->
                entity(n.slot(), List.of(n.type())) + " by " + n.key().name() + (n.descending() ? " desc" : "");
            case Node.IdRange n -> entity(n.slot(), List.of(n.type())) + " " + ids(n);
            case Node.Lookup n -> entity(n.slot(), List.of(n.type())) + " " + texts.of(n.filter()) + " (each row)";
            case Node.Ends n ->
                variable(n.from()) + " -" + variable(n.edge()) + (n.undirected() ? "- " : "-> ") + variable(n.to());
            case Node.Filter n -> expressions(n.conjuncts(), " and ") + (n.tentative() ? " (tried)" : "");
            case Node.SemiJoin n -> (n.negated() ? "not" : "exists") + block(n.block());
            case Node.BlockValue n -> texts.head(n.aggregate()) + block(n.block());
            case Node.Fuse n ->
                n.fusions().stream().map(this::fused).collect(Collectors.joining(", "))
                        + searched(n.fusions().stream()
                                .flatMap(fusion -> fusion.rankings().stream())
                                .toList())
                        + (n.kept() == null ? "" : window(n.kept(), " first ", " after "));
            case Node.Concat n -> n.parts().size() + " parts";
            case Node.Optional n -> "optional" + block(n.block());
            case Node.Shared n -> "for each " + variables(n.by()) + " to " + variables(n.on()) + block(n.block());
            case Node.CrossJoin n -> bound(n.input()) + " with every " + bound(n.right());
            case Node.HashJoin n -> pairs(n.probeKeys(), n.buildKeys());
            case Node.Aggregate n ->
                n.aggregates().stream().map(a -> texts.of(a)).collect(Collectors.joining(", "))
                        + (n.keys().isEmpty() ? "" : " by " + expressions(n.keys(), ", "));
            case Node.Counts n -> "count of " + types(n.types()) + " (known)";
            case Node.Project n -> outputs(n, n.expressions().size()) + searched(n.expressions());
            case Node.Distinct n -> n.input() instanceof Node.Project project ? outputs(project, n.columns()) : "";
            case Node.Sort n -> order(n);
            case Node.VectorTop n ->
                texts.of(n.search())
                        + window(n.kept(), " first ", " after ")
                        + (searches.isApproximate(n) ? ", approximate, " + read(n.search()) : ", exact, index none");
            case Node.Limit n -> window(n.window(), "limit ", " skip ");
            case Node.LimitPer n -> window(n.window(), "limit ", " skip ") + " per " + expressions(n.by(), ", ");
            case Node.Having n -> expressions(n.conjuncts(), " and ");
            case Node.Unnest n -> variable(n.slot()) + " in " + texts.of(n.list());
            case Node.Stage n -> variables(n.slots());
        };
    }

    private String variables(List<Integer> slots) {
        return slots.stream().map(this::variable).collect(Collectors.joining(", "));
    }

    private String entity(int slot, List<Integer> types) {
        return variable(slot) + ": " + types(types);
    }

    private String ids(Ids ids) {
        return switch (ids) {
            case Ids.Given given -> "@id" + constant(given.constant());
            case Ids.OfKey key -> {
                List<String> members = new ArrayList<>();
                for (int i = 0; i < key.names().size(); i++) {
                    members.add(key.names().get(i) + constant(key.constants().get(i)));
                }
                yield String.join(" and ", members);
            }
        };
    }

    /** Describes the constant of a seek, or one item of it. */
    private String constant(Expression constant) {
        boolean list = constant instanceof Expression.ListOf
                || constant.type() instanceof PropertyType.ListOf
                || (constant instanceof Expression.Literal literal && literal.value() instanceof Value.ListOf);
        return (list ? " in " : " = ") + texts.of(constant);
    }

    private String seek(Seek seek) {
        List<String> members = new ArrayList<>();
        for (Seek.Member member : seek.equal()) {
            members.add(member.name() + (member.isList() ? " in " : " = ") + texts.of(member.constant()));
        }
        Seek.Bounds bounds = seek.bounds();
        if (bounds != null) {
            add(bounds.name() + " >", bounds.low(), members);
            add(bounds.name() + " <", bounds.high(), members);
            if (bounds.prefix() != null) {
                members.add(bounds.name() + " starts_with " + texts.of(bounds.prefix()));
            }
        }
        return String.join(" and ", members);
    }

    private String ids(Node.IdRange range) {
        List<String> limits = new ArrayList<>();
        add("@id >", range.low(), limits);
        add("@id <", range.high(), limits);
        return String.join(" and ", limits) + (range.ordered() ? (limits.isEmpty() ? "by @id" : " by @id") : "");
    }

    private void add(String before, Seek.@Nullable Limit limit, List<String> into) {
        if (limit != null) {
            into.add(
                    limit.distance() != null
                            ? texts.of(limit.distance().filter())
                            : before + (limit.inclusive() ? "= " : " ") + texts.of(limit.constant()));
        }
    }

    /** The operators of a block in the order in which rows pass them. */
    private String block(Node block) {
        List<String> steps = new ArrayList<>();
        addSteps(block, steps);
        return " { " + String.join("; ", steps) + " }";
    }

    private void addSteps(Node node, List<String> into) {
        switch (node) {
            // The detail of these nodes shows their blocks.
            case Node.SemiJoin n -> addSteps(n.input(), into);
            case Node.BlockValue n -> addSteps(n.input(), into);
            case Node.Optional n -> addSteps(n.input(), into);
            case Node.Shared n -> addSteps(n.input(), into);
            default -> PlanShape.children(node).forEach(child -> addSteps(child, into));
        }
        if (!(node instanceof Node.OuterRows) && !(node instanceof Node.CrossJoin)) {
            into.add(detail(node));
        }
    }

    /**
     * The terms and metrics of searches that read the values of the rows. An index gives the numbers of a collection
     * that {@code bm25} needs, and says which texts can be among the first.
     */
    private String searched(List<? extends Expression> expressions) {
        Set<String> parts = new LinkedHashSet<>();
        expressions.forEach(expression -> addSearched(expression, parts));
        Set<String> reads = new LinkedHashSet<>();
        expressions.forEach(expression -> addReads(expression, reads));
        parts.addAll(parts.isEmpty() || !reads.isEmpty() ? reads : Set.of("index none"));
        return parts.isEmpty() ? "" : " (" + String.join("; ", parts) + ")";
    }

    private void addReads(Expression expression, Set<String> into) {
        if (expression instanceof Expression.Search search && search.function() == SearchFunction.BM25) {
            into.add(read(search));
        }
        expression.operands().forEach(operand -> addReads(operand, into));
    }

    /** A search that the index of the view is asked for, and its terms. */
    private String proposed(Expression.Search search) {
        Set<String> parts = new LinkedHashSet<>();
        addSearched(search, parts);
        parts.add(read(search));
        return texts.of(search) + " (" + String.join("; ", parts) + ")";
    }

    /** The indexes that know what is searched, and how many entities are read from records beside. */
    private String read(Expression.Search search) {
        Set<String> indexes = new LinkedHashSet<>();
        long direct = 0;
        if (search.subject() instanceof Expression.PropertyOf property) {
            for (int type : property.identityByType().keySet()) {
                TextIndex.Coverage coverage = searches.coverage(search, type);
                indexes.addAll(coverage == null ? List.of("none") : coverage.indexes());
                direct += coverage == null ? searches.count(type) : coverage.direct();
            }
        }
        return "index " + String.join(", ", indexes) + (direct == 0 ? "" : ", " + direct + " read directly");
    }

    private void addSearched(Expression expression, Set<String> into) {
        if (expression instanceof Expression.Search search) {
            VectorMetric metric = search.by().metric();
            AnalyzerName analyzer = search.by().analyzer();
            if (metric != null) {
                into.add(metric.text());
            } else if (analyzer != null && arguments != null) {
                Value sought = Constants.value(search.arguments().getFirst(), arguments);
                List<String> terms = sought instanceof Value.Text(String text) && text.length() <= QueryTerms.BYTES_MAX
                        ? TextAnalyzer.of(analyzer).terms(text)
                        : List.of();
                into.add("terms " + (terms.isEmpty() ? "none" : String.join(", ", terms)));
            }
        }
        expression.operands().forEach(operand -> addSearched(operand, into));
    }

    private String fused(Plan.Fusion fusion) {
        return "rrf(" + expressions(List.copyOf(fusion.rankings()), ", ") + ", " + texts.of(fusion.k()) + ")";
    }

    private String bound(Node node) {
        BitSet slots = new BitSet();
        PlanShape.addBound(node, slots);
        return slots.isEmpty() ? "row" : slots.stream().mapToObj(this::variable).collect(Collectors.joining(", "));
    }

    private String pairs(List<Expression> left, List<Expression> right) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            String one = texts.of(left.get(i));
            String other = texts.of(right.get(i));
            pairs.add(one.equals(other) ? one : one + " = " + other);
        }
        return String.join(" and ", pairs);
    }

    /** The expressions of a projection; columns of its input groups are shown by the expressions they hold. */
    private String outputs(Node.Project project, int count) {
        List<Expression> shown = new ArrayList<>();
        for (Expression expression : project.expressions().subList(0, count)) {
            shown.add(project.input() instanceof Node.Aggregate groups ? ofGroups(expression, groups) : expression);
        }
        return project.input() instanceof Node.Counts counts
                ? "count(" + types(counts.types()) + ")"
                : expressions(shown, ", ");
    }

    private static Expression ofGroups(Expression expression, Node.Aggregate groups) {
        if (expression instanceof Expression.OutputOf of) {
            int keys = groups.keys().size();
            return of.index() < keys
                    ? groups.keys().get(of.index())
                    : groups.aggregates().get(of.index() - keys);
        }
        return Rewrite.operands(expression, child -> ofGroups(child, groups));
    }

    private String order(Node.Sort sort) {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < sort.by().size(); i++) {
            keys.add(texts.of(sort.by().get(i)) + (sort.keys().get(i).descending() ? " desc" : ""));
        }
        RowWindow kept = sort.kept();
        String groups = sort.per().isEmpty() ? "" : " of each group";
        return String.join(", ", keys) + (kept == null ? "" : window(kept, " first ", " after ") + groups);
    }

    private String window(RowWindow window, String limited, String skipped) {
        StringBuilder text = new StringBuilder();
        if (window.limit() != null) {
            text.append(limited).append(texts.of(window.limit()));
        }
        if (window.skip() != null) {
            text.append(skipped).append(texts.of(window.skip()));
        }
        return text.toString().replaceFirst("^ skip", "skip");
    }

    private String hop(int near, int edge, List<Node.Step> steps, int far, String range) {
        boolean out = steps.stream().anyMatch(s -> s.direction() == Direction.OUT);
        boolean in = steps.stream().anyMatch(s -> s.direction() == Direction.IN);
        String names = steps.stream()
                .map(Node.Step::edgeType)
                .distinct()
                .map(type -> types(List.of(type)))
                .collect(Collectors.joining("|"));
        return variable(near)
                + (in ? " <-" : " -")
                + (edge < 0 ? "" : variable(edge) + ":")
                + names
                + range
                + (out ? "-> " : "- ")
                + variable(far);
    }

    private String paths(Node.Paths n) {
        Walk walk = n.walking().walk();
        String mode = walk.mode().name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ') + " ";
        return mode
                + hop(
                        n.near(),
                        walk.slots().path(),
                        n.walking().steps(),
                        n.far().slot(),
                        range(walk.minHops(), walk.maxHops()))
                + (n.far().bound() ? " (both bound)" : "");
    }

    private static String range(int min, int max) {
        return "{" + min + "," + (max == Walk.ANY_HOPS ? "*" : max) + "}";
    }

    private String variable(int slot) {
        return texts.name(slot);
    }

    private String types(List<Integer> types) {
        return types.stream().map(catalog::requireType).map(EntityType::name).collect(Collectors.joining("|"));
    }

    private String expressions(List<Expression> expressions, String between) {
        return expressions.stream().map(e -> texts.of(e)).collect(Collectors.joining(between));
    }
}
