package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;
import service.core.port.QueryExecutor;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.core.value.PropertyType;

/**
 * The physical plan, which {@code EXPLAIN} shows and {@code Lowering} turns into operators. Each node has the number of
 * rows that the planner expects of it.
 */
public sealed interface Node {
    double rows();

    /** The outer rows of a block. */
    record OuterRows(double rows) implements Node {}

    /** One row without variables: the result of a match that binds nothing. */
    record Unit() implements Node {
        @Override
        public double rows() {
            return 1;
        }
    }

    /** Rows that are not read from the view: the values of their expressions are in the slots from 0 on. */
    record Given(QueryExecutor.GivenRows given, double rows) implements Node {}

    /** All entities of the types. */
    record Scan(int slot, List<Integer> types, double rows) implements Node {}

    /** Entities by id: for each type the ids to look up. */
    record IdLookup(int slot, List<Integer> types, Ids ids, double rows) implements Node {}

    /**
     * Entities of one type from an index.
     *
     * @param covered the filters that the seek answers
     * @param postingsMax number of postings above which a scan with the covered filters is run instead
     */
    record Index(int slot, int type, Seek seek, List<Expression> covered, int postingsMax, double rows)
            implements Node {}

    /**
     * Entities of one type that an index of texts proposes for a filter, which is evaluated above.
     *
     * @param search the filter
     */
    record TextSeek(int slot, int type, Expression.Search search, double rows) implements Node {}

    /**
     * Entities of one type that an index of texts proposes as the first by a ranking, which is evaluated above.
     *
     * @param search the ranking
     * @param hits whether only entities with a score above 0 are wanted
     * @param kept the rows that are needed
     */
    record TextTop(int slot, int type, Expression.Search search, boolean hits, RowWindow kept, double rows)
            implements Node {}

    /**
     * All entities of a type in the order of a property, the first ones first, as far as a TopN above needs them.
     *
     * @param index the identity of an index over the property alone
     * @param nullable whether entities without a value are wanted, too
     * @param postingsMax number of postings after which a scan reads the others
     */
    record OrderedScan(
            int slot,
            int type,
            int index,
            Expression.PropertyOf key,
            boolean descending,
            boolean nullable,
            int postingsMax,
            double rows)
            implements Node {}

    /**
     * Entities of one type with ids from a limit to another, in the order of their ids. The filters that give the
     * limits are evaluated above.
     *
     * @param ordered whether a TopN by the id above ends the reading; otherwise the order does not count
     * @param idsMax number of ids after which a scan reads the others
     */
    record IdRange(
            int slot,
            int type,
            Seek.@Nullable Limit low,
            Seek.@Nullable Limit high,
            boolean ordered,
            int idsMax,
            double rows)
            implements Node {}

    /**
     * For each row the entities of a type that a value of the row finds.
     *
     * @param index the identity of an index over the property alone; −1 for the id
     * @param property the type of the property
     * @param filter the equality that this answers, for EXPLAIN
     */
    record Lookup(
            Node input,
            int slot,
            int type,
            int index,
            PropertyType property,
            Expression key,
            Expression filter,
            double rows)
            implements Node {}

    /** Entities of several types, each type by its own access path. */
    record Union(int slot, List<Node> sources, double rows) implements Node {}

    /** The edges at given nodes. */
    record EdgesAt(int slot, int edgeType, Direction direction, Ids nodeIds, double rows) implements Node {}

    /**
     * The rows of several plans, one after the other.
     *
     * @param slots that each of them binds
     */
    record Concat(List<Node> parts, List<Integer> slots, double rows) implements Node {}

    /** One lane of an edge type in one direction. */
    record Step(Lane lane, Direction direction) {
        public int edgeType() {
            return lane.edgeType();
        }

        public int nearType() {
            return lane.near(direction);
        }

        public int farType() {
            return lane.far(direction);
        }

