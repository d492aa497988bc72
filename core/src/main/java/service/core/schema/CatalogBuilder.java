package service.core.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.schema.syntax.Problems;
import service.core.schema.syntax.SyntaxTree;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.CardNode;
import service.core.schema.syntax.SyntaxTree.ConstraintNode;
import service.core.schema.syntax.SyntaxTree.EdgeNode;
import service.core.schema.syntax.SyntaxTree.InterfaceNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.NodeNode;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueOrder;

/**
 * Gives the names of a parsed schema their meaning: types, identities, constraints, indexes.
 * Reports, and goes on.
 */
final class CatalogBuilder {
    private static final Set<String> RESERVED = Set.of("id", "src", "dst", "from", "to");

    private final SyntaxTree tree;
    private final Problems problems;
    private final Identities identities;
    private final Map<String, InterfaceNode> interfaceNodes = new LinkedHashMap<>();
    private final Map<String, List<Integer>> implementers = new HashMap<>();
    private final List<EntityType.NodeType> nodes = new ArrayList<>();
    private final List<EntityType.EdgeType> edges = new ArrayList<>();
    private final List<InterfaceType> interfaces = new ArrayList<>();

    CatalogBuilder(SyntaxTree tree, Problems problems, Identities identities) {
        this.tree = tree;
        this.problems = problems;
        this.identities = identities;
    }

    Catalog build(String source, String digest) {
        declareNames();
        Map<String, EntityType.NodeType> built = new LinkedHashMap<>();
        List<EdgeNode> edgeNodes = new ArrayList<>();
        List<Integer> edgeIdentities = new ArrayList<>();
        List<Body> edgeBodies = new ArrayList<>();
        Map<String, Body> interfaceBodies = new LinkedHashMap<>();
        for (SyntaxTree.Declaration declaration : tree.declarations()) {
            String name = declaration.name().text();
            int identity = identities.ofType(name);
            switch (declaration) {
                case InterfaceNode type -> {
                    Body body = new Body(name, identity);
                    body.addProperties(type.properties());
                    interfaceBodies.put(name, body);
                }
                case NodeNode type -> built.put(name, node(type, identity));
                case EdgeNode type -> {
                    Body body = new Body(name, identity);
                    body.edge = true;
                    body.addProperties(type.properties());
                    body.addConstraints(type.constraints());
                    edgeNodes.add(type);
                    edgeIdentities.add(identity);
                    edgeBodies.add(body);
                }
            }
        }
        nodes.addAll(built.values());
        for (int i = 0; i < edgeNodes.size(); i++) {
            edge(edgeNodes.get(i), edgeIdentities.get(i), edgeBodies.get(i), built);
        }
        interfaceBodies.forEach(
                (name, body) ->
                        interfaces.add(
                                new InterfaceType(
                                        body.identity,
                                        name,
                                        List.copyOf(body.properties.values()),
                                        implementers.getOrDefault(name, List.of()).stream()
                                                .sorted()
                                                .toList())));
        return new Catalog(source, digest, identities.next(), nodes, edges, interfaces);
    }

    private void declareNames() {
        Map<String, Name> names = new HashMap<>();
        Map<String, Name> edgeNames = new HashMap<>();
        for (SyntaxTree.Declaration declaration : tree.declarations()) {
            Name name = declaration.name();
            if (names.putIfAbsent(name.text(), name) != null) {
                problems.add(
                        "PG-NA-001", name.at(), "the type `" + name.text() + "` is declared twice");
            } else if (declaration instanceof EdgeNode
                    && edgeNames.putIfAbsent(name.text().toLowerCase(Locale.ROOT), name) != null) {
                problems.add(
                        "PG-NA-001",
                        name.at(),
                        "another edge is called `"
                                + name.text()
                                + "` but for upper and lower case, and queries do not tell them apart");
            }
            if (declaration instanceof InterfaceNode type) {
                interfaceNodes.putIfAbsent(name.text(), type);
            }
        }
    }

