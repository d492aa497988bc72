package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax.EdgeName;
import service.core.gq.syntax.ClauseSyntax.Hops;
import service.core.gq.syntax.ClauseSyntax.Traversal;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.text.Span;

/** Resolves the edge types of traversals and narrows the types of their ends. */
final class EdgeResolver {
    static final int HOPS_MAX = 64;

    private final Catalog catalog;
    private final QueryFindings findings;

    EdgeResolver(Catalog catalog, QueryFindings findings) {
        this.catalog = catalog;
        this.findings = findings;
    }

    /** Returns the identities of the edge types, ascending, and sets the types of undeclared ends. */
    Set<Integer> resolve(Traversal traversal, Scope.Variable left, Scope.Variable right) {
        if (traversal.edges().wildcard()) {
            return wildcard(traversal, left, right);
        }
        List<EntityType.EdgeType> types = new ArrayList<>();
        for (EdgeName name : traversal.edges().names()) {
            EntityType.EdgeType type = edge(name);
            rejectMixedEnds(types, type, name, traversal);
            types.add(type);
        }
        EntityType.EdgeType first = types.getFirst();
        if (traversal.edges().undirected() && first.source() != first.destination()) {
            throw findings.refuse(
                    "T22",
                    traversal.edges().span(),
                    "`"
                            + first.name()
                            + "` joins "
                            + ends(first)
                            + ": it cannot be followed in both directions at once",
                    "write `$a " + written(first.name()) + " $b` with the source on the left");
        }
        fitEnds(traversal, first, left, right);
        Set<Integer> identities = new TreeSet<>();
        types.forEach(type -> identities.add(type.identity()));
        return identities;
    }

    private EntityType.EdgeType edge(EdgeName name) {
        EntityType.EdgeType type = catalog.edge(name.name());
        if (type != null) {
            return type;
        }
        List<String> known =
                catalog.edges().stream().map(edge -> written(edge.name())).toList();
        throw findings.refuse(
                "T3",
                name.span(),
                "there is no edge type `" + name.name() + "`",
                QueryFindings.nearOr(
                        name.name(),
                        known,
                        known.isEmpty() || known.size() > 12 ? null : "the edges are " + String.join(", ", known)));
    }

    private void rejectMixedEnds(
            List<EntityType.EdgeType> types, EntityType.EdgeType type, EdgeName name, Traversal traversal) {
        if (types.isEmpty()) {
            return;
        }
        EntityType.EdgeType first = types.getFirst();
        if (first.source() == type.source() && first.destination() == type.destination()) {
            return;
        }
        boolean undirected = traversal.edges().undirected();
        throw findings.refuse(
                undirected ? "T22" : "T5",
                name.span(),
                "`" + type.name() + "` joins " + ends(type) + ", but `" + first.name() + "` joins " + ends(first),
                "alternatives have the same endpoint types; `*` takes every edge that fits two bound nodes");
    }

    private void fitEnds(Traversal traversal, EntityType.EdgeType edge, Scope.Variable left, Scope.Variable right) {
        boolean leftFits = left.types == null || left.types.contains(edge.source());
        boolean rightFits = right.types == null || right.types.contains(edge.destination());
        if (leftFits && rightFits) {
            narrow(left, edge.source());
            narrow(right, edge.destination());
            return;
        }
        boolean swapFits = (left.types == null || left.types.contains(edge.destination()))
                && (right.types == null || right.types.contains(edge.source()));
        Scope.Variable wrong = leftFits ? right : left;
        Set<Integer> has = wrong.types == null ? Set.of() : wrong.types;
        Span span = leftFits ? traversal.right().span() : traversal.left().span();
        throw findings.refuse(
                "T5",
                span,
                "`"
                        + shown(wrong)
                        + "` is "
                        + names(has)
                        + ", but `"
                        + edge.name()
                        + "` goes from "
                        + name(edge.source())
                        + " to "
                        + name(edge.destination()),
                swapFits
                        ? "swapping the ends would fit: `"
                                + shown(right)
                                + " "
                                + written(edge.name())
                                + " "
                                + shown(left)
                                + "`"
                        : edgesOf(has));
    }

