package service.core.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import service.core.schema.syntax.SyntaxTree;
import service.core.schema.syntax.SyntaxTree.CardNode;
import service.core.schema.syntax.SyntaxTree.EdgeNode;
import service.core.schema.syntax.SyntaxTree.InterfaceNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.NodeNode;
import service.core.text.Findings;
import service.core.value.Direction;

/**
 * Resolves the names of a parsed schema to types, identities, constraints and indexes. Reports mistakes and continues.
 */
final class CatalogBuilder {
    /** Bounds the number of properties that interfaces add to all types of a small source. */
    private static final int IDENTITIES_MAX = 100_000;

    /** The largest bound of a cardinality: nine digits. */
    private static final int CARD_MAX = 999_999_999;

    private final SyntaxTree tree;
    private final Findings findings;
    private final Identities identities;
    private final Map<String, InterfaceNode> interfaceNodes = new LinkedHashMap<>();
    private final Map<String, List<Integer>> implementers = new HashMap<>();
    private final List<EntityType.NodeType> nodes = new ArrayList<>();
    private final List<EntityType.EdgeType> edges = new ArrayList<>();
    private final List<InterfaceType> interfaces = new ArrayList<>();

    CatalogBuilder(SyntaxTree tree, Findings findings, Identities identities) {
        this.tree = tree;
        this.findings = findings;
        this.identities = identities;
    }

    Catalog build(String source, String digest) {
        declareNames(source);
        Map<String, EntityType.NodeType> built = new LinkedHashMap<>();
        List<EdgeNode> edgeNodes = new ArrayList<>();
        List<Integer> edgeIdentities = new ArrayList<>();
        List<TypeBody> edgeBodies = new ArrayList<>();
        Map<String, TypeBody> interfaceBodies = new LinkedHashMap<>();
        int total = 0;
        for (SyntaxTree.Declaration declaration : tree.declarations()) {
            String name = declaration.name().text();
            if (total > IDENTITIES_MAX) {
                findings.add(
                        "PG-LM-001",
                        declaration.name().at(),
                        "the schema has more than "
                                + IDENTITIES_MAX
                                + " types and properties, copies of interfaces counted");
                break;
            }
            int identity = identities.ofType(name);
            switch (declaration) {
                case InterfaceNode type -> {
                    TypeBody body = new TypeBody(findings, identities, name, identity, false);
                    body.addProperties(type.properties());
                    body.checkEmbeds(type.properties());
                    interfaceBodies.put(name, body);
                    total += 1 + type.properties().size();
                }
                case NodeNode type -> {
                    EntityType.NodeType node = node(type, identity);
                    built.put(name, node);
                    total += 1 + node.properties().size();
                }
                case EdgeNode type -> {
                    TypeBody body = new TypeBody(findings, identities, name, identity, true);
                    body.addProperties(type.properties());
                    body.addConstraints(type.constraints());
                    body.checkDefaults();
                    body.checkEmbeds(type.properties());
                    edgeNodes.add(type);
                    edgeIdentities.add(identity);
                    edgeBodies.add(body);
                    total += 1 + type.properties().size();
                }
            }
        }
        nodes.addAll(built.values());
        EdgeEnds ends = new EdgeEnds(findings, identities, built, interfaceNodes, implementers);
        for (int i = 0; i < edgeNodes.size(); i++) {
            edge(edgeNodes.get(i), edgeIdentities.get(i), edgeBodies.get(i), ends);
        }
        interfaceBodies.forEach((name, body) -> interfaces.add(new InterfaceType(
                body.identity(),
                name,
                body.properties(),
                implementers.getOrDefault(name, List.of()).stream().sorted().toList())));
        return new Catalog(
                source,
                digest,
                new Catalog.Next(identities.next(), identities.nextIndex(), identities.nextWide()),
                nodes,
                edges,
                interfaces);
    }

    private static int line(String source, int offset) {
        return (int) source.chars().limit(offset).filter(c -> c == '\n').count() + 1;
    }

    private void declareNames(String source) {
        Map<String, Name> names = new HashMap<>();
        Map<String, Name> edgeNames = new HashMap<>();
        for (SyntaxTree.Declaration declaration : tree.declarations()) {
            Name name = declaration.name();
            Name first = names.putIfAbsent(name.text(), name);
            if (first != null) {
                findings.add(
                        "PG-NA-001",
                        name.at(),
                        "the type `" + name.text() + "` is declared twice",
                        "the first one is in line " + line(source, first.at()) + "; give one of them another name");
            } else if (declaration instanceof EdgeNode
                    && edgeNames.putIfAbsent(name.text().toLowerCase(Locale.ROOT), name) != null) {
                findings.add(
                        "PG-NA-001",
                        name.at(),
                        "another edge is called `"
                                + name.text()
                                + "` but for upper and lower case, and queries do not distinguish them",
                        "give one of them another name");
            }
            if (declaration instanceof InterfaceNode type) {
                interfaceNodes.putIfAbsent(name.text(), type);
            }
        }
    }

    private EntityType.NodeType node(NodeNode node, int identity) {
        TypeBody body = new TypeBody(findings, identities, node.name().text(), identity, false);
        Set<String> implemented = new LinkedHashSet<>();
        for (Name name : node.interfaces()) {
            InterfaceNode type = interfaceNodes.get(name.text());
            if (type == null) {
                findings.addUnknown(
                        "PG-NA-002",
                        name.at(),
                        "there is no interface `" + name.text() + "`",
                        name.text(),
                        interfaceNodes.keySet());
            } else if (implemented.add(name.text())) {
                implementers
                        .computeIfAbsent(name.text(), unused -> new ArrayList<>())
                        .add(identity);
                body.inherit(type, name.at());
            }
        }
        body.addProperties(node.properties());
        body.addConstraints(node.constraints());
        body.checkDefaults();
        body.checkEmbeds(node.properties());
        return new EntityType.NodeType(
                identity,
                node.name().text(),
                body.properties(),
                body.constraints(),
                body.indexes(),
                body.typeAnnotations(node.annotations()),
                List.copyOf(implemented),
                body.key());
    }

    private void edge(EdgeNode edge, int identity, TypeBody body, EdgeEnds ends) {
        EdgeEnd source = ends.end(edge, Direction.OUT);
        EdgeEnd destination = ends.end(edge, Direction.IN);
        int min = 0;
        int max = Integer.MAX_VALUE;
        CardNode card = edge.card();
        if (card != null) {
            min = bound(card.min(), 0);
            max = card.max() == null ? max : bound(card.max(), max);
            if (min > max || max == 0) {
                findings.add(
                        "PG-CO-004",
                        card.at(),
                        "@card needs a lower bound that is not above the upper one, and an upper one above 0");
            }
        }
        if (source != null && destination != null) {
            edges.add(new EntityType.EdgeType(
                    identity,
                    edge.name().text(),
                    body.properties(),
                    body.constraints(),
                    body.indexes(),
                    body.typeAnnotations(edge.annotations()),
                    ends.joined(edge, source, destination, new EntityType.Cardinality(min, max)),
                    body.key()));
        }
    }

    private int bound(Literal literal, int otherwise) {
        if (literal.text().matches("[0-9]{1,9}")) {
            return Integer.parseInt(literal.text());
        }
        findings.add(
                "PG-CO-004",
                literal.at(),
                "a bound of @card is a whole number up to " + CARD_MAX + ", not `" + literal.text() + "`");
        return otherwise;
    }
}
