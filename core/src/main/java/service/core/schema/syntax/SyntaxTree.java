package service.core.schema.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.PropertyType;

/** The parsed form of a schema, in source order. Every {@code at} is an offset into the source, in chars. */
public record SyntaxTree(List<Declaration> declarations) {

    /** A name and its position. */
    public record Name(String text, int at) {}

    /** {@code interface}, {@code node} or {@code edge}. */
    public sealed interface Declaration {
        Name name();

        List<PropertyNode> properties();
    }

    public record InterfaceNode(Name name, List<PropertyNode> properties) implements Declaration {}

    public record NodeNode(
            Name name,
            List<AnnotationNode> annotations,
            List<Name> interfaces,
            List<PropertyNode> properties,
            List<ConstraintNode> constraints)
            implements Declaration {}

    public record EdgeNode(
            Name name,
            List<Name> source,
            List<Name> destination,
            @Nullable CardNode card,
            List<AnnotationNode> annotations,
            List<PropertyNode> properties,
            List<ConstraintNode> constraints)
            implements Declaration {}

    /**
     * The bounds of {@code @card}.
     *
     * @param max null when there is no upper bound
     */
    public record CardNode(Literal min, @Nullable Literal max, int at) {}

    /**
     * A declared property.
     *
     * @param type null when the source names an unknown type, which is reported already; the property still counts as
     *     declared
     */
    public record PropertyNode(
            Name name, @Nullable PropertyType type, boolean nullable, List<AnnotationNode> annotations) {}

    public record AnnotationNode(Name name, @Nullable Literal argument, List<NamedArgument> named) {}

    public record NamedArgument(Name name, Literal value) {}

    /** A constraint of a body. */
    public sealed interface ConstraintNode {
        int at();

        /** {@code @key}, {@code @unique} or {@code @index} over members; {@code word} is the one that was written. */
        record Members(String word, List<Name> members, int at) implements ConstraintNode {}

        record Range(
                Name property,
                @Nullable Literal min,
                @Nullable Literal max,
                int at) implements ConstraintNode {}

        record Check(Name property, Literal pattern, int at) implements ConstraintNode {}
    }

    public enum LiteralKind {
        STRING,
        NUMBER,
        WORD,
        DATE,
        DATETIME,
        LIST
    }

    /**
     * A literal as written.
     *
     * @param text the decoded text of a string, date or datetime; the written text of a number, word or list
     * @param items the items of a list, otherwise empty
     */
    public record Literal(LiteralKind kind, String text, List<Literal> items, int at) {}
}
