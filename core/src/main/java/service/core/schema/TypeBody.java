package service.core.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.ConstraintNode;
import service.core.schema.syntax.SyntaxTree.InterfaceNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.Name;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.text.Findings;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** Collects the properties and constraints of one type while the catalog is built. */
final class TypeBody {
    /** Bounds the lists that are searched for each type; the 16-bit count of a row would allow more. */
    private static final int PROPERTIES_MAX = 4_096;

    /** The word for a Vector under {@code @index}: it is for search, and has no ordered index. */
    private static final int NO_ORDER = -3;

    private final Findings findings;
    private final AnnotationRules annotations;
    private final SearchRules searches;
    private final Identities identities;
    private final String type;
    private final int identity;
    private final Map<String, Property> properties = new LinkedHashMap<>();
    private final Set<Constraint> constraints = new LinkedHashSet<>();
    private final Map<List<Integer>, Boolean> uniqueByMembers = new LinkedHashMap<>();

    /** Names of properties from an interface: the type may declare each once more to annotate it. */
    private final Map<String, PropertyNode> inherited = new HashMap<>();

    /**
     * Properties of an unknown type. The type is reported already; a reference to the property is not another mistake.
     */
    private final Set<String> untyped = new HashSet<>();

    private final DefaultRules defaults = new DefaultRules();

    private final KeyRules key;
    private final boolean edge;

    TypeBody(Findings findings, Identities identities, String type, int identity, boolean edge) {
        this.findings = findings;
        this.annotations = new AnnotationRules(findings, identities.isRestoring());
        this.searches = new SearchRules(findings, identities.isRestoring());
        this.identities = identities;
        this.type = type;
        this.identity = identity;
        this.edge = edge;
        this.key = new KeyRules(findings, type, edge);
    }

    int identity() {
        return identity;
    }

    List<Property> properties() {
        return List.copyOf(properties.values());
    }

    List<Constraint> constraints() {
        return List.copyOf(constraints);
    }

    /** Requests the identities of the indexes. Not called for an interface, which has no indexes. */
    List<IndexDefinition> indexes() {
        List<Property> declared = properties();
        List<IndexDefinition> indexes = new ArrayList<>();
        uniqueByMembers.forEach((members, unique) -> indexes.add(new IndexDefinition(
                identities.ofIndex(type, memberNames(declared, members)), identity, members, unique)));
        return List.copyOf(indexes);
    }

    /** As in {@link EntityType#key}. */
    List<Integer> key() {
        return key.key();
    }

    void inherit(InterfaceNode parent, int at) {
        for (PropertyNode node : parent.properties()) {
            Property known = properties.get(node.name().text());
            if (known == null) {
                inherited.put(node.name().text(), node);
                addProperty(node);
            } else if (node.type() != null && !sameType(known, node)) {
                clash(node, at);
            } else {
                inheritAgain(known, node, at);
            }
        }
    }

    /** A property that another interface has given already: its search holds whichever of them says it. */
    private void inheritAgain(Property known, PropertyNode node, int at) {
        PropertyNode first = inherited.get(node.name().text());
        if (first == null) {
            return;
        }
        searches.checkBoth(first, node, type, at);
        PropertyNode both = SearchRules.both(first, node);
        if (!both.equals(first)) {
            inherited.put(first.name().text(), both);
            properties.put(known.name(), known.withAnnotations(AnnotationRules.read(both.annotations())));
        }
    }

    /** A property from an interface, with the annotations that the type adds or replaces. */
    private PropertyNode merged(PropertyNode own) {
        PropertyNode given = inherited.remove(own.name().text());
        searches.checkAgain(given, own);
        List<AnnotationNode> annotations = new ArrayList<>(own.annotations());
        Set<String> names = new HashSet<>();
        annotations.forEach(annotation -> names.add(annotation.name().text()));
        if (given != null) {
            given.annotations().stream()
                    .filter(annotation -> !names.contains(annotation.name().text()))
                    .forEach(annotations::add);
        }
        return new PropertyNode(own.name(), own.type(), own.nullable(), annotations);
    }

    private static boolean sameType(Property known, PropertyNode node) {
        return known.type().equals(node.type()) && known.nullable() == node.nullable();
    }

