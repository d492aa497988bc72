package service.core.graph;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import service.core.budget.ProcessBudget;
import service.core.budget.TestBudgets;
import service.core.event.Image;
import service.core.gq.CompiledSource;
import service.core.gq.QueryCompiler;
import service.core.gq.eval.EntityRow;
import service.core.gq.eval.Evaluator;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.graph.feed.SharedPages;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;
import service.core.graph.request.MutationCall;
import service.core.graph.request.MutationResult;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.json.Int64Form;
import service.core.policy.Caller;
import service.core.port.GraphRules;
import service.core.port.GraphView;
import service.core.port.QueryExecutor;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.testkit.MemoryStorage;
import service.core.testkit.TestEnds;
import service.core.text.Work;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

/**
 * A graph on the heap with a schema that has one constraint of every kind, and with plans that a test builds directly.
 */
public final class TestGraph implements AutoCloseable {
    static final int PERSON = 1;
    static final int NAME = 2;
    static final int AGE = 3;
    static final int EMAIL = 4;
    static final int MOOD = 5;
    static final int TAGS = 6;
    static final int LEVEL = 7;
    static final int NOTE = 10;
    static final int TEXT = 11;
    static final int CODE = 12;
    static final int SCORE = 13;
    static final int KNOWS = 20;
    static final int SINCE = 21;
    static final int WROTE = 30;

    public final MemoryStorage storage = new MemoryStorage(catalog());
    /** What every source is compiled to. */
    @Nullable
    Plan plan;

    final GraphAccess graph = graph(
            storage,
            new SelectOnly(),
            (source, name, catalog, work) -> new CompiledSource(
                    List.of(), new CompiledSource.Request.Query(Objects.requireNonNull(plan)), List.of()));

    static GraphAccess graph(MemoryStorage storage, QueryExecutor executor, QueryCompiler compiler) {
        ProcessBudget process = new TestBudgets(1L << 30).process();
        return new Graph(
                        "test",
                        storage,
                        List.of(),
                        GraphRules.NONE,
                        new GraphEngine(
                                executor,
                                compiler,
                                Settings.DEFAULTS,
                                GraphEngine.BATCH_RECORDS_MAX_DEFAULT,
                                process,
                                new SharedPages(process.memory()),
                                source -> {
                                    throw new AssertionError("no provider");
                                }))
                .as(Caller.unrestricted("ada"));
    }

    private static Property property(
            int identity, String name, PropertyType type, boolean nullable, @Nullable Value value) {
        return new Property(identity, name, type, nullable, value, List.of());
    }

