package service.core.graph.read;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.graph.request.BranchRecord;
import service.core.graph.request.Settings;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.value.CalendarText;
import service.core.value.PropertyType;

/** Answers statements with rows in the form of reads. */
final class StatementRows {
    private StatementRows() {}

    /** Rows of cells (String, Long, Double, Boolean or null), sent in batches. */
    private static void send(
            GraphView view,
            List<ResultColumn> columns,
            List<List<@Nullable Object>> rows,
            RowSink sink,
            QueryExecutor.Kept kept) {
        Column[] batch = new Column[columns.size()];
        for (int start = 0; start < rows.size(); start += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, rows.size() - start);
            for (int i = 0; i < batch.length; i++) {
                batch[i] = GraphView.columnFor(
                        columns.get(i).type() instanceof PropertyType type ? type : PropertyType.STRING);
                batch[i].reset();
                for (int row = 0; row < size; row++) {
                    put(batch[i], row, rows.get(start + row).get(i));
                }
            }
            sink.batch(view, batch, size, kept);
        }
    }

    private static void put(Column column, int row, @Nullable Object cell) {
        switch (cell) {
            case null -> column.setNull(row);
            case String text -> ((TextColumn) column).set(row, text);
            case Long number -> ((LongColumn) column).values[row] = number;
            case Double number -> ((DoubleColumn) column).values[row] = number;
            case Boolean truth -> ((BoolColumn) column).values[row] = truth;
            default -> throw new IllegalArgumentException("no cell: " + cell);
        }
    }

    private static ResultColumn text(String name) {
        return new ResultColumn(name, PropertyType.STRING);
    }

    static final List<ResultColumn> SETTINGS =
            List.of(text("name"), text("value"), text("default"), text("source"), text("scope"));

    static void settings(GraphView view, List<Settings.Row> settings, RowSink sink, QueryExecutor.Kept kept) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (Settings.Row row : settings) {
            rows.add(cells(row.name(), row.value(), row.defaultValue(), row.source(), row.scope()));
        }
        send(view, SETTINGS, rows, sink, kept);
    }

    static final List<ResultColumn> BRANCHES = List.of(
            text("name"),
            text("head_commit_id"),
            text("parent_branch"),
            text("fork_commit_id"),
            text("created_at"),
            text("created_by"),
            new ResultColumn("protected", PropertyType.BOOL));

    static void branches(GraphView view, List<BranchRecord> branches, RowSink sink, QueryExecutor.Kept kept) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (BranchRecord branch : branches) {
            rows.add(cells(
                    branch.name(),
                    branch.head().toString(),
                    branch.parent(),
                    branch.forkCommit() == null ? null : branch.forkCommit().toString(),
                    CalendarText.micros(branch.createdMicros()),
                    branch.createdBy(),
                    branch.isProtected()));
        }
        send(view, BRANCHES, rows, sink, kept);
    }

    static List<ResultColumn> explainColumns(boolean analyze) {
        List<ResultColumn> columns = new ArrayList<>();
        columns.add(new ResultColumn("depth", PropertyType.I64));
        columns.add(text("operator"));
        columns.add(text("detail"));
        columns.add(new ResultColumn("estimated_rows", PropertyType.F64));
        if (analyze) {
            columns.add(new ResultColumn("actual_rows", PropertyType.I64));
            columns.add(new ResultColumn("micros", PropertyType.I64));
        }
        return columns;
    }

    /** An estimate is rough; more digits would suggest a precision that it does not have. */
    private static double tenths(double rows) {
        return rows < 1e15 ? Math.round(rows * 10) / 10.0 : rows;
    }

    static void explain(
            GraphView view,
            List<QueryExecutor.ExplainRow> plan,
            boolean analyze,
            RowSink sink,
            QueryExecutor.Kept kept) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (QueryExecutor.ExplainRow row : plan) {
            List<@Nullable Object> cells =
                    cells((long) row.depth(), row.operator(), row.detail(), tenths(row.estimatedRows()));
            if (analyze) {
                cells.add(row.actualRows());
                cells.add(row.micros());
            }
            rows.add(cells);
        }
        send(view, explainColumns(analyze), rows, sink, kept);
    }

    private static List<@Nullable Object> cells(@Nullable Object... cells) {
        List<@Nullable Object> row = new ArrayList<>(cells.length + 2);
        for (Object cell : cells) {
            row.add(cell);
        }
        return row;
    }
}
