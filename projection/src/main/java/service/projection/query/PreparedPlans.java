package service.projection.query;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.port.GraphView;
import service.core.value.Value;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.Statistics;

/**
 * Keeps physical plans beside the compiled queries that they are of.
 *
 * <p><b>Idea.</b> A plan holds arguments by their names, so it serves all of them. Which plan is best depends on
 * statistics; those that the planner asked for are kept with the plan, rounded, and asked again before it is taken: a
 * plan is a function of the compiled query, which is one (source, schema), and of the rounded answers. A query that has
 * no choice asks nothing.
 *
 * <p><b>Cost.</b> A hit costs the counts that were asked for, some hundred nanoseconds each, and for each argument that
 * an index may be sought by, a seek and up to 256 postings: an argument that finds many gets another plan than one that
 * finds few. Any thread; two may plan the same at once.
 *
 * <p><b>Bounds.</b> A query keeps its plans as long as something else refers to it, which is mostly the cache of
 * compiled queries. That holds only while no plan refers to the query itself: then it could never go. All plans
 * together hold at most {@value #WEIGHT_MAX} operators and statistics, some 200 bytes each; those least used go first.
 */
final class PreparedPlans {
    static final int WEIGHT_MAX = 50_000;

    /** Plans of one query; the oldest goes. */
    private static final int VARIANTS_MAX = 32;

    private final Cache<Object, Variants> byQuery = Caffeine.newBuilder()
            .weakKeys()
            .maximumWeight(WEIGHT_MAX)
            .weigher((Object query, Variants variants) -> variants.weight)
            .executor(Runnable::run)
            .build();

    /** What the plans of a query depend on, and the plans. Never changed. */
    private record Variants(List<Statistics.Question> questions, List<Variant> known, int weight) {
        Variants(List<Statistics.Question> questions, List<Variant> known) {
            this(questions, known, weight(questions, known));
        }

        private static int weight(List<Statistics.Question> questions, List<Variant> known) {
            int weight = questions.size();
            for (Variant variant : known) {
                weight += operators(variant.plan) + variant.answers.length;
            }
            return weight;
        }

        private static int operators(Node plan) {
            int operators = 1;
            for (Node child : PlanShape.children(plan)) {
                operators += operators(child);
            }
            return operators;
        }

        @Nullable
        Node find(double[] answers) {
            for (Variant variant : known) {
                if (Arrays.equals(variant.answers, answers)) {
                    return variant.plan;
                }
            }
            return null;
        }
    }

    private record Variant(double[] answers, Node plan) {}

    /**
     * The plan of a compiled query.
     *
     * @param query a compiled read, or the predicate of a compiled mutation, known again by its identity
     * @param planner makes the plan, which must not refer to {@code query}; all that it asks of the view it asks the
     *     statistics
     */
    Node plan(Object query, GraphView view, List<Value> arguments, Function<Statistics, Node> planner) {
        Statistics statistics = new Statistics(view, arguments);
        Variants variants = byQuery.getIfPresent(query);
        if (variants != null) {
            Node known = variants.find(answers(variants.questions, statistics));
            if (known != null) {
                return known;
            }
        }
        Node plan = planner.apply(statistics);
        byQuery.put(query, with(variants, statistics, plan));
        return plan;
    }

    /** Queries whose plans are kept. */
    long queries() {
        byQuery.cleanUp();
        return byQuery.estimatedSize();
    }

    private static double[] answers(List<Statistics.Question> questions, Statistics statistics) {
        double[] answers = new double[questions.size()];
        for (int i = 0; i < answers.length; i++) {
            answers[i] = statistics.answer(questions.get(i));
        }
        return answers;
    }

    private static Variants with(@Nullable Variants old, Statistics statistics, Node plan) {
        List<Statistics.Question> questions = List.copyOf(statistics.asked().keySet());
        List<Variant> known = new ArrayList<>();
        if (old != null && old.questions.containsAll(questions)) {
            questions = old.questions;
            known.addAll(old.known);
        }
        if (known.size() == VARIANTS_MAX) {
            known.removeFirst();
        }
        known.add(new Variant(answers(questions, statistics), plan));
        return new Variants(questions, known);
    }
}