        /** Whether steps lead in both directions of their edges. */
        public static boolean isUndirected(List<Step> steps) {
            return steps.stream().map(Step::direction).distinct().count() > 1;
        }
    }

    /**
     * The far end of a traversal.
     *
     * @param types that the variable may take
     * @param bound the slot is bound already, and a row is kept when it holds a neighbour
     */
    record Far(int slot, List<Integer> types, boolean bound) {
        /** The slot that the traversal fills; −1 when it is bound already. */
        public int newSlot() {
            return bound ? -1 : slot;
        }
    }

    /**
     * Neighbours along any of the steps.
     *
     * @param near slot of the near end
     * @param edge slot of the edge, or −1 for one row per pair
     * @param undirected whether an edge that both directions find is given once
     */
    record Expand(Node input, int near, Far far, int edge, List<Step> steps, boolean undirected, double rows)
            implements Node {}

    /**
     * Binds the ends of edges found by an access path: a row for each orientation that fits.
     *
     * @param from slot of the left end; equal to {@code to} when the pattern requires a self-loop
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
     * A number of hops.
     *
     * @param length slot that receives it; −1 for none
     */
    record HopRange(int min, int max, int length) {}

    /**
     * Neighbours within a range of hops, by shortest distance.
     *
     * @param near slot of the near end
     * @param back the steps in the opposite direction, for the search from the far end; not read unless that is bound
     */
    record Hops(Node input, int near, Far far, List<Step> steps, List<Step> back, HopRange range, double rows)
            implements Node {
        public int minHops() {
            return range.min();
        }

        public int maxHops() {
            return range.max();
        }

        /** The slot that receives the number of hops; −1 for none. */
        public int length() {
            return range.length();
        }

        /** Whether edges are walked in either direction. */
        public boolean undirected() {
            return steps.stream().map(Step::direction).distinct().count() > 1;
        }
    }

    /**
     * A walk from the near end of a traversal.
     *
     * @param back the steps from the far end
     * @param along whether the near end is the one that paths begin with
     */
    record Walking(Walk walk, List<Step> steps, List<Step> back, boolean along) {
        /** Whether edges are walked in either direction. */
        public boolean isUndirected() {
            return Step.isUndirected(steps);
        }
    }

    /**
     * Blocks that keep the steps of a walk's rule.
     *
     * @param along for steps of few sources, in a search in the direction of the path
     * @param against for steps of few destinations, in a search against it; the same where that makes no difference
     */
    record Rule(Node along, Node against) {}

    /**
     * Paths within a range of hops.
     *
     * @param near slot of the near end
     * @param rule null without one
     */
    record Paths(
            Node input,
            int near,
            Far far,
            Walking walking,
            @Nullable Rule rule,
            double rows) implements Node {
        /** The ends of the shortest paths and how long these are: what is found without making them. */
        public Hops hops() {
            Walk walk = walking.walk();
            HopRange range =
                    new HopRange(walk.minHops(), walk.maxHops(), walk.slots().length());
            return new Hops(input, near, far, walking.steps(), walking.back(), range, rows);
        }
    }

    /**
     * Rows for which every conjunct is true.
     *
     * @param tentative whether rows on which a conjunct fails are kept, for a later filter to decide
     */
    record Filter(Node input, List<Expression> conjuncts, boolean tentative, double rows) implements Node {}

    /** Rows with a match of the block, or without one. */
    record SemiJoin(Node input, Node block, boolean negated, double rows) implements Node {}

    /**
     * Rows with the scores of fused rankings in slots: all, or those that can be among the first by one of the scores.
     *
     * @param fusions each over the entities of a slot
     * @param by the slot of the score of which the first rows are wanted
     * @param kept the first rows; null for all
     */
    record Fuse(
            Node input,
            List<Plan.Fusion> fusions,
            int by,
            @Nullable RowWindow kept,
            double rows) implements Node {}

