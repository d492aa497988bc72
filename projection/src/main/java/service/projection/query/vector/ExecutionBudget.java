package service.projection.query.vector;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.ExpandBatch;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.port.QueryExecutor.Limits;
import service.core.port.TextIndex;
import service.core.text.Work;
import service.core.value.HeapBytes;
import service.projection.search.TextStatistics;

/**
 * The view of one execution and the work, time, rows and memory that it may still use. Confined to one thread.
 *
 * <p>The memory of the columns, tables and operators returns to the request when the execution is closed; that of the
 * rows which the caller keeps stays charged until the request ends.
 */
public final class ExecutionBudget implements TextIndex.Payer, Work, AutoCloseable {
    /** Units of work between two checks of the deadline: well below 10 ms even if each unit misses the cache. */
    private static final int WORK_PER_CHECK = 2048;

    /** Bytes of text that take about as long to read as one unit of work. */
    private static final int BYTES_A_STEP = 16;

    /** Rows that are filled in about one unit of work, in one column. */
    private static final int FILLED_A_STEP = 64;

    private static final long ROW_NUMBERS_BYTES = HeapBytes.array(Column.CAPACITY, Integer.BYTES);

    /** Bytes that are charged to the request at least, and returned at least, at a time. */
    private static final long STEP_BYTES = 4 << 10;

    private static final String FEWER_ROWS = "sort, group, collect or return fewer rows, or add a limit";

    public final GraphView view;
    public final Limits limits;
    private long examined;
    private long nextCheck = WORK_PER_CHECK;
    private int steps;

    /** Bytes that the execution uses, and those that the request is charged for it. */
    private long memory;

    private long charged;

    /** The part of {@link #memory} that the caller keeps. */
    private long kept;

    private long rows;
    private @Nullable TextStatistics statistics;
    private final Set<SearchOperator> searched = EnumSet.noneOf(SearchOperator.class);
    private boolean approximate;
    private long direct;

    public ExecutionBudget(GraphView view, Limits limits) {
        this.view = view;
        this.limits = limits;
        check();
    }

    /** The numbers of collections of texts in the view, which the rankings of the execution share. */
    public TextStatistics statistics() {
        TextStatistics known = statistics;
        if (known == null) {
            known = new CountedStatistics(this);
            statistics = known;
        }
        return known;
    }

    /** Notes that an operator searches. */
    public void searches(SearchOperator operator) {
        searched.add(operator);
    }

    /** The operators that search. */
    public Set<SearchOperator> searched() {
        return searched;
    }

    /** Notes that a neighbour may be missing in the answer. */
    public void approximate() {
        approximate = true;
    }

    public boolean isApproximate() {
        return approximate;
    }

    /** Counts entities that a search read from records, because no index has them as the view does. */
    public void direct(long entities) {
        direct += entities;
    }

    public long direct() {
        return direct;
    }

    /** Counts entities and edges that were read from the view. */
    @Override
    public void examined(int count) {
        examined += count;
        if (examined > limits.work()) {
            throw exceeded(
                    "work_limit",
                    limits.work(),
                    examined,
                    "the query examined more than " + limits.work() + " entities and edges",
                    "narrow the match, add an index, or raise work_limit");
        }
        if (examined >= nextCheck) {
            nextCheck = examined + WORK_PER_CHECK;
            check();
        }
    }

    /** Counts one unit of work that reads nothing from the view, such as a comparison. */
    @Override
    public void step() {
        steps(1);
    }

    /**
     * Counts several units of work.
     *
     * @param count units of ten to a hundred nanoseconds each
     */
    @Override
    public void steps(int count) {
        steps += count;
        if (steps >= WORK_PER_CHECK) {
            check();
        }
    }

    /** Counts a pass over bytes, such as a comparison or a hash of texts. */
    @Override
    public void bytes(int length) {
        steps(1 + length / BYTES_A_STEP);
    }

    /** Checks the deadline and whether the caller still waits. */
    public void check() {
        steps = 0;
        limits.budget().checkpoint(this::checkDeadline);
    }

