package service.core.graph.mutate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import service.core.batch.Column;
import service.core.budget.RequestBudget;
import service.core.event.Image;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.graph.check.EdgeImages;
import service.core.graph.read.ResultValues;
import service.core.graph.request.AnsweredRows;
import service.core.json.EntityJson;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.Direction;
import service.core.value.HeapBytes;
import service.core.value.Value;

/**
 * What a mutation answers over its variables, as they are after its statements: gives the executor the values that the
 * answer reads, and makes JSON of the rows that come of it. One thread.
 */
final class AnswerRows implements QueryExecutor.GivenRows, QueryExecutor.Sink {
    /** Between the id and the type of an entity as a text, which sorts by the id first. */
    private static final char AFTER_ID = '\0';

    private final Catalog catalog;
    private final Plan.Read answer;
    private final Rows rows;
    private final RowCursor cursor;
    private final Evaluator evaluator;
    private final PendingChanges pending;
    private final List<Expression> read;
    private final List<Value[]> cells = new ArrayList<>();
    private int current = -1;

    /** @param evaluator over the cursor */
    AnswerRows(
            Catalog catalog,
            Plan.Read answer,
            Rows rows,
            RowCursor cursor,
            Evaluator evaluator,
            PendingChanges pending) {
        this.catalog = catalog;
        this.answer = answer;
        this.rows = rows;
        this.cursor = cursor;
        this.evaluator = evaluator;
        this.pending = pending;
        Set<Expression> leaves = new LinkedHashSet<>();
        addLeaves(answer.last().ofRows(), leaves);
        this.read = List.copyOf(leaves);
        cursor.over(rows);
    }

    private static void addLeaves(Collection<Expression> expressions, Set<Expression> into) {
        expressions.forEach(expression -> addLeaves(expression, into));
    }

    private static void addLeaves(Expression expression, Set<Expression> into) {
        if (expression instanceof Expression.SlotRead) {
            into.add(expression);
        } else {
            addLeaves(expression.operands(), into);
        }
    }

    /** Runs the answer over a view. */
    AnsweredRows run(MutationContext context, GraphView view) {
        QueryExecutor.Limits limits = context.limits();
        context.executor().read(answer, this, context.compiled().arguments(), view, limits, this);
        List<String> columns =
                answer.result().outputs().stream().map(Plan.Output::column).toList();
        String numbers = json(view, Int64Form.NUMBER, limits.budget());
        String strings = json(view, Int64Form.STRING, limits.budget());
        return new AnsweredRows(columns, numbers, strings.equals(numbers) ? numbers : strings);
    }

    @Override
    public List<Expression> expressions() {
        return read;
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public Value value(int expression, int row) {
        if (row != current) {
            cursor.to(row);
            current = row;
        }
        Expression of = read.get(expression);
        return switch (of) {
            case Expression.EntityOf e -> {
                EntityRow found = cursor.entity(e.slot());
                yield found == null ? Value.NULL : new Value.Text(found.id() + AFTER_ID + found.type());
            }
            case Expression.EndTypeOf e -> {
                EntityRow found = cursor.entity(e.slot());
                yield found == null ? Value.NULL : new Value.Text(endType(found, e.end()));
            }
            default -> evaluator.evaluate(of, null);
        };
    }

    private String endType(EntityRow entity, Direction direction) {
        EntityType.EdgeType edge = (EntityType.EdgeType) catalog.requireType(entity.type());
        return edge.near(direction).name(EdgeImages.type(edge, entity.image(), direction));
    }

    @Override
    public void batch(GraphView view, Column[] columns, int size, QueryExecutor.Kept kept) {
        for (int row = 0; row < size; row++) {
            Value[] values = new Value[columns.length];
            long bytes = HeapBytes.references(values.length);
            for (int i = 0; i < values.length; i++) {
                values[i] = columns[i].value(row);
                bytes += HeapBytes.of(values[i]);
            }
            kept.bytes(bytes);
            cells.add(values);
        }
    }

    private String json(GraphView view, Int64Form form, RequestBudget budget) {
        QueryExecutor.Kept kept = QueryExecutor.Kept.chargedTo(budget.memory());
        byte[] json = JsonWriter.bytes(form, writer -> {
            ResultValues values = new ResultValues(writer);
            writer.beginArray();
            for (Value[] row : cells) {
                writer.beginObject();
                for (int i = 0; i < row.length; i++) {
                    Plan.Output output = answer.result().outputs().get(i);
                    writer.field(output.column());
                    if (output.expression() instanceof Expression.EntityOf && row[i] instanceof Value.Text entity) {
                        entity(view, entity.value(), writer);
                    } else {
                        values.value(view, row[i], output.expression().type(), kept);
                    }
                }
                writer.endObject();
            }
            writer.endArray();
        });
        budget.memory().charge(json.length, "the answer of the mutation", "return fewer rows");
        return new String(json, StandardCharsets.UTF_8);
    }

    private void entity(GraphView view, String text, JsonWriter into) {
        int at = text.lastIndexOf(AFTER_ID);
        EntityType type = view.catalog().requireType(Integer.parseInt(text.substring(at + 1)));
        String id = text.substring(0, at);
        Image image = Objects.requireNonNull(pending.current(type, id));
        EntityJson.write(into, type, id, image);
    }
}
