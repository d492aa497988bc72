package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.value.Direction;

/**
 * The physical plan: what {@code EXPLAIN} shows and {@code Lowering} turns into operators. Each node carries the number
 * of rows the planner expects of it.
 */
public sealed interface Node {
    double rows();

    /** The rows that a block is run for. */
    record OuterRows(double rows) implements Node {}

    /** One row of no variables: what a match holds that binds nothing. */
    record Unit() implements Node {
        @Override
        public double rows() {
            return 1;
        }
    }

    /** All entities of the types. */
    record Scan(int slot, List<Integer> types, double rows) implements Node {}

    /** Entities by id: for each type the ids to look up. */
    record IdLookup(int slot, List<Integer> types, Ids ids, double rows) implements Node {}

    /**
     * Entities of one type from an index.
     *
     * @param covered the filters that the seek stands for
     * @param postingsMax postings beyond which a scan with the covered filters takes over
     */
    record Index(int slot, int type, Seek seek, List<Expression> covered, int postingsMax, double rows)
            implements Node {}

    /** Entities of several types, each found its own way. */
    record Union(int slot, List<Node> sources, double rows) implements Node {}

    /** The edges at given nodes. */
    record EdgesAt(int slot, int edgeType, Direction direction, Ids nodeIds, double rows) implements Node {}

    /** One edge type, followed one way. */
    record Step(int edgeType, Direction direction, int nearType, int farType) {}

    /**
     * Neighbours along any of the steps.
     *
     * @param edge slot of the edge, or −1 for one row per pair
     * @param closing the far slot is bound already: rows are kept where it is a neighbour
     * @param farTypes types that the far variable may take
     * @param undirected an edge that both directions find is given once
     */
    record Expand(
            Node input,
            int near,
            int far,
            int edge,
            List<Step> steps,
            boolean closing,
            List<Integer> farTypes,
            boolean undirected,
            double rows)
            implements Node {}

    /**
     * The ends of edges that were found by themselves: a row for each way round that fits.
     *
     * @param from slot of the left end; the same as {@code to} where the pattern wants a loop
     */
    record Ends(
            Node input,
            int edge,
            int from,
            int to,
            boolean undirected,
            List<Integer> fromTypes,
            List<Integer> toTypes,
            double rows)
            implements Node {}

    /**
     * Neighbours within a range of hops, by shortest distance.
     *
     * @param back the steps the other way, for the search from the far end; empty unless closing
     */
    record Hops(
            Node input,
            int near,
            int far,
            List<Step> steps,
            List<Step> back,
            int minHops,
            int maxHops,
            boolean closing,
            List<Integer> farTypes,
            double rows)
            implements Node {}

    /**
     * Rows for which every conjunct is true.
     *
     * @param tentative rows on which a conjunct fails go on as well: a filter behind decides
     */
    record Filter(Node input, List<Expression> conjuncts, boolean tentative, double rows) implements Node {}

    /** Rows with a match of the block, or without one. */
    record SemiJoin(Node input, Node block, boolean negated, double rows) implements Node {}

    /** Rows for which the aggregate over the block's matches compares true. */
    record Measure(
            Node input,
            Node block,
            Expression.AggregateFunction function,
            @Nullable Expression operand,
            Expression.ComparisonOperator operator,
            Expression bound,
            double rows)
            implements Node {}

    /** Rows with each match of the block, or once with nulls. */
    record Optional(Node input, Node block, List<Integer> slots, double rows) implements Node {}

    record CrossJoin(Node input, Node right, double rows) implements Node {}

    record HashJoin(Node input, Node build, List<Expression> probeKeys, List<Expression> buildKeys, double rows)
            implements Node {}

    /** Groups: computed columns become the keys, then the aggregates. */
    record Aggregate(Node input, List<Expression> keys, List<Expression.Aggregate> aggregates, double rows)
            implements Node {}

    /** One row of live counts, one column an aggregate: no entity is looked at. */
    record Counts(List<Integer> types, int columns, double rows) implements Node {}

    /** Computed columns become the expressions. */
    record Project(Node input, List<Expression> expressions, double rows) implements Node {}

    /** The first row of each combination of the first {@code columns} computed columns. */
    record Distinct(Node input, int columns, double rows) implements Node {}

    /**
     * Sorts by computed columns.
     *
     * @param keys columns to sort by, in order
     * @param tieSlots entities whose ids break ties
     * @param by what the keys are, for EXPLAIN
     * @param kept the rows that are needed: a TopN; null for all of them
     */
    record Sort(
            Node input,
            List<Key> keys,
            List<Integer> tieSlots,
            List<Expression> by,
            @Nullable RowWindow kept,
            double rows)
            implements Node {}

    record Key(int column, boolean descending) {}

    record Limit(Node input, RowWindow window, double rows) implements Node {}

    /** The main input, which rows flow through; null for a source. */
    default @Nullable Node input() {
        return null;
    }
}