    /**
     * All rows, with a value that is computed over the matches of the block.
     *
     * @param aggregate null for whether there is a match
     * @param slot that receives the value
     */
    record BlockValue(Node input, Node block, Expression.@Nullable Aggregate aggregate, int slot, double rows)
            implements Node {}

    /** Rows with each match of the block, or once with nulls. */
    record Optional(Node input, Node block, List<Integer> slots, double rows) implements Node {}

    /**
     * Rows with each match of a block that runs once for rows with the same entities in some slots.
     *
     * @param by these slots, which are all that the block reads of the rows
     * @param on slots that the rows hold and the block fills, too: only equal entities match
     */
    record Shared(Node input, Node block, List<Integer> by, List<Integer> on, double rows) implements Node {}

    record CrossJoin(Node input, Node right, double rows) implements Node {}

    record HashJoin(Node input, Node build, List<Expression> probeKeys, List<Expression> buildKeys, double rows)
            implements Node {}

    /**
     * Groups: computed columns become the keys, then the aggregates. The slots of keys that are entities stay readable.
     */
    record Aggregate(Node input, List<Expression> keys, List<Expression.Aggregate> aggregates, double rows)
            implements Node {}

    /** One row of live counts, a column for each aggregate. Reads no entity. */
    record Counts(List<Integer> types, int columns, double rows) implements Node {}

    /**
     * The end of a stage: computed columns become the variables that the next stage reads.
     *
     * @param slots of the variables, one for each of the first computed columns
     * @param isOpen whether the other slots stay readable
     */
    record Stage(Node input, List<Integer> slots, boolean isOpen, double rows) implements Node {
        /** A stage that leaves nothing else. */
        public Stage(Node input, List<Integer> slots, double rows) {
            this(input, slots, false, rows);
        }
    }

    /**
     * A row for each item of the list in a slot, with the item in place of the list.
     *
     * @param list the expression of the list, for EXPLAIN
     */
    record Unnest(Node input, int slot, Expression list, double rows) implements Node {}

    /**
     * Rows of groups, or distinct rows, for which computed columns are true.
     *
     * @param columns Bool
     * @param conjuncts the expressions of the columns, for EXPLAIN
     */
    record Having(Node input, List<Integer> columns, List<Expression> conjuncts, double rows) implements Node {}

    /** Computed columns become the expressions. */
    record Project(Node input, List<Expression> expressions, double rows) implements Node {}

    /** The first row of each combination of the first {@code columns} computed columns. */
    record Distinct(Node input, int columns, double rows) implements Node {}

    /**
     * Sorts by computed columns.
     *
     * @param keys columns to sort by, in order
     * @param tieSlots entities whose ids break ties
     * @param lastColumns columns that break the remaining ties, in order
     * @param by the expressions of the keys, for EXPLAIN
     * @param kept the rows that are needed, of all or of each group, for a TopN; null for all rows
     * @param per columns whose values make the groups; empty for one group
     */
    record Sort(
            Node input,
            List<Key> keys,
            List<Integer> tieSlots,
            List<Integer> lastColumns,
            List<Expression> by,
            @Nullable RowWindow kept,
            List<Integer> per,
            double rows)
            implements Node {}

    /**
     * The rows that may be among the first by the similarity of a property to a constant vector, best first.
     *
     * @param search a {@code nearest} over a property
     * @param kept the rows that are needed
     */
    record VectorTop(Node input, Expression.Search search, RowWindow kept, double rows) implements Node {}

    record Key(int column, boolean descending) {}

    record Limit(Node input, RowWindow window, double rows) implements Node {}

    /**
     * Skip and limit in each group of rows.
     *
     * @param columns whose values make the groups
     * @param by the expressions of the columns, for EXPLAIN
     */
    record LimitPer(Node input, List<Integer> columns, List<Expression> by, RowWindow window, double rows)
            implements Node {}

    /** The main input, whose rows are streamed; null for a source. */
    default @Nullable Node input() {
        return null;
    }
}
