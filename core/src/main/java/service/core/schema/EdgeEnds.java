package service.core.schema;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.syntax.SyntaxTree.EdgeNode;
import service.core.schema.syntax.SyntaxTree.InterfaceNode;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.text.Findings;
import service.core.value.Direction;

/** Resolves the ends of edge types: node types, or interfaces for the node types that implement them. */
final class EdgeEnds {
    private final Findings findings;
    private final Identities identities;
    private final Map<String, EntityType.NodeType> nodes;
    private final Map<Integer, String> names = new LinkedHashMap<>();
    private final Map<String, InterfaceNode> interfaces;
    private final Map<String, List<Integer>> implementers;
    private final Set<String> missed = new HashSet<>();

    /** @param implementers identities by the name of an interface */
    EdgeEnds(
            Findings findings,
            Identities identities,
            Map<String, EntityType.NodeType> nodes,
            Map<String, InterfaceNode> interfaces,
            Map<String, List<Integer>> implementers) {
        this.findings = findings;
        this.identities = identities;
        this.nodes = nodes;
        this.interfaces = interfaces;
        this.implementers = implementers;
        nodes.values().forEach(node -> names.put(node.identity(), node.name()));
    }

    /** An end, whose types take their places; null when it has a mistake, which is noted. */
    @Nullable
    EdgeEnd end(EdgeNode edge, Direction direction) {
        List<Name> declared = direction == Direction.OUT ? edge.source() : edge.destination();
        Set<Integer> types = new LinkedHashSet<>();
        Set<String> seen = new HashSet<>();
        boolean wide = declared.size() > 1;
        boolean whole = true;
        for (Name name : declared) {
            if (!seen.add(name.text())) {
                findings.add("PG-CO-001", name.at(), "`" + name.text() + "` occurs twice in this end", "name it once");
                whole = false;
            } else if (interfaces.containsKey(name.text())) {
                wide = true;
                List<Integer> known = implementers.getOrDefault(name.text(), List.of());
                types.addAll(known.stream().sorted().toList());
                whole &= !known.isEmpty() || isUnimplemented(name);
            } else {
                EntityType.NodeType node = node(name);
                whole &= node != null;
                types.addAll(node == null ? List.of() : List.of(node.identity()));
            }
        }
        if (!whole || types.isEmpty()) {
            return null;
        }
        List<Integer> places = new ArrayList<>(identities.places(edge.name().text(), direction));
        types.stream().filter(type -> !places.contains(type)).forEach(places::add);
        if (places.size() > EdgeEnd.PLACES_MAX) {
            findings.add(
                    "PG-LM-001",
                    declared.getFirst().at(),
                    "an end of an edge type has at most %d node types, those counted that it once had"
                            .formatted(EdgeEnd.PLACES_MAX));
            return null;
        }
        List<EdgeEnd.NodeName> ordered = places.stream()
                .filter(types::contains)
                .map(type -> new EdgeEnd.NodeName(type, names.getOrDefault(type, "")))
                .toList();
        return new EdgeEnd(
                ordered, places, wide, declared.stream().map(Name::text).collect(Collectors.joining(" | ")));
    }

    /** Notes an interface without node types, unless they may be hidden by another mistake; false in both cases. */
    private boolean isUnimplemented(Name name) {
        if (!findings.isDoubtful(name.text())) {
            findings.add(
                    "PG-NA-002",
                    name.at(),
                    "no node type implements the interface `" + name.text() + "`, so that no node can be an end",
                    "write `implements " + name.text() + "` at a node type");
        }
        return false;
    }

    private EntityType.@Nullable NodeType node(Name name) {
        EntityType.NodeType node = nodes.get(name.text());
        // A type that no declaration resembles is missed once, not by each of its edges.
        if (node == null && (missed.add(name.text()) || Suggestion.nearest(name.text(), nodes.keySet()) != null)) {
            findings.addUnknown(
                    "PG-NA-002",
                    name.at(),
                    "an edge joins node types, and `" + name.text() + "` is not a node type",
                    name.text(),
                    nodes.keySet());
        }
        return node;
    }

    /** Both ends, with a number when they have several lanes. */
    EntityType.Ends joined(EdgeNode edge, EdgeEnd source, EdgeEnd destination, EntityType.Cardinality cardinality) {
        boolean several = source.places().size() > 1 || destination.places().size() > 1;
        int number = several ? identities.ofWide(edge.name().text(), source.places(), destination.places()) : 0;
        if (number >= Lane.NUMBERS_MAX) {
            findings.add(
                    "PG-LM-001",
                    edge.name().at(),
                    "a graph has at most %d edge types with several types at an end, dropped ones counted"
                            .formatted(Lane.NUMBERS_MAX));
        }
        return new EntityType.Ends(source, destination, number, cardinality);
    }
}
