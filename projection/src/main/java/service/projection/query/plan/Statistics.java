package service.projection.query.plan;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Lane;
import service.core.value.Direction;
import service.core.value.Value;

/**
 * Statistics of a view and of the arguments for the planner, rounded so that a plan stays valid until a rounded figure
 * changes ({@code PreparedPlans}).
 *
 * <p>Live counts are rounded to two digits. The number of entities that an argument finds in an index is rounded to one
 * digit and counted up to {@link #PROBED_MAX}; above that, an average is assumed. The entities of a constant are
 * counted further, but like the distinct values of an index only when a plan is made: they are not in {@link #asked()}.
 *
 * <p>What is in memory comes and goes. It changes estimates and so the plan, never the rows.
 */
public final class Statistics {
    /** Number of ranges of one path that are counted; the others are assumed to be like them. */
    private static final int PROBED_RANGES_MAX = 4;

    /** Postings that are counted at every run. */
    private static final int PROBED_MAX = 256;

    /** Postings that are counted when a plan is made. */
    private static final int COUNTED_MAX = 16_384;

    private static final int COUNT_DIGITS = 2;
    private static final int PROBE_DIGITS = 1;

    /** A figure that a plan depends on. */
    public sealed interface Question {
        /** Live entities of a type, or edges of a lane that is not that of the first types. */
        record Count(int type) implements Question {}

        /** Entities in the ranges of a seek; negative when there may be more. */
        record Found(Seek seek) implements Question {}

        /** Whether the neighbours along a lane are in memory: 1 or 0. */
        record Runs(int lane, Direction direction) implements Question {}

        /** Different values of a property that is in memory; 0 when it is not. */
        record Distinct(int type, int property) implements Question {}

        /** Items of a list argument. */
        record Length(int argument) implements Question {}
    }

    private final GraphView view;
    private final List<Value> arguments;
    private final Runnable checkpoint;
    private final Map<Question, Double> answers = new LinkedHashMap<>();
    private final Map<Integer, Long> distinct = new HashMap<>();

    /**
     * Statistics for one request.
     *
     * @param arguments with the time, see {@link Constants#withNow}
     * @param checkpoint throws when the time of the request is over or its caller is gone
     */
    public Statistics(GraphView view, List<Value> arguments, Runnable checkpoint) {
        this.view = view;
        this.arguments = arguments;
        this.checkpoint = checkpoint;
    }

    /** Ends the planning of a request that must not continue. The loops of the planner call it. */
    void checkpoint() {
        checkpoint.run();
    }

    Catalog catalog() {
        return view.catalog();
    }

    /** The figures read so far, in order, with their values. */
    public Map<Question, Double> asked() {
        return answers;
    }

    public double answer(Question question) {
        Double known = answers.get(question);
        if (known == null) {
            known = ask(question);
            answers.put(question, known);
        }
        return known;
    }

    private double ask(Question question) {
        return switch (question) {
            case Question.Count q -> rounded((double) view.count(q.type()), COUNT_DIGITS);
            case Question.Found q -> found(q.seek(), PROBED_MAX, PROBE_DIGITS);
            case Question.Runs q -> view.runs(q.lane(), q.direction(), 0) == null ? 0 : 1;
            case Question.Distinct q -> rounded((double) view.distinctValues(q.type(), q.property()), PROBE_DIGITS);
            case Question.Length q ->
                arguments.get(q.argument()) instanceof Value.ListOf(List<Value> items)
                        ? rounded(items.size(), PROBE_DIGITS)
                        : 1;
        };
    }

    double count(int type) {
        return answer(new Question.Count(type));
    }

    /** Live entities of the types of a variable. */
    double count(Variable variable) {
        double all = 0;
        for (int type : variable.types()) {
            all += count(type);
        }
        return all;
    }

    /** Average number of live edges of the type at a node of the near end. */
    double fanOut(int edgeType, Direction direction) {
        EntityType.EdgeType type = (EntityType.EdgeType) catalog().requireType(edgeType);
        double nodes = 0;
        for (EdgeEnd.NodeName near : type.near(direction).types()) {
            nodes += count(near.identity());
        }
        return nodes == 0 ? 0 : count(edgeType) / nodes;
    }

    /** Average number of live edges of a lane at a node of the near end. */
    double fanOut(Node.Step step) {
        double nodes = count(step.nearType());
        return nodes == 0 ? 0 : edges(step.lane()) / nodes;
    }

    /** Live edges of a lane: those of the lane of the first types are what the others leave. */
    private double edges(Lane lane) {
        double edges = count(lane.identity());
        EntityType.EdgeType type = (EntityType.EdgeType) catalog().requireType(lane.edgeType());
        if (Lane.isOther(lane.identity()) || type.hasOneLane()) {
            return edges;
        }
        for (Lane other : type.lanes()) {
            edges -= Lane.isOther(other.identity()) ? count(other.identity()) : 0;
        }
        return Math.max(0, edges);
    }

    /** Whether the neighbours at the near end of a step are in memory. */
    boolean hasRuns(Node.Step step) {
        return answer(new Question.Runs(step.lane().identity(), step.direction())) > 0;
    }

    /** Different values of a property of one type, 0 when unknown. */
    double distinct(Expression.PropertyOf property) {
        if (property.identityByType().size() != 1) {
            return 0;
        }
        var only = property.identityByType().entrySet().iterator().next();
        return answer(new Question.Distinct(only.getKey(), only.getValue()));
    }

    /** Distinct values of an index, 0 when unknown. */
    long distinct(IndexDefinition index) {
        return distinct.computeIfAbsent(index.identity(), view::distinctEstimate);
    }

    /** Number of values of a constant: the items of a list, else 1. */
    double length(Expression constant) {
        return switch (constant) {
            case Expression.Argument argument -> answer(new Question.Length(argument.index()));
            case Expression.ListOf list -> list.items().size();
            default -> Constants.items(constant, arguments).size();
        };
    }

    /**
     * Entities that a seek finds: counted when they are few, else estimated, at least the number counted.
     *
     * @param guess estimate for ranges too large to count
     */
    double found(Seek seek, DoubleSupplier guess) {
        boolean fixed = seek.constants().stream().noneMatch(Constants::varies);
        double found = fixed ? found(seek, COUNTED_MAX, COUNT_DIGITS) : answer(new Question.Found(seek));
        return found >= 0 ? found : Math.max(-found, guess.getAsDouble());
    }

    /** Negative where there may be more. */
    private double found(Seek seek, int most, int digits) {
        List<IndexRange> ranges = seek.ranges(arguments);
        if (ranges == null) {
            return -1;
        }
        int probed = Math.min(ranges.size(), PROBED_RANGES_MAX);
        EntityColumn batch = new EntityColumn();
        double seen = 0;
        boolean exact = true;
        for (int i = 0; i < probed && exact; i++) {
            try (GraphView.Scan scan = view.seek(ranges.get(i))) {
                for (int n = scan.next(batch); n > 0 && exact; n = exact ? scan.next(batch) : 0) {
                    seen += n;
                    exact = seen < most;
                }
            }
        }
        double all = probed == 0 ? 0 : rounded(seen * ranges.size() / probed, digits);
        return exact ? all : -all;
    }

    private static double rounded(double figure, int digits) {
        double power = 1;
        int most = digits == 1 ? 10 : 100;
        while (figure / power >= most) {
            power *= 10;
        }
        return Math.rint(figure / power) * power;
    }
}
