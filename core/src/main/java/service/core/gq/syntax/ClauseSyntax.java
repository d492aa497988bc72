package service.core.gq.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Walk;
import service.core.text.Span;

/** A clause of a match block, as written. */
public sealed interface ClauseSyntax {
    Span span();

    /**
     * Whether the clause divides the block that holds it: what depends on it comes after all that it depends on. An
     * optional block does where a clause of it does.
     */
    default boolean divides() {
        return false;
    }

    /** A block in braces, with at least one clause. */
    record Block(List<ClauseSyntax> clauses, Span span) {
        /** Whether a clause divides it. */
        public boolean isDivided() {
            return clauses.stream().anyMatch(ClauseSyntax::divides);
        }
    }

    /**
     * A variable where a clause binds it.
     *
     * @param name null for {@code $_}
     */
    record VariableSyntax(@Nullable String name, Span span) {}

    /** {@code name: value} in braces. */
    record Field(String name, Span nameSpan, ExpressionSyntax value) {}

    /** {@code $p: Person { name: $n }}. */
    record Binding(VariableSyntax variable, String type, Span typeSpan, List<Field> fields, Span span)
            implements ClauseSyntax {}

    /** The name of an edge type as a traversal writes it. */
    record EdgeName(String name, Span span) {}

    /**
     * The edge types of a traversal.
     *
     * @param names empty for {@code *}
     */
    record Edges(boolean undirected, List<EdgeName> names, Span span) {
        public boolean wildcard() {
            return names.isEmpty();
        }
    }

    /**
     * The bounds of hops.
     *
     * @param max {@link #MISSING} when nothing is written after the comma, {@link #ANY} for {@code *}; both are at most
     *     2^31 − 1
     * @param step null when nothing is said about a step
     */
    record Hops(int min, int max, @Nullable Step step, Span span) {
        static final int MISSING = -1;

        /** The upper bound {@code *}: as many hops as there are. */
        public static final int ANY = Integer.MAX_VALUE;

        /** A number that is too large for the checker, whichever it is. */
        static final int TOO_MANY = Integer.MAX_VALUE - 1;
    }

    /** {@code | $x $e $y where … by …}: the source, the edge and the destination of a step. */
    record Step(
            VariableSyntax source,
            VariableSyntax edge,
            VariableSyntax destination,
            @Nullable ExpressionSyntax where,
            @Nullable ExpressionSyntax by,
            Span span) {}

    /** A word before the edges, such as {@code trail}. */
    record Mode(Walk.Mode mode, Span span) {}

    /**
     * {@code $a $w:knows $b}.
     *
     * @param edge the variable before the edges: of the path with bounds of hops, else of the edge
     */
    record Traversal(
            VariableSyntax left,
            @Nullable VariableSyntax edge,
            @Nullable Mode mode,
            Edges edges,
            @Nullable Hops hops,
            VariableSyntax right,
            Span span)
            implements ClauseSyntax {}

    /**
     * A condition.
     *
     * @param blocks those that stand in it, but not within each other, in the order of the source
     */
    record Filter(ExpressionSyntax expression, List<ExpressionSyntax.BlockValue> blocks) implements ClauseSyntax {
        @Override
        public Span span() {
            return expression.span();
        }
    }

    /** A clause that binds a variable to a value. */
    sealed interface Given extends ClauseSyntax {
        VariableSyntax variable();

        @Override
        default boolean divides() {
            return true;
        }
    }

    /** {@code let $n = e}. */
    record Let(VariableSyntax variable, ExpressionSyntax value, Span span) implements Given {}

    /** {@code for $x in e}. */
    record For(VariableSyntax variable, ExpressionSyntax list, Span span) implements Given {}

    record OptionalBlock(Block block, Span span) implements ClauseSyntax {
        @Override
        public boolean divides() {
            return block.isDivided();
        }
    }
}