    private EntityType.NodeType node(NodeNode node, int identity) {
        Body body = new Body(node.name().text(), identity);
        List<String> implemented = new ArrayList<>();
        for (Name name : node.interfaces()) {
            InterfaceNode type = interfaceNodes.get(name.text());
            if (type == null) {
                problems.addUnknown(
                        "PG-NA-002",
                        name.at(),
                        "there is no interface `" + name.text() + "`",
                        name.text(),
                        interfaceNodes.keySet());
            } else if (!implemented.contains(name.text())) {
                implemented.add(name.text());
                implementers
                        .computeIfAbsent(name.text(), unused -> new ArrayList<>())
                        .add(identity);
                body.inherit(type, name.at());
            }
        }
        body.addProperties(node.properties());
        body.addConstraints(node.constraints());
        return new EntityType.NodeType(
                identity,
                node.name().text(),
                List.copyOf(body.properties.values()),
                List.copyOf(body.constraints),
                List.copyOf(body.indexes.values()),
                annotations(node.annotations()),
                implemented,
                body.key.stream().sorted().toList());
    }

    private void edge(
            EdgeNode edge,
            int identity,
            Body body,
            Map<String, EntityType.NodeType> declaredNodes) {
        EntityType.NodeType source = end(edge.source(), declaredNodes);
        EntityType.NodeType destination = end(edge.destination(), declaredNodes);
        int min = 0;
        int max = Integer.MAX_VALUE;
        CardNode card = edge.card();
        if (card != null) {
            min = bound(card.min(), 0);
            max = card.max() == null ? max : bound(card.max(), max);
            if (min > max || max == 0) {
                problems.add(
                        "PG-CO-004",
                        card.at(),
                        "@card needs a lower bound that is not above the upper one, and an upper one above 0");
            }
        }
        if (source != null && destination != null) {
            edges.add(
                    new EntityType.EdgeType(
                            identity,
                            edge.name().text(),
                            List.copyOf(body.properties.values()),
                            List.copyOf(body.constraints),
                            List.copyOf(body.indexes.values()),
                            annotations(edge.annotations()),
                            source.identity(),
                            destination.identity(),
                            min,
                            max));
        }
    }

    private EntityType.@Nullable NodeType end(
            Name name, Map<String, EntityType.NodeType> declaredNodes) {
        EntityType.NodeType node = declaredNodes.get(name.text());
        if (node == null) {
            String what =
                    interfaceNodes.containsKey(name.text())
                            ? "an interface, not a node type"
                            : "no node type";
            problems.addUnknown(
                    "PG-NA-002",
                    name.at(),
                    "an edge joins node types, and `" + name.text() + "` is " + what,
                    name.text(),
                    declaredNodes.keySet());
        }
        return node;
    }

    private int bound(Literal literal, int otherwise) {
        if (literal.text().matches("[0-9]{1,9}")) {
            return Integer.parseInt(literal.text());
        }
        problems.add(
                "PG-CO-004",
                literal.at(),
                "a bound of @card is a whole number, not `" + literal.text() + "`");
        return otherwise;
    }

    static String memberNames(List<Property> properties, List<Integer> members) {
        List<String> names = new ArrayList<>();
        for (int member : members) {
            names.add(
                    switch (member) {
                        case Constraint.SRC -> "src";
                        case Constraint.DST -> "dst";
                        default ->
                                properties.stream()
                                        .filter(property -> property.identity() == member)
                                        .findFirst()
                                        .orElseThrow()
                                        .name();
                    });
        }
        return String.join(",", names);
    }

    private static List<Annotation> annotations(List<AnnotationNode> nodes) {
        return nodes.stream()
                .map(
                        node -> {
                            Map<String, String> named = new LinkedHashMap<>();
                            node.named()
                                    .forEach(
                                            argument ->
                                                    named.put(
                                                            argument.name().text(),
                                                            argument.value().text()));
                            return new Annotation(
                                    node.name().text(),
                                    node.argument() == null ? null : node.argument().text(),
                                    named);
                        })
                .toList();
    }

    /** The properties and constraints of one type in the making. */
    private final class Body {
        private final String type;
        private final int identity;
        private final Map<String, Property> properties = new LinkedHashMap<>();
        private final List<Constraint> constraints = new ArrayList<>();
        private final Map<List<Integer>, IndexDefinition> indexes = new LinkedHashMap<>();

        /**
         * Names that came from an interface: the type may declare them once more, to annotate them.
         */
        private final Set<String> inherited = new HashSet<>();

        private List<Integer> key = List.of();
        private boolean edge;

        Body(String type, int identity) {
            this.type = type;
            this.identity = identity;
        }

