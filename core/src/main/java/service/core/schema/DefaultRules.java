package service.core.schema;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.schema.syntax.SyntaxTree.AnnotationNode;
import service.core.schema.syntax.SyntaxTree.Literal;
import service.core.text.Findings;
import service.core.value.Value;
import service.core.value.ValueOrder;

/** Finds the defaults of one type that a constraint of their own property refuses, so that no insert could use them. */
final class DefaultRules {
    private final Map<Integer, Literal> literals = new HashMap<>();

    /** Takes the annotation {@code @default} of a property. */
    void note(int property, AnnotationNode annotation) {
        if (annotation.argument() != null) {
            literals.put(property, annotation.argument());
        }
    }

    void check(Collection<Property> properties, Collection<Constraint> constraints, Findings findings) {
        for (Property property : properties) {
            Value value = property.defaultValue();
            Literal literal = literals.get(property.identity());
            if (value == null || literal == null) {
                continue;
            }
            for (Constraint constraint : constraints) {
                String word = refusedBy(constraint, property.identity(), value);
                if (word != null) {
                    findings.add(
                            "PG-CO-004",
                            literal.at(),
                            "the default `" + literal.text() + "` of `" + property.name() + "` breaks @" + word
                                    + " of the same property",
                            "give a default that @" + word + " allows, or none");
                }
            }
        }
    }

    /** The word of the constraint, if it refuses the value of the property; else null. */
    private static @Nullable String refusedBy(Constraint constraint, int property, Value value) {
        return switch (constraint) {
            case Constraint.Range(int of, Value min, Value max)
            when of == property ->
                (min != null && ValueOrder.compare(value, min) < 0)
                                || (max != null && ValueOrder.compare(value, max) > 0)
                        ? "range"
                        : null;
            case Constraint.Check(int of, String pattern)
            when of == property -> value instanceof Value.Text(String text) && !matches(pattern, text) ? "check" : null;
            case Constraint.Range ignored -> null;
            case Constraint.Check ignored -> null;
            case Constraint.Unique ignored -> null;
        };
    }

    private static boolean matches(String pattern, String text) {
        try {
            return TextPattern.compile(pattern).matches(text, steps -> {});
        } catch (IllegalArgumentException e) {
            // The pattern has a finding already.
            return true;
        }
    }
}
