package service.core.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.Suggestion;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.LiteralKind;
import service.core.schema.syntax.SyntaxTree.PropertyNode;
import service.core.text.Findings;
import service.core.value.PropertyType;

/**
 * The rules for {@code @search}, for {@code @index} on a Vector, which is {@code @search(cosine)}, and {@code @embed}.
 */
final class SearchRules {
    /** Dimensions of a vector that an index holds. */
    private static final int DIMENSIONS_MAX = 4_096;

    private static final String CODE = "PG-CO-007";

    /** Annotations that say how a property is searched. */
    private static final Set<String> SEARCH = Set.of("search", "embed");

    private final Findings findings;
    private final boolean accepted;

    /** @param accepted whether the schema was accepted before, by a version that took any {@code @search} */
    SearchRules(Findings findings, boolean accepted) {
        this.findings = findings;
        this.accepted = accepted;
    }

    /** Checks what a property says of search. */
    void check(List<AnnotationNode> annotations, PropertyType type) {
        if (accepted) {
            return;
        }
        boolean vector = type instanceof PropertyType.VectorOf;
        AnnotationNode first = null;
        for (AnnotationNode annotation : annotations) {
            if (!isSearch(annotation, vector)) {
                continue;
            }
            if (first != null) {
                findings.add(
                        CODE,
                        annotation.name().at(),
                        first.name().text().equals(annotation.name().text())
                                ? "@" + first.name().text() + " is given twice"
                                : "@index on a Vector is @search(cosine), and both are given",
                        "leave one of them out");
                return;
            }
            first = annotation;
            check(annotation, type);
        }
    }

    /** A property that two interfaces give, with the search of both; the first one itself where the other adds none. */
    static PropertyNode both(PropertyNode first, PropertyNode other) {
        List<AnnotationNode> all = new ArrayList<>(first.annotations());
        for (AnnotationNode annotation : other.annotations()) {
            String name = annotation.name().text();
            if (SEARCH.contains(name)
                    && first.annotations().stream()
                            .noneMatch(each -> each.name().text().equals(name))) {
                all.add(annotation);
            }
        }
        return all.size() == first.annotations().size()
                ? first
                : new PropertyNode(first.name(), first.type(), first.nullable(), all);
    }

    private static boolean isSearch(AnnotationNode annotation, boolean vector) {
        String name = annotation.name().text();
        return name.equals("search") || (vector && name.equals("index"));
    }

    private void check(AnnotationNode annotation, PropertyType type) {
        int at = annotation.name().at();
        if (!Property.isText(type) && !(type instanceof PropertyType.VectorOf)) {
            findings.add(
                    CODE,
                    at,
                    "@search applies to String, [String] and Vector, not to " + type,
                    type instanceof PropertyType.EnumOf ? "an enum is searched with `=` and `in`" : "leave it out");
            return;
        }
        if (type instanceof PropertyType.VectorOf vector && vector.dimensions() > DIMENSIONS_MAX) {
            findings.add(
                    CODE,
                    at,
                    "@" + annotation.name().text() + " takes a Vector of at most " + DIMENSIONS_MAX
                            + " dimensions, not of " + vector.dimensions(),
                    "leave it out; `nearest` works without it");
        }
        Literal argument = annotation.argument();
        if (annotation.name().text().equals("search") && argument != null) {
            checkName(argument, Property.isText(type));
        }
        if (!annotation.named().isEmpty()) {
            findings.add("PG-AN-001", at, "@search takes one name, such as @search(english)");
        }
    }

    private void checkName(Literal argument, boolean text) {
        List<String> names = text ? AnalyzerName.names() : VectorMetric.names();
        boolean word = argument.kind() == LiteralKind.STRING || argument.kind() == LiteralKind.WORD;
        if (word && names.contains(argument.text())) {
            return;
        }
        String near = Suggestion.didYouMean(argument.text(), names);
        boolean other = (text ? VectorMetric.names() : AnalyzerName.names()).contains(argument.text());
        findings.add(
                "PG-AN-002",
                argument.at(),
                "there is no " + (text ? "analyzer" : "metric") + " `" + argument.text() + "`",
                near != null && !other ? near : (text ? "analyzers are " : "metrics are ") + String.join(", ", names));
    }