    private void clash(PropertyNode node, int at) {
        findings.add(
                "PG-TY-001",
                at,
                "`" + type + "` would have two properties `" + node.name().text() + "` of different types",
                "give one of them another name, or both the same type");
    }

    void addProperties(List<PropertyNode> nodes) {
        for (PropertyNode node : nodes) {
            Property known = properties.get(node.name().text());
            boolean first = known == null || inherited.containsKey(node.name().text());
            if (known != null && node.type() != null && !sameType(known, node)) {
                clash(node, node.name().at());
            } else if (first) {
                addProperty(known == null ? node : merged(node));
            } else {
                findings.add(
                        "PG-NA-003",
                        node.name().at(),
                        "the property `" + node.name().text() + "` of `" + type + "` is declared twice",
                        "remove one of them, or give it another name");
            }
        }
    }

    private void addProperty(PropertyNode node) {
        Name name = node.name();
        PropertyNames.check(name, identities.isRestoring(), findings);
        PropertyType propertyType = node.type();
        if (propertyType == null) {
            untyped.add(name.text());
            return;
        }
        if (properties.size() == PROPERTIES_MAX && !properties.containsKey(name.text())) {
            findings.add("PG-LM-001", name.at(), "`" + type + "` has more than " + PROPERTIES_MAX + " properties");
        }
        if (properties.size() >= PROPERTIES_MAX && !properties.containsKey(name.text())) {
            return;
        }
        int property = identities.ofProperty(type, name.text());
        Value defaultValue = null;
        for (AnnotationNode annotation : node.annotations()) {
            if (annotation.name().text().equals("default")) {
                defaultValue = annotations.defaultValue(annotation, propertyType);
                defaults.note(property, annotation);
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
                        AnnotationRules.read(node.annotations()),
                        identities.missing(type, name.text(), defaultValue)));
        for (AnnotationNode annotation : node.annotations()) {
            if (Set.of("key", "unique", "index").contains(annotation.name().text())) {
                addMembers(
                        annotation.name().text(),
                        List.of(name),
                        annotation.name().at());
            } else {
                annotations.check(annotation, propertyType);
            }
        }
        searches.check(node.annotations(), propertyType);
    }

    /** Checks the {@code @embed} of properties. Called when all properties are known. */
    void checkEmbeds(List<PropertyNode> nodes) {
        searches.checkEmbeds(type, nodes, properties, untyped);
    }

    /** The annotations of the type itself. */
    List<Annotation> typeAnnotations(List<AnnotationNode> nodes) {
        return annotations.ofType(nodes);
    }

    void addConstraints(List<ConstraintNode> nodes) {
        for (ConstraintNode node : nodes) {
            switch (node) {
                case ConstraintNode.Members members -> {
                    addMembers(members.word(), members.members(), members.at());
                    if (members.word().equals("index") && members.members().size() == 1) {
                        searchIndexed(members.members().getFirst().text(), members.at());
                    }
                }
                case ConstraintNode.Range range -> {
                    if (!refusedOnEdge("range", range.at())) {
                        addRange(range);
                    }
                }
                case ConstraintNode.Check check -> {
                    if (!refusedOnEdge("check", check.at())) {
                        addCheck(check);
                    }
                }
            }
        }
    }

    private void searchIndexed(String name, int at) {
        properties.computeIfPresent(
                name,
                (key, property) ->
                        property.type() instanceof PropertyType.VectorOf ? searches.indexed(property, at) : property);
    }

    /** Refuses defaults that the constraints refuse. Called when all constraints are known. */
    void checkDefaults() {
        if (!identities.isRestoring()) {
            defaults.check(properties.values(), constraints, findings);
        }
    }

    private boolean refusedOnEdge(String word, int at) {
        if (edge) {
            findings.add(
                    "PG-CO-003", at, "an edge takes no @" + word + ", only @key, @unique and @index", "leave it out");
        }
        return edge;
    }

