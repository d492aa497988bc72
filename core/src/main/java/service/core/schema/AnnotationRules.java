package service.core.schema;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.schema.syntax.SyntaxTree.LiteralKind;
import service.core.text.Findings;
import service.core.value.PropertyType;
import service.core.value.Value;

/** The rules for annotations: where each may occur and which argument it needs. */
final class AnnotationRules {
    /** Annotations whose argument is a string, each at most once. */
    private static final Set<String> WITH_STRING = Set.of("embed", "rename_from", "description", "instruction");

    private final Findings findings;
    private final boolean accepted;

    /** @param accepted whether the schema was accepted before, perhaps by a version that refused less */
    AnnotationRules(Findings findings, boolean accepted) {
        this.findings = findings;
        this.accepted = accepted;
    }

    /** The checked annotations of a property. */
    void check(AnnotationNode annotation, PropertyType propertyType) {
        int at = annotation.name().at();
        String name = annotation.name().text();
        if (Set.of("range", "check", "card").contains(name)) {
            findings.add(
                    "PG-AN-001",
                    at,
                    "@" + name + " cannot annotate a property",
                    name.equals("card")
                            ? "write it after the ends of an edge"
                            : "name the property in parentheses, in the body");
        }
        if (name.equals("embed") && !(propertyType instanceof PropertyType.VectorOf)) {
            findings.add(
                    "PG-CO-005",
                    at,
                    "@embed applies to Vector properties only",
                    "move it to the Vector that is made of this property");
        }
        checkString(annotation);
    }

    private void checkString(AnnotationNode annotation) {
        String name = annotation.name().text();
        Literal argument = annotation.argument();
        boolean string = argument != null && argument.kind() == LiteralKind.STRING;
        if (WITH_STRING.contains(name) && !string) {
            findings.add(
                    "PG-AN-001", annotation.name().at(), "@" + name + " needs a string", "write @" + name + "(\"…\")");
        }
    }

    /** Checks the annotations of a type; those of properties and bodies are refused there. */
    List<Annotation> ofType(List<AnnotationNode> nodes) {
        for (AnnotationNode annotation : nodes) {
            String name = annotation.name().text();
            if (Set.of("key", "unique", "index", "range", "check", "default", "embed", "card", "search")
                    .contains(name)) {
                findings.add(
                        "PG-AN-001",
                        annotation.name().at(),
                        "@" + name + " cannot annotate a type",
                        name.equals("card")
                                ? "write it directly after the ends of an edge"
                                : "it belongs to a property or into the body");
            }
            checkString(annotation);
        }
        return read(nodes);
    }

    /** The value of {@code @default}; null, with a finding, when it has no valid value. */
    @Nullable
    Value defaultValue(AnnotationNode annotation, PropertyType propertyType) {
        Literal literal = annotation.argument();
        if (literal == null) {
            findings.add("PG-TY-002", annotation.name().at(), "@default needs a value, such as @default(0)");
            return null;
        }
        Value value = LiteralValues.of(literal, propertyType, accepted);
        if (value == null) {
            findings.add(
                    "PG-TY-002",
                    literal.at(),
                    "the default `" + literal.text() + "` is not a value of " + propertyType,
                    LiteralValues.howToWrite(literal, propertyType));
        }
        return value;
    }

    /** The annotations in the form that the catalog stores. */
    static List<Annotation> read(List<AnnotationNode> nodes) {
        return nodes.stream()
                .map(node -> {
                    Map<String, String> named = new LinkedHashMap<>();
                    node.named()
                            .forEach(argument -> named.put(
                                    argument.name().text(), argument.value().text()));
                    return new Annotation(
                            node.name().text(),
                            node.argument() == null ? null : node.argument().text(),
                            named);
                })
                .toList();
    }
}