    /** Refuses a property of an interface that a type declares again with another {@code @search}. */
    void checkAgain(@Nullable PropertyNode given, PropertyNode own) {
        PropertyType type = own.type();
        if (accepted || given == null || type == null) {
            return;
        }
        String before = name(given.annotations(), type);
        String now = name(own.annotations(), type);
        if (before != null && now != null && !before.equals(now)) {
            findings.add(
                    CODE,
                    own.name().at(),
                    "the interface compares `" + own.name().text() + "` by `" + before + "`, and this type by `" + now
                            + "`",
                    "leave the `@search` of the type out, or give it that of the interface");
        }
    }

    /** Refuses a property that two interfaces of a type compare by different analyzers or metrics. */
    void checkBoth(PropertyNode first, PropertyNode second, String type, int at) {
        PropertyType valueType = second.type();
        if (accepted || valueType == null) {
            return;
        }
        String before = name(first.annotations(), valueType);
        String now = name(second.annotations(), valueType);
        if (before != null && now != null && !before.equals(now)) {
            findings.add(
                    CODE,
                    at,
                    "`" + type + "` has `" + second.name().text() + "` from two interfaces, which compare it by `"
                            + before + "` and by `" + now + "`",
                    "give both the same @search, or one of the properties another name");
        }
    }

    /** The analyzer or metric of a property; null without one. */
    private static @Nullable String name(List<AnnotationNode> annotations, PropertyType type) {
        boolean vector = type instanceof PropertyType.VectorOf;
        for (AnnotationNode annotation : annotations) {
            if (isSearch(annotation, vector)) {
                Literal argument = annotation.argument();
                return argument != null
                        ? argument.text()
                        : vector ? VectorMetric.COSINE.text() : AnalyzerName.STANDARD.text();
            }
        }
        return null;
    }

    /** A Vector that the body names in {@code @index}: the same as the annotation. */
    Property indexed(Property property, int at) {
        if (property.metric() != null) {
            if (!accepted) {
                findings.add(
                        CODE,
                        at,
                        "@index on a Vector is @search(cosine), and `" + property.name() + "` has one already",
                        "leave one of them out");
            }
            return property;
        }
        if (!accepted && ((PropertyType.VectorOf) property.type()).dimensions() > DIMENSIONS_MAX) {
            findings.add(CODE, at, "@index takes a Vector of at most " + DIMENSIONS_MAX + " dimensions");
        }
        List<Annotation> annotations = new ArrayList<>(property.annotations());
        annotations.add(new Annotation("index", null, Map.of()));
        return property.withAnnotations(annotations);
    }

    /**
     * Checks that every {@code @embed} names a String of its type. Called when all properties are known.
     *
     * @param untyped properties of unknown types, which are reported already
     */
    void checkEmbeds(String type, List<PropertyNode> nodes, Map<String, Property> properties, Set<String> untyped) {
        for (PropertyNode node : nodes) {
            for (AnnotationNode annotation : node.annotations()) {
                Literal source = annotation.argument();
                if (!accepted
                        && annotation.name().text().equals("embed")
                        && source != null
                        && !untyped.contains(source.text())) {
                    checkEmbed(type, source, properties);
                    checkArguments(annotation);
                }
            }
        }
    }

    private void checkEmbed(String type, Literal source, Map<String, Property> properties) {
        Property property = properties.get(source.text());
        if (property == null) {
            findings.addUnknown(
                    "PG-CO-008",
                    source.at(),
                    "@embed names `" + source.text() + "`, which `" + type + "` does not have",
                    source.text(),
                    properties.keySet());
        } else if (!property.type().equals(PropertyType.STRING)) {
            findings.add(
                    "PG-CO-008",
                    source.at(),
                    "@embed names the String that a vector is made of, but `" + source.text() + "` is "
                            + property.type());
        }
    }

    private void checkArguments(AnnotationNode embed) {
        embed.named().stream()
                .filter(argument -> !argument.name().text().equals("model"))
                .forEach(argument -> findings.add(
                        "PG-AN-001",
                        argument.name().at(),
                        "@embed has no argument `" + argument.name().text() + "`; beside the property it takes `model`",
                        Suggestion.didYouMean(argument.name().text(), List.of("model"))));
        embed.named().stream()
                .filter(argument -> argument.name().text().equals("model")
                        && argument.value().kind() != LiteralKind.STRING)
                .forEach(argument -> findings.add(
                        "PG-AN-001",
                        argument.value().at(),
                        "the model of @embed is a string",
                        "write @embed(\"body\", model=\"bge-small\")"));
    }
}