    private void addMembers(String word, List<Name> names, int at) {
        List<Integer> members = new ArrayList<>();
        for (Name name : names) {
            Integer member = member(word, name);
            if (member == null) {
                return;
            }
            if (members.contains(member)) {
                findings.add("PG-CO-001", name.at(), "`" + name.text() + "` occurs twice in @" + word, "name it once");
                return;
            }
            members.add(member);
        }
        if (members.contains(NO_ORDER)) {
            if (members.size() > 1) {
                findings.add("PG-CO-002", at, "a Vector is indexed alone, not with other members");
            }
            return;
        }
        if (word.equals("key") && !key.accept(members, properties.values(), at)) {
            return;
        }
        boolean unique = !word.equals("index");
        if (unique) {
            constraints.add(new Constraint.Unique(List.copyOf(members)));
        }
        uniqueByMembers.merge(List.copyOf(members), unique, Boolean::logicalOr);
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
        if (word.equals("index") && property.type() instanceof PropertyType.VectorOf) {
            return NO_ORDER;
        }
        boolean fits = switch (property.type()) {
            case PropertyType.Scalar scalar -> scalar.scalar() != ScalarType.BLOB;
            case PropertyType.EnumOf ignored -> true;
            case PropertyType.ListOf ignored -> false;
            case PropertyType.VectorOf ignored -> false;
            case PropertyType.AnyInteger any -> throw any.undeclared();
        };
        if (!fits) {
            findings.add(
                    "PG-CO-002",
                    name.at(),
                    "`" + name.text() + "` is a " + property.type() + ", which takes no @" + word,
                    "leave it out");
            return null;
        }
        return property.identity();
    }

    /** What a constraint over members may name. */
    private Set<String> members() {
        Set<String> names = new LinkedHashSet<>(properties.keySet());
        if (edge) {
            names.addAll(List.of("src", "dst"));
        }
        return names;
    }

    private @Nullable Property find(String word, Name name) {
        Property property = properties.get(name.text());
        boolean end = edge && (name.text().equals("from") || name.text().equals("to"));
        if (property == null && end) {
            findings.add(
                    "PG-NA-002",
                    name.at(),
                    "@" + word + " names `" + name.text() + "`, and a schema calls the ends of an edge src and dst",
                    "write `" + (name.text().equals("from") ? "src" : "dst") + "`");
        } else if (property == null && !untyped.contains(name.text())) {
            findings.addUnknown(
                    "PG-NA-002",
                    name.at(),
                    "@" + word + " names `" + name.text() + "`, which `" + type + "` does not have",
                    name.text(),
                    members());
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
            findings.add(
                    "PG-CO-002",
                    range.property().at(),
                    "@range applies to numbers, Date and DateTime, and `"
                            + property.name()
                            + "` is a "
                            + property.type());
            return;
        }
        Value min = rangeBound(range.min(), property);
        Value max = rangeBound(range.max(), property);
        if (min != null && max != null && ValueOrder.compare(min, max) > 0) {
            findings.add(
                    "PG-CO-004",
                    range.at(),
                    "@range has its bounds the wrong way round",
                    "write the lower one first: @range(" + property.name() + ", 1..5)");
        }
        if (range.min() == null && range.max() == null) {
            findings.add(
                    "PG-CO-004",
                    range.at(),
                    "@range needs at least one bound",
                    "write @range(" + property.name() + ", 0..) or @range(" + property.name() + ", ..9)");
        }
        constraints.add(new Constraint.Range(property.identity(), min, max));
    }

    private @Nullable Value rangeBound(@Nullable Literal literal, Property property) {
        if (literal == null) {
            return null;
        }
        Value value = LiteralValues.of(literal, property.type(), identities.isRestoring());
        if (value == null) {
            findings.add(
                    "PG-TY-002",
                    literal.at(),
                    "the bound `" + literal.text() + "` is not a value of " + property.type(),
                    LiteralValues.howToWrite(literal, property.type()));
        }
        return value;
    }

    private void addCheck(ConstraintNode.Check check) {
        Property property = find("check", check.property());
        if (property == null) {
            return;
        }
        if (!property.type().equals(PropertyType.STRING)) {
            findings.add(
                    "PG-CO-002",
                    check.property().at(),
                    "@check applies to String, and `" + property.name() + "` is a " + property.type());
            return;
        }
        try {
            String pattern = check.pattern().text();
            TextPattern unused = identities.isRestoring() ? TextPattern.stored(pattern) : TextPattern.compile(pattern);
        } catch (IllegalArgumentException e) {
            findings.add("PG-CO-006", check.pattern().at(), "@check: " + e.getMessage());
        }
        constraints.add(
                new Constraint.Check(property.identity(), check.pattern().text()));
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
}