    private void narrow(Scope.Variable variable, int type) {
        if (variable.types == null || variable.own) {
            Set<Integer> only = new TreeSet<>();
            only.add(type);
            variable.types = only;
        }
    }

    private Set<Integer> wildcard(Traversal traversal, Scope.Variable left, Scope.Variable right) {
        Set<Integer> leftTypes = declared(left, traversal.left().span());
        Set<Integer> rightTypes = declared(right, traversal.right().span());
        boolean undirected = traversal.edges().undirected();
        Set<Integer> fitting = new TreeSet<>();
        boolean unlike = false;
        for (EntityType.EdgeType edge : catalog.edges()) {
            boolean fits = leftTypes.contains(edge.source()) && rightTypes.contains(edge.destination());
            boolean reversed = leftTypes.contains(edge.destination()) && rightTypes.contains(edge.source());
            if (fits && (!undirected || edge.source() == edge.destination())) {
                fitting.add(edge.identity());
            } else if (fits || reversed) {
                unlike = true;
            }
        }
        if (fitting.isEmpty()) {
            boolean unlikeEnds = undirected && unlike;
            throw findings.refuse(
                    unlikeEnds ? "T22" : "T5",
                    traversal.edges().span(),
                    unlikeEnds
                            ? "every edge between "
                                    + names(leftTypes)
                                    + " and "
                                    + names(rightTypes)
                                    + " has unlike ends"
                            : "no edge goes from " + names(leftTypes) + " to " + names(rightTypes),
                    unlikeEnds
                            ? "write `*` and put the source on the left"
                            : unlike ? "swapping the ends would fit" : edgesOf(leftTypes));
        }
        return fitting;
    }

    private Set<Integer> declared(Scope.Variable variable, Span span) {
        if (variable.types == null) {
            throw findings.refuse(
                    "T6",
                    span,
                    "`*` needs both ends bound, but `" + shown(variable) + "` is not",
                    "bind it: `" + shown(variable) + ": Type`");
        }
        return variable.types;
    }

    void checkHops(Traversal traversal) {
        Hops hops = traversal.hops();
        if (hops == null) {
            return;
        }
        if (traversal.edge() != null) {
            throw findings.refuse(
                    "T23",
                    hops.span(),
                    "an edge variable cannot be combined with bounds of hops",
                    "leave out the variable, or the bounds");
        }
        boolean open = hops.max() < 0;
        boolean tooMany = hops.max() > HOPS_MAX && hops.max() != Hops.ANY;
        if (open || tooMany || hops.min() > HOPS_MAX || hops.max() < hops.min()) {
            throw findings.refuse(
                    "T15",
                    hops.span(),
                    open
                            ? "the number of hops has no upper bound"
                            : "the bounds of the hops are `" + findings.text(hops.span()) + "`",
                    "write `{min,max}` with 0 ≤ min ≤ max ≤ " + HOPS_MAX + ", or `{min,*}` for any number of hops");
        }
    }

    /** A hint that lists the edges of these node types, or null when the list would be too long. */
    private @Nullable String edgesOf(Set<Integer> types) {
        List<String> fitting = catalog.edges().stream()
                .filter(edge -> types.contains(edge.source()) || types.contains(edge.destination()))
                .map(edge -> written(edge.name()) + " (" + plainEnds(edge) + ")")
                .toList();
        if (fitting.isEmpty() || fitting.size() > 6) {
            return null;
        }
        return "the edges of " + names(types) + " are " + String.join(", ", fitting);
    }

    private String plainEnds(EntityType.EdgeType edge) {
        return catalog.requireType(edge.source()).name()
                + " to "
                + catalog.requireType(edge.destination()).name();
    }

    /** The name of an edge type as traversals write it. */
    static String written(String edgeName) {
        return edgeName.substring(0, 1).toLowerCase(Locale.ROOT) + edgeName.substring(1);
    }

    private String ends(EntityType.EdgeType edge) {
        return name(edge.source()) + " to " + name(edge.destination());
    }

    private String name(int type) {
        return "`" + catalog.requireType(type).name() + "`";
    }

    private String names(Set<Integer> types) {
        return types.stream().limit(4).map(this::name).collect(Collectors.joining(", "));
    }

    private static String shown(Scope.Variable variable) {
        return variable.slot.name.startsWith("#") ? "$_" : variable.shown();
    }
}
