package service.projection.query;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.stats.CacheStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import service.core.port.CacheGauges;
import service.core.port.GraphView;
import service.core.value.Value;
import service.projection.query.plan.Node;
import service.projection.query.plan.PlanShape;
import service.projection.query.plan.Statistics;

/**
 * Caches the physical plans of compiled queries.
 *
 * <p><b>Idea.</b> A plan refers to arguments by name, so it can run with any values. The best plan depends on
 * statistics. The cache keeps the rounded statistics that the planner asked for with the plan, and asks for them again
 * before it reuses the plan. So a plan is a function of the compiled query (one source and schema) and of rounded
 * statistics. A query with only one possible plan asks for none.
 *
 * <p><b>Cost.</b> A hit reads the counts that the planner asked for, some hundred nanoseconds each. For each argument
 * that can be sought in an index it also costs a seek and up to 256 postings, because an argument with many matches
 * needs another plan than one with few. Any thread; two threads may plan the same query at once.
 *
 * <p><b>Bounds.</b> Plans are kept while the query is reachable elsewhere, mostly from the cache of compiled queries. A
 * plan must not refer to its query: the query could then never be collected. The operators and statistics of all plans
 * together have a bound in bytes; the least used plans are evicted first. Expressions belong to the compiled query and
 * are not counted.
 */
final class PreparedPlans {
    /** The heap bytes of an operator with its lists, or of a statistic with its answer. */
    static final int OPERATOR_BYTES = 200;

    /** Plans of one query; one more evicts the oldest. */
    private static final int VARIANTS_MAX = 32;

    private final Cache<Object, Variants> byQuery;

    /**
     * An empty cache.
     *
     * @param bytesMax the heap bytes that all plans may hold; the caller reserves them
     */
    PreparedPlans(long bytesMax) {
        this.byQuery = Caffeine.newBuilder()
                .weakKeys()
                .maximumWeight(bytesMax / OPERATOR_BYTES)
                .weigher((Object query, Variants variants) -> variants.weight)
                .executor(Runnable::run)
                .recordStats()
                .build();
    }

    /** The plans of a query and the statistics that they depend on. Immutable. */
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
     * Returns the cached plan of a compiled query, or makes it.
     *
     * @param query a compiled read, or the predicate of a compiled mutation; compared by identity
     * @param planner makes the plan, which must not refer to {@code query}; it reads the view through the statistics
     *     only
     * @param arguments with the time, see {@code Constants.withNow}
     * @param checkpoint throws when the time of the request is over or its caller is gone
     */
    Node plan(
            Object query,
            GraphView view,
            List<Value> arguments,
            Runnable checkpoint,
            Function<Statistics, Node> planner) {
        Statistics statistics = new Statistics(view, arguments, checkpoint);
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

    /** Number of queries with cached plans. */
    long queries() {
        byQuery.cleanUp();
        return byQuery.estimatedSize();
    }

    /** The state of this cache; an entry holds all plans of one query. */
    CacheGauges gauges() {
        CacheStats stats = byQuery.stats();
        return new CacheGauges(byQuery.estimatedSize(), stats.hitCount(), stats.missCount());
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