    private void checkDeadline() {
        if (System.nanoTime() - limits.deadlineNanos() > 0) {
            throw exceeded(
                    "timeout_ms",
                    limits.timeoutMillis(),
                    null,
                    "the query exceeded its time limit of " + limits.timeoutMillis() + " ms",
                    "narrow the match or raise timeout_ms, at most to the SERVICE_TIMEOUT_MS" + " of the process");
        }
    }

    /** A new column of this execution. */
    public <C extends Column> C own(C column) {
        column.belongTo(this);
        return column;
    }

    /** A new array with a number for each row of a batch. */
    public int[] rowNumbers() {
        charge(ROW_NUMBERS_BYTES);
        return new int[Column.CAPACITY];
    }

    /** The array if it has the index, else a copy with about twice the room that is charged in its place. */
    public int[] withRoom(int[] array, int index) {
        if (index < array.length) {
            return array;
        }
        int room = HeapBytes.room(index + 1);
        charge(HeapBytes.array(room, Integer.BYTES));
        int[] wider = Arrays.copyOf(array, room);
        release(array.length == 0 ? 0 : HeapBytes.array(array.length, Integer.BYTES));
        return wider;
    }

    /** A new batch for the steps of an expansion. */
    public ExpandBatch expandBatch(boolean withEdges) {
        charge((withEdges ? 3 : 2) * ROW_NUMBERS_BYTES);
        return new ExpandBatch(withEdges);
    }

    @Override
    public void fills(int rows) {
        steps(1 + rows / FILLED_A_STEP);
    }

    /**
     * Charges bytes of heap memory before they are allocated: columns, operators, hash tables, collected values. Small
     * charges are passed to the request together.
     */
    @Override
    public void charge(long bytes) {
        if (memory + bytes > limits.budget().queryBytesMax()) {
            long max = limits.budget().queryBytesMax();
            throw exceeded(
                    "memory_bytes",
                    max,
                    memory + bytes,
                    "the query needs more than " + max + " bytes of memory",
                    FEWER_ROWS);
        }
        if (memory + bytes > charged) {
            long more = Math.max(STEP_BYTES, memory + bytes - charged);
            limits.budget().memory().charge(more, "the query", FEWER_ROWS);
            charged += more;
        }
        memory += bytes;
    }

    @Override
    public void release(long bytes) {
        memory -= bytes;
        if (charged - memory >= 2 * STEP_BYTES) {
            returnDownTo(memory + STEP_BYTES);
        }
    }

    private void returnDownTo(long bytes) {
        limits.budget().memory().release(charged - bytes);
        charged = bytes;
    }

    /** Charges bytes that the caller keeps after the execution. */
    public void keep(long bytes) {
        charge(bytes);
        kept += bytes;
    }

    /** Charges for what the receiver of the rows keeps. */
    public QueryExecutor.Kept keeper() {
        return new QueryExecutor.Kept() {
            @Override
            public void bytes(long more) {
                keep(more);
            }

            @Override
            public void release(long bytes) {
                kept -= bytes;
                ExecutionBudget.this.release(bytes);
            }
        };
    }

    /** Leaves bytes that are charged already to the caller, who keeps them after the execution. */
    public void handOver(long bytes) {
        kept += bytes;
    }

    /** Returns the memory of the execution to the request, but not that of what the caller keeps. */
    @Override
    public void close() {
        memory = kept;
        returnDownTo(kept);
    }

    /** Counts result rows. */
    public void returned(int count) {
        rows += count;
        if (rows > limits.rows()) {
            throw exceeded(
                    "row_limit",
                    limits.rows(),
                    null,
                    "the query returns more than " + limits.rows() + " rows",
                    "add a limit or raise row_limit");
        }
    }

    private static ServiceException exceeded(
            String resource, long limit, @Nullable Long actual, String what, String remedy) {
        return new ServiceException(
                ErrorCode.RESOURCE_LIMIT, what + ": " + remedy, new ErrorDetail.ResourceLimit(resource, limit, actual));
    }
}