        void inherit(InterfaceNode parent, int at) {
            for (PropertyNode node : parent.properties()) {
                Property known = properties.get(node.name().text());
                if (known == null) {
                    inherited.add(node.name().text());
                    addProperty(node);
                } else if (node.type() != null && !sameType(known, node)) {
                    clash(node, at);
                }
            }
        }

        private static boolean sameType(Property known, PropertyNode node) {
            return known.type().equals(node.type()) && known.nullable() == node.nullable();
        }

        private void clash(PropertyNode node, int at) {
            problems.add(
                    "PG-TY-001",
                    at,
                    "`"
                            + type
                            + "` would have two properties `"
                            + node.name().text()
                            + "` of different types");
        }

        void addProperties(List<PropertyNode> nodes) {
            for (PropertyNode node : nodes) {
                Property known = properties.get(node.name().text());
                boolean first = known == null || inherited.remove(node.name().text());
                if (known != null && node.type() != null && !sameType(known, node)) {
                    clash(node, node.name().at());
                } else if (first) {
                    addProperty(node);
                } else {
                    problems.add(
                            "PG-NA-003",
                            node.name().at(),
                            "the property `"
                                    + node.name().text()
                                    + "` of `"
                                    + type
                                    + "` is declared twice");
                }
            }
        }

        private void addProperty(PropertyNode node) {
            Name name = node.name();
            if (RESERVED.contains(name.text()) || name.text().startsWith("__")) {
                problems.add(
                        "PG-NA-004",
                        name.at(),
                        "`" + name.text() + "` is reserved and cannot name a property");
            }
            PropertyType propertyType = node.type();
            if (propertyType == null) {
                return;
            }
            int property = identities.ofProperty(type, name.text());
            Value defaultValue = null;
            for (AnnotationNode annotation : node.annotations()) {
                if (annotation.name().text().equals("default")) {
                    defaultValue = defaultValue(annotation, propertyType);
                }
            }
            properties.put(
                    name.text(),
                    new Property(
                            property,
                            name.text(),
                            propertyType,
                            node.nullable(),
                            defaultValue,
                            annotations(node.annotations())));
            for (AnnotationNode annotation : node.annotations()) {
                if (Set.of("key", "unique", "index").contains(annotation.name().text())) {
                    addMembers(annotation.name().text(), List.of(name), annotation.name().at());
                } else if (annotation.name().text().equals("embed")) {
                    checkEmbed(annotation, propertyType);
                }
            }
        }

        private void checkEmbed(AnnotationNode annotation, PropertyType propertyType) {
            if (!(propertyType instanceof PropertyType.VectorOf)) {
                problems.add(
                        "PG-CO-005",
                        annotation.name().at(),
                        "@embed stands on a Vector property only");
            }
        }

        private @Nullable Value defaultValue(AnnotationNode annotation, PropertyType propertyType) {
            Literal literal = annotation.argument();
            if (literal == null) {
                problems.add(
                        "PG-TY-002",
                        annotation.name().at(),
                        "@default needs a value, such as @default(0)");
                return null;
            }
            Value value = LiteralValues.of(literal, propertyType);
            if (value == null) {
                problems.add(
                        "PG-TY-002",
                        literal.at(),
                        "the default `" + literal.text() + "` is not a value of " + propertyType);
            }
            return value;
        }

        void addConstraints(List<ConstraintNode> nodes) {
            for (ConstraintNode node : nodes) {
                switch (node) {
                    case ConstraintNode.Members members ->
                            addMembers(members.word(), members.members(), members.at());
                    case ConstraintNode.Range range -> addRange(range);
                    case ConstraintNode.Check check -> addCheck(check);
                }
            }
        }

        private void addMembers(String word, List<Name> names, int at) {
            List<Integer> members = new ArrayList<>();
            for (Name name : names) {
                Integer member = member(word, name);
                if (member == null) {
                    return;
                }
                if (members.contains(member)) {
                    problems.add(
                            "PG-CO-001",
                            name.at(),
                            "`" + name.text() + "` stands twice in @" + word);
                    return;
                }
                members.add(member);
            }
            if (word.equals("key") && !acceptKey(members, at)) {
                return;
            }
            boolean unique = !word.equals("index");
            if (unique) {
                constraints.add(new Constraint.Unique(List.copyOf(members)));
            }
            IndexDefinition known = indexes.get(members);
            int index =
                    known != null
                            ? known.identity()
                            : identities.ofIndex(
                                    type, memberNames(List.copyOf(properties.values()), members));
            indexes.put(
                    members,
                    new IndexDefinition(
                            index,
                            identity,
                            List.copyOf(members),
                            unique || (known != null && known.unique())));
        }

