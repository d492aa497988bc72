package service.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.budget.MemoryAccount;
import service.core.budget.RequestBudget;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.value.PropertyType;
import service.core.value.Value;
import service.core.value.ValueType;

/**
 * Runs plans against views: the physical planner and the vectorised operators. Stateless; any thread, each call on its
 * own view.
 */
public interface QueryExecutor {
    /** Charges a query for bytes that the receiver of its rows keeps. */
    interface Kept {
        /**
         * Call it before the bytes are allocated.
         *
         * @throws service.core.error.ServiceException RESOURCE_LIMIT or OVERLOADED
         */
        void bytes(long more);

        /** Releases bytes that the receiver does not keep any more. */
        void release(long bytes);

        /** Charges a request that answers without a query. */
        static Kept chargedTo(MemoryAccount memory) {
            return new Kept() {
                @Override
                public void bytes(long more) {
                    memory.charge(more, "the answer", "ask for less");
                }

                @Override
                public void release(long bytes) {
                    memory.release(bytes);
                }
            };
        }
    }

    /** Receives result batches as they are produced. */
    interface Sink {
        /**
         * Takes a batch of results.
         *
         * @param columns one per output, in order; valid only during the call. A bare entity is an
         *     {@code EntityColumn}, to be resolved in the view
         * @param kept told of the bytes that the receiver keeps because of the batch; they count against the memory of
         *     the query
         */
        void batch(GraphView view, Column[] columns, int size, Kept kept);

        /** Says that a nearer neighbour may be missing among the rows. Comes after the last batch, at most once. */
        default void approximate() {}
    }

    /**
     * What bounds the searches of a request.
     *
     * @param exactMax candidates up to which {@code nearest} compares all
     * @param rrfWindow positions of a ranking that {@code rrf} counts
     */
    record SearchLimits(int exactMax, int rrfWindow) {
        static final SearchLimits DEFAULT = new SearchLimits(100_000, 1_000);
    }

    /**
     * The limits of one request.
     *
     * @param nowMicros the query's start instant: {@code now()}
     * @param deadlineNanos on {@link System#nanoTime}'s clock
     * @param timeoutMillis the timeout that the deadline was computed from, for the message
     * @param budget charged for sorts, groups, hash tables, searches, and the rows that the sink keeps; its checkpoints
     *     come at least every 10 ms of work
     */
    record Limits(
            long nowMicros,
            long deadlineNanos,
            int timeoutMillis,
            long work,
            long rows,
            RequestBudget budget,
            SearchLimits search) {
        /** The limits of a request that searches by the defaults. */
        public Limits(
                long nowMicros, long deadlineNanos, int timeoutMillis, long work, long rows, RequestBudget budget) {
            this(nowMicros, deadlineNanos, timeoutMillis, work, rows, budget, SearchLimits.DEFAULT);
        }

        /** The same limits for a step on the writer's thread. */
        public Limits onWriter() {
            return new Limits(nowMicros, deadlineNanos, timeoutMillis, work, rows, budget.onWriter(), search);
        }

        /** The same limits for a receiver that bounds the rows itself. */
        public Limits withoutRows() {
            return new Limits(nowMicros, deadlineNanos, timeoutMillis, work, Long.MAX_VALUE, budget, search);
        }

        /** The same limits with at most this much work. */
        public Limits withWork(long most) {
            return new Limits(nowMicros, deadlineNanos, timeoutMillis, Math.min(work, most), rows, budget, search);
        }
    }

    /** One row of EXPLAIN; actual figures are −1 unless the plan was run. */
    record ExplainRow(int depth, String operator, String detail, double estimatedRows, long actualRows, long micros) {}

    /**
     * Runs a read.
     *
     * @param arguments by parameter index, coerced to the declared types
     * @throws service.core.error.ServiceException RESOURCE_LIMIT for time, work, rows or memory; BAD_REQUEST with
     *     diagnostics R1 for run-time arithmetic
     */
    void read(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits, Sink sink);

    /** Rows that are not read from a view. */
    interface GivenRows {
        /** Whose values the rows hold: what a read may say of an entity, or an entity itself as a text. */
        List<Expression> expressions();

        /** The number of rows. */
        int size();

        /** The value of an expression in a row. */
        Value value(int expression, int row);

        /** The type of the values of an expression. */
        static @Nullable ValueType type(GivenRows rows, int expression) {
            Expression of = rows.expressions().get(expression);
            return of instanceof Expression.EntityOf ? PropertyType.STRING : of.type();
        }
    }

    /**
     * Runs a read of one stage without a match over given rows. Where it reads one of their expressions, it takes the
     * value of the row. The sink gets the text of an entity where a column is one.
     */
    void read(Plan.Read plan, GivenRows given, List<Value> arguments, GraphView view, Limits limits, Sink sink);

    /**
     * The physical plan in pre-order; run and measured when {@code analyze}. Of a mutation only what it reads is run,
     * and nothing is written.
     */
    List<ExplainRow> explain(Plan plan, List<Value> arguments, GraphView view, Limits limits, boolean analyze);

    /**
     * The operators of the physical plan in pre-order, indented by their depth, with {@code ?} for every constant of
     * the query text. Never cancelled, and ended after a second.
     */
    List<String> outline(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits);

    /** Ordinals of the live entities of a type for which the predicate (over slot 0) is true, ascending. */
    int[] select(int type, Expression predicate, List<Value> arguments, GraphView view, Limits limits);
}