    public static Catalog catalog() {
        var person = new EntityType.NodeType(
                PERSON,
                "Person",
                List.of(
                        property(NAME, "name", PropertyType.STRING, false, null),
                        property(AGE, "age", new PropertyType.Scalar(ScalarType.I32), true, null),
                        property(EMAIL, "email", PropertyType.STRING, true, null),
                        property(MOOD, "mood", new PropertyType.EnumOf(List.of("sad", "happy")), true, null),
                        property(TAGS, "tags", new PropertyType.ListOf(ScalarType.STRING), true, null),
                        property(LEVEL, "level", PropertyType.I64, false, new Value.Int(1))),
                List.of(
                        new Constraint.Range(AGE, new Value.Int(0), new Value.Int(150)),
                        new Constraint.Unique(List.of(EMAIL))),
                List.of(
                        new IndexDefinition(0, PERSON, List.of(NAME), true),
                        new IndexDefinition(1, PERSON, List.of(EMAIL), true)),
                List.of(),
                List.of(),
                List.of(NAME));
        var note = new EntityType.NodeType(
                NOTE,
                "Note",
                List.of(
                        property(TEXT, "text", PropertyType.STRING, false, null),
                        property(CODE, "code", PropertyType.STRING, true, null),
                        property(SCORE, "score", new PropertyType.Scalar(ScalarType.F32), true, null)),
                List.of(new Constraint.Check(CODE, "[A-Z]{3}")),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        var knows = new EntityType.EdgeType(
                KNOWS,
                "Knows",
                List.of(property(SINCE, "since", PropertyType.DATE, true, null)),
                List.of(new Constraint.Unique(List.of(Constraint.SRC, Constraint.DST))),
                List.of(new IndexDefinition(2, KNOWS, List.of(Constraint.SRC, Constraint.DST), true)),
                List.of(),
                TestEnds.of(PERSON, PERSON),
                List.of());
        var wrote = new EntityType.EdgeType(
                WROTE,
                "Wrote",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                TestEnds.bounded(PERSON, NOTE, new EntityType.Cardinality(1, 2)),
                List.of());
        return new Catalog("schema", "sha256:test", 31, List.of(person, note), List.of(knows, wrote), List.of());
    }

    LoadResult load(LoadMode mode, String... lines) {
        return load("main", null, mode, String.join("\n", lines));
    }

    LoadResult load(String branch, @Nullable String from, LoadMode mode, String text) {
        return load(branch, from, mode, text.getBytes(StandardCharsets.UTF_8));
    }

    LoadResult load(String branch, @Nullable String from, LoadMode mode, byte[] text) {
        return unwrap(() -> graph.load(
                        WriteOptions.NONE, branch, from, mode, new ByteArrayInputStream(text), TestBudgets.ample())
                .join());
    }

    MutationResult mutate(String condition, Plan.Statement... statements) {
        plan = new Plan.Mutation("m", List.of(), List.of(), List.of(statements));
        return unwrap(() -> graph.mutate(
                        new WriteOptions(condition, null, null),
                        new MutationCall("main", "source", null, null),
                        Settings.DEFAULTS,
                        TestBudgets.ample())
                .join());
    }

    String export() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        graph.export(ReadTarget.MAIN, List.of(), Int64Form.NUMBER, TestBudgets.ample(), bytes);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    static <T> T unwrap(java.util.function.Supplier<T> body) {
        try {
            return body.get();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    @Override
    public void close() {
        storage.close();
    }

    static Plan.Assignment set(int property, Object value) {
        return new Plan.Assignment(property, "p" + property, value instanceof Expression e ? e : literal(value));
    }

    static Expression literal(Object value) {
        return switch (value) {
            case String text -> new Expression.Literal(new Value.Text(text), PropertyType.STRING);
            case Integer number -> new Expression.Literal(new Value.Int(number), PropertyType.I64);
            case Value plain -> new Expression.Literal(plain, null);
            default -> throw new IllegalArgumentException(value.toString());
        };
    }

    static Expression of(int type, int property, PropertyType propertyType) {
        return new Expression.PropertyOf(0, "p", Map.of(type, property), propertyType);
    }

    static Expression equal(Expression left, Object right) {
        return new Expression.Compare(Expression.ComparisonOperator.EQUAL, left, literal(right));
    }

    static Expression idIs(String id) {
        return equal(new Expression.IdOf(0), id);
    }

    /** Selects by evaluating every entity. */
    record SelectOnly() implements QueryExecutor {
        @Override
        public int[] select(int type, Expression predicate, List<Value> arguments, GraphView view, Limits limits) {
            List<Integer> found = new ArrayList<>();
            for (int ordinal = 0; ordinal < 1 << 20; ordinal++) {
                String id;
                try {
                    id = view.id(type, ordinal);
                } catch (IndexOutOfBoundsException | NullPointerException e) {
                    break;
                }
                Image image = view.isLive(type, ordinal) ? view.image(type, ordinal) : null;
                if (image != null
                        && new Evaluator(arguments, limits.nowMicros(), Work.UNCOUNTED)
                                .holds(predicate, new EntityRow(type, "T", id, image))) {
                    found.add(ordinal);
                }
            }
            return found.stream().mapToInt(Integer::intValue).toArray();
        }

        @Override
        public List<String> outline(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(Plan.Read plan, List<Value> arguments, GraphView view, Limits limits, Sink sink) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(
                Plan.Read plan, GivenRows given, List<Value> arguments, GraphView view, Limits limits, Sink sink) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ExplainRow> explain(
                Plan plan, List<Value> arguments, GraphView view, Limits limits, boolean analyze) {
            throw new UnsupportedOperationException();
        }
    }
}
