package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A match block without its order: the variables that it binds, their joins, the conditions, and the inner blocks.
 *
 * @param bound slots of the node variables that this block binds, without those of the enclosing blocks
 * @param filters conjunction; each is Bool, and a row is kept only if all are true. Property matches of bindings are
 *     among them. Filters that use a variable of an optional block apply after that block
 * @param blocks at most one {@link Block.Given}, which is the first; then optional blocks in source order, because a
 *     later one may use variables of an earlier one (null where it had no match); then the others, in any order.
 *     Filters that read the slot of a block apply after it
 */
public record Pattern(List<Integer> bound, List<Traversal> traversals, List<Expression> filters, List<Block> blocks) {
    /** Adds nothing to a row. */
    public static final Pattern EMPTY = new Pattern(List.of(), List.of(), List.of(), List.of());

    /** The same pattern with these blocks. */
    public Pattern with(List<Block> others) {
        return new Pattern(bound, traversals, filters, List.copyOf(others));
    }

    /** What its rows begin with; null for the rows that it extends. */
    public Block.@Nullable Given given() {
        return !blocks.isEmpty() && blocks.getFirst() instanceof Block.Given given ? given : null;
    }

    /**
     * The same pattern, which has no match in a row for which the condition is not true, so that nothing in it fails.
     */
    public Pattern guardedBy(Expression condition) {
        Block.Given given = given();
        if (given != null) {
            List<Block> guarded = new ArrayList<>(blocks);
            guarded.set(0, new Block.Given(given.pattern.guardedBy(condition), given.output));
            return with(guarded);
        }
        List<Expression> conditions = new ArrayList<>(List.of(condition));
        conditions.addAll(filters);
        return new Pattern(bound, traversals, List.copyOf(conditions), blocks);
    }

    /**
     * A traversal.
     *
     * @param from slot of the left node variable
     * @param to slot of the right node variable
     * @param edge slot of the edge variable, or −1: then the result is one row per pair, else one row per edge
     * @param edgeTypes identities, ascending
     * @param undirected either direction; a pair joined both ways and a self-loop count once
     * @param walk how it walks over a range of hops; null for a plain traversal of one edge. Without another mode the
     *     result holds each destination once per source, by shortest distance. The source itself is at distance 0 if
     *     that is allowed, else at the length of the shortest cycle through it
     */
    public record Traversal(
            int from,
            int to,
            int edge,
            List<Integer> edgeTypes,
            boolean undirected,
            @Nullable Walk walk) {
        /** Whether it was written with {@code {min,max}}. */
        public boolean hopRange() {
            return walk != null;
        }

        /** Whether it is followed in its own direction only: costs are added in the order of the path. */
        public boolean isForwardOnly() {
            return walk != null && walk.mode() == Walk.Mode.CHEAPEST;
        }

        public int minHops() {
            return walk == null ? 1 : walk.minHops();
        }

        public int maxHops() {
            return walk == null ? 1 : walk.maxHops();
        }

        /** The slots that it fills beside its ends. */
        public List<Integer> filled() {
            List<Integer> slots = new ArrayList<>();
            if (edge >= 0) {
                slots.add(edge);
            }
            if (walk != null) {
                slots.addAll(walk.slots().asked());
            }
            return slots;
        }
    }

    /** A block within a match. */
    public sealed interface Block {
        Pattern pattern();

        /** What is evaluated over its matches; null for nothing. */
        default @Nullable Expression over() {
            return switch (this) {
                case Value value -> value.aggregate;
                case Given given -> given.output == null ? null : given.output.expression();
                case Optional ignored -> null;
                case Exists ignored -> null;
            };
        }

        /**
         * Extends each row by the matches of a pattern, and these by the variable of a {@code let} or a {@code for}.
         * The pattern around it extends the rows that this makes.
         *
         * @param output binds the variable; null where the pattern alone comes first
         */
        record Given(Pattern pattern, Plan.@Nullable Output output) implements Block {}

        /** Keeps the row with nulls where the pattern has no match. */
        record Optional(Pattern pattern) implements Block {}

        /** Keeps rows with ({@code exists}) or without ({@code not}) a match. */
        record Exists(Pattern pattern, boolean negated) implements Block {}

        /**
         * Binds a slot to what an aggregate gives over the block's matches. It keeps all rows.
         *
         * @param aggregate of {@code true} for {@code count { … }}; null for {@code exists { … }}, which is Bool
         * @param slot of a variable that no source can name; expressions read it by {@link Expression.ValueOf}
         */
        record Value(Pattern pattern, Expression.@Nullable Aggregate aggregate, int slot) implements Block {}
    }
}