        private @Nullable Integer member(String word, Name name) {
            if (edge && name.text().equals("src")) {
                return Constraint.SRC;
            }
            if (edge && name.text().equals("dst")) {
                return Constraint.DST;
            }
            Property property = find(word, name);
            if (property == null) {
                return null;
            }
            boolean fits =
                    switch (property.type()) {
                        case PropertyType.Scalar scalar -> scalar.scalar() != ScalarType.BLOB;
                        case PropertyType.EnumOf ignored -> true;
                        case PropertyType.ListOf ignored -> false;
                        case PropertyType.VectorOf ignored -> false;
                    };
            if (!fits) {
                problems.add(
                        "PG-CO-002",
                        name.at(),
                        "`"
                                + name.text()
                                + "` is a "
                                + property.type()
                                + ", which takes no @"
                                + word);
                return null;
            }
            return property.identity();
        }

        private boolean acceptKey(List<Integer> members, int at) {
            if (edge) {
                problems.add(
                        "PG-CO-003",
                        at,
                        "an edge takes no @key; use @unique(src, dst) or the like");
                return false;
            }
            if (!key.isEmpty()) {
                problems.add(
                        "PG-CO-003",
                        at,
                        "`" + type + "` has a @key already; a type has at most one");
                return false;
            }
            for (Property property : properties.values()) {
                if (members.contains(property.identity()) && property.nullable()) {
                    problems.add(
                            "PG-CO-003",
                            at,
                            "`" + property.name() + "` is nullable, and a @key member is not");
                    return false;
                }
            }
            key = List.copyOf(members);
            return true;
        }

        private @Nullable Property find(String word, Name name) {
            Property property = properties.get(name.text());
            if (property == null) {
                problems.addUnknown(
                        "PG-NA-002",
                        name.at(),
                        "@"
                                + word
                                + " names `"
                                + name.text()
                                + "`, which `"
                                + type
                                + "` does not have",
                        name.text(),
                        properties.keySet());
            }
            return property;
        }

        private void addRange(ConstraintNode.Range range) {
            Property property = find("range", range.property());
            if (property == null) {
                return;
            }
            if (!(property.type() instanceof PropertyType.Scalar scalar)
                    || !(scalar.scalar().isNumeric()
                            || scalar.scalar() == ScalarType.DATE
                            || scalar.scalar() == ScalarType.DATETIME)) {
                problems.add(
                        "PG-CO-002",
                        range.property().at(),
                        "@range stands on numbers, Date and DateTime, and `"
                                + property.name()
                                + "` is a "
                                + property.type());
                return;
            }
            Value min = rangeBound(range.min(), property);
            Value max = rangeBound(range.max(), property);
            if (min != null && max != null && ValueOrder.compare(min, max) > 0) {
                problems.add("PG-CO-004", range.at(), "@range has its bounds the wrong way round");
            }
            if (range.min() == null && range.max() == null) {
                problems.add("PG-CO-004", range.at(), "@range needs at least one bound");
            }
            constraints.add(new Constraint.Range(property.identity(), min, max));
        }

        private @Nullable Value rangeBound(@Nullable Literal literal, Property property) {
            if (literal == null) {
                return null;
            }
            Value value = LiteralValues.of(literal, property.type());
            if (value == null) {
                problems.add(
                        "PG-TY-002",
                        literal.at(),
                        "the bound `" + literal.text() + "` is not a value of " + property.type());
            }
            return value;
        }

        private void addCheck(ConstraintNode.Check check) {
            Property property = find("check", check.property());
            if (property == null) {
                return;
            }
            if (!property.type().equals(PropertyType.STRING)) {
                problems.add(
                        "PG-CO-002",
                        check.property().at(),
                        "@check stands on String, and `"
                                + property.name()
                                + "` is a "
                                + property.type());
                return;
            }
            try {
                Pattern.compile(check.pattern().text());
            } catch (PatternSyntaxException e) {
                problems.add(
                        "PG-CO-006",
                        check.pattern().at(),
                        "not a regular expression: " + e.getDescription());
            }
            constraints.add(new Constraint.Check(property.identity(), check.pattern().text()));
        }
    }
}
