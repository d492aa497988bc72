package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.core.gq.syntax.ClauseSyntax.EdgeName;
import service.core.gq.syntax.ClauseSyntax.Hops;
import service.core.gq.syntax.ClauseSyntax.Mode;
import service.core.gq.syntax.ClauseSyntax.Traversal;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.text.Span;
import service.core.value.Direction;

/** Resolves the edge types of traversals and narrows the types of their ends. */
final class EdgeResolver {
    static final int HOPS_MAX = 64;

    /** The greatest number of hops where all paths are sought. */
    static final int PATH_HOPS_MAX = 12;

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
        if (traversal.edges().undirected() && !isAlike(first)) {
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
        if (first.source().identities().equals(type.source().identities())
                && first.destination().identities().equals(type.destination().identities())) {
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
        boolean undirected = traversal.edges().undirected();
        Set<Integer> sources = undirected ? both(edge) : edge.source().identities();
        Set<Integer> destinations = undirected ? sources : edge.destination().identities();
        boolean leftFits = fits(left, sources);
        boolean rightFits = fits(right, destinations);
        if (leftFits && rightFits) {
            narrow(left, sources);
            narrow(right, destinations);
            return;
        }
        boolean swapFits = fits(left, destinations) && fits(right, sources);
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

    /** Whether an edge type can be followed in both directions at once: some type may stand at both ends. */
    private static boolean isAlike(EntityType.EdgeType edge) {
        return edge.source().hasAny(edge.destination().identities());
    }

    private static Set<Integer> both(EntityType.EdgeType edge) {
        Set<Integer> both = new TreeSet<>(edge.source().identities());
        both.addAll(edge.destination().identities());
        return both;
    }

    private static boolean fits(Scope.Variable variable, Set<Integer> end) {
        return variable.types == null || variable.types.stream().anyMatch(end::contains);
    }

    /** The types of the nodes that a walk along the edges passes on that side of an edge. */
    Set<Integer> passed(Set<Integer> edgeTypes, boolean undirected, Direction near) {
        Set<Integer> types = new TreeSet<>();
        for (int identity : edgeTypes) {
            EntityType.EdgeType type = (EntityType.EdgeType) catalog.requireType(identity);
            types.addAll(undirected ? both(type) : type.near(near).identities());
        }
        return types;
    }

    /** Leaves a variable the types that may stand at an end. */
    private void narrow(Scope.Variable variable, Set<Integer> end) {
        if (variable.types == null) {
            variable.types = new TreeSet<>(end);
        } else if (variable.own) {
            variable.types =
                    variable.types.stream().filter(end::contains).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private Set<Integer> wildcard(Traversal traversal, Scope.Variable left, Scope.Variable right) {
        Set<Integer> leftTypes = declared(left, traversal.left().span());
        Set<Integer> rightTypes = declared(right, traversal.right().span());
        boolean undirected = traversal.edges().undirected();
        Set<Integer> fitting = new TreeSet<>();
        boolean unlike = false;
        for (EntityType.EdgeType edge : catalog.edges()) {
            boolean fits = edge.source().hasAny(leftTypes) && edge.destination().hasAny(rightTypes);
            boolean reversed =
                    edge.destination().hasAny(leftTypes) && edge.source().hasAny(rightTypes);
            if (fits && (!undirected || isAlike(edge))) {
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

    /** Checks the bounds of hops, and that a mode has some. */
    void checkHops(Traversal traversal) {
        Hops hops = traversal.hops();
        Mode mode = traversal.mode();
        if (hops == null) {
            if (mode != null) {
                String word = findings.text(mode.span());
                throw findings.refuse(
                        "T15",
                        mode.span(),
                        "`" + word + "` needs bounds of hops",
                        "write them after the edge: `" + word + " "
                                + findings.text(traversal.edges().span()) + "{1,6}`");
            }
            return;
        }
        Walk.Mode of = mode == null ? Walk.Mode.SHORTEST : mode.mode();
        boolean isShort = of == Walk.Mode.TRAIL || of == Walk.Mode.ACYCLIC;
        int most = isShort ? PATH_HOPS_MAX : HOPS_MAX;
        boolean open = hops.max() < 0;
        boolean tooMany = hops.max() > most && (isShort || hops.max() != Hops.ANY);
        if (open || tooMany || hops.min() > most || hops.max() < hops.min()) {
            String bounds = "write `{min,max}` with 0 ≤ min ≤ max ≤ " + most;
            throw findings.refuse(
                    "T15",
                    hops.span(),
                    open
                            ? "the number of hops has no upper bound"
                            : "the bounds of the hops are `"
                                    + (hops.step() == null ? findings.text(hops.span()) : boundsOf(hops)) + "`",
                    isShort
                            ? bounds + ": there are too many longer paths without a repetition"
                            : bounds + ", or `{min,*}` for any number of hops");
        }
        boolean isPath = of != Walk.Mode.SHORTEST || traversal.edge() != null;
        if (!isShort && isPath && hops.min() > 1) {
            throw findings.refuse(
                    "T15",
                    hops.span(),
                    "the least number of hops is " + hops.min() + ", but a best path is sought from 0 or 1",
                    "write `{1," + (hops.max() == Hops.ANY ? "*" : hops.max())
                            + "}` and ask for the length of the path, or use `trail`");
        }
    }

    private static String boundsOf(Hops hops) {
        return "{" + hops.min() + "," + (hops.max() == Hops.ANY ? "*" : hops.max()) + "}";
    }

    /** A hint that lists the edges of these node types, or null when the list would be too long. */
    private @Nullable String edgesOf(Set<Integer> types) {
        List<String> fitting = catalog.edges().stream()
                .filter(edge ->
                        edge.source().hasAny(types) || edge.destination().hasAny(types))
                .map(edge -> written(edge.name()) + " (" + plainEnds(edge) + ")")
                .toList();
        if (fitting.isEmpty() || fitting.size() > 6) {
            return null;
        }
        return "the edges of " + names(types) + " are " + String.join(", ", fitting);
    }

    private String plainEnds(EntityType.EdgeType edge) {
        return edge.source().text() + " to " + edge.destination().text();
    }

    /** The name of an edge type as traversals write it. */
    static String written(String edgeName) {
        return edgeName.substring(0, 1).toLowerCase(Locale.ROOT) + edgeName.substring(1);
    }

    private String ends(EntityType.EdgeType edge) {
        return name(edge.source()) + " to " + name(edge.destination());
    }

    private static String name(EdgeEnd end) {
        return "`" + end.text() + "`";
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
