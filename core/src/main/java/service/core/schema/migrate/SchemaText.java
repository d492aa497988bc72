package service.core.schema.migrate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.value.CalendarText;
import service.core.value.PropertyType;
import service.core.value.ShortestDecimal;
import service.core.value.Value;

/** Writes parts of a catalog as a schema does, for steps and messages. */
final class SchemaText {
    private SchemaText() {}

    /** Type, nullability and default: {@code I32? @default(0)}. */
    static String property(Property property) {
        String value = property.defaultValue() == null ? "" : " @default(" + value(property.defaultValue()) + ")";
        return type(property) + value;
    }

    static String type(Property property) {
        return property.type() + (property.nullable() ? "?" : "");
    }

    static String card(EntityType.EdgeType edge) {
        return "@card(" + edge.cardinality().text() + ")";
    }

    static String constraint(EntityType type, Constraint constraint) {
        return switch (constraint) {
            case Constraint.Unique unique -> members("unique", type, unique.members());
            case Constraint.Range range ->
                "@range(%s, %s..%s)"
                        .formatted(
                                member(type, range.property()),
                                range.min() == null ? "" : value(range.min()),
                                range.max() == null ? "" : value(range.max()));
            case Constraint.Check check ->
                "@check(%s, %s)".formatted(member(type, check.property()), quoted(check.pattern()));
        };
    }

    static String members(String word, EntityType type, List<Integer> members) {
        return members.stream()
                .map(member -> member(type, member))
                .collect(Collectors.joining(", ", "@" + word + "(", ")"));
    }

    static String member(EntityType type, int member) {
        Property property = type.property(member);
        return switch (member) {
            case Constraint.SRC -> "src";
            case Constraint.DST -> "dst";
            default -> property == null ? Integer.toString(member) : property.name();
        };
    }

    /**
     * The annotations without those that other steps show: constraints, and {@code @rename_from}, which acts once. The
     * order has no meaning.
     */
    static Set<String> annotations(List<Annotation> annotations, @Nullable PropertyType type) {
        Set<String> written = new TreeSet<>();
        for (Annotation annotation : annotations) {
            boolean shownElsewhere = switch (annotation.name()) {
                case "key", "unique", "rename_from" -> true;
                case "index" -> !(type instanceof PropertyType.VectorOf);
                default -> false;
            };
            if (!shownElsewhere) {
                written.add(annotation(annotation));
            }
        }
        return written;
    }

    private static String annotation(Annotation annotation) {
        List<String> arguments = new ArrayList<>();
        if (annotation.argument() != null) {
            arguments.add(quoted(annotation.argument()));
        }
        Map<String, String> named = new LinkedHashMap<>(annotation.named());
        named.keySet().stream()
                .sorted()
                .forEach(name -> arguments.add(name + " = " + quoted(named.getOrDefault(name, ""))));
        return "@" + annotation.name() + (arguments.isEmpty() ? "" : "(" + String.join(", ", arguments) + ")");
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    static String value(Value value) {
        return switch (value) {
            case Value.Null ignored -> "null";
            case Value.Bool v -> Boolean.toString(v.value());
            case Value.Int v -> Long.toString(v.value());
            case Value.UInt v -> Long.toUnsignedString(v.bits());
            case Value.Real v -> ShortestDecimal.of(v.value());
            case Value.Text v -> quoted(v.value());
            case Value.Date v -> "date(\"" + CalendarText.date(v.epochDay()) + "\")";
            case Value.DateTime v -> "datetime(\"" + CalendarText.dateTime(v.epochMillis()) + "\")";
            case Value.ListOf v ->
                v.items().stream().map(SchemaText::value).collect(Collectors.joining(", ", "[", "]"));
            case Value.Vector ignored -> throw new IllegalArgumentException("a Vector has no literal");
            case Value.ManagedBlob ignored -> throw new IllegalArgumentException("a Blob has no literal");
            case Value.ExternalBlob ignored -> throw new IllegalArgumentException("a Blob has no literal");
            case Value.Computed v -> throw v.unstored();
        };
    }
}
