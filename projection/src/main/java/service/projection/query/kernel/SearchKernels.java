package service.projection.query.kernel;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;
import service.core.schema.AnalyzerName;
import service.core.schema.VectorMetric;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ColumnValues;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.SearchOperator;
import service.projection.search.Analysis;
import service.projection.search.FuzzyMatch;
import service.projection.search.QueryTerms;
import service.projection.search.Scores;
import service.projection.search.TermFrequencies;
import service.projection.search.TextAnalyzer;
import service.projection.search.TextMatch;
import service.projection.search.TextStatistics;

/** The functions of search, row by row: they read the values of the rows, and no index. */
final class SearchKernels {
    private static final int EDITS_MAX = 2;

    private SearchKernels() {}

    /**
     * The kernel of a search.
     *
     * @param search with bound arguments
     * @param subject the values that are searched
     * @param sought the vectors that {@code nearest} compares them with
     */
    static Kernel of(ExecutionBudget budget, Expression.Search search, Kernel subject, Kernel sought) {
        if (search.function().isRanking()) {
            budget.searches(SearchOperator.RANK);
        }
        if (search.function() == SearchFunction.NEAREST) {
            return new Nearest(budget, search, subject, sought);
        }
        QueryTerms terms = terms(budget, search);
        if (search.function() == SearchFunction.BM25) {
            return new Bm25(budget, search, subject, terms);
        }
        return new Filter(
                budget, subject, terms, terms == null || terms.isEmpty() ? null : match(budget, search, terms));
    }

    /** The terms that are searched for; null where the text is null. */
    private static @Nullable QueryTerms terms(ExecutionBudget budget, Expression.Search search) {
        Value sought = constant(search, 0);
        if (!(sought instanceof Value.Text(String text))) {
            return null;
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > QueryTerms.BYTES_MAX) {
            throw search.origin()
                    .fault(
                            "T20",
                            "`" + search.function().text() + "` searches for a text of " + bytes
                                    + " bytes, and it may have " + QueryTerms.BYTES_MAX,
                            "search for fewer words");
        }
        AnalyzerName analyzer = Objects.requireNonNull(search.by().analyzer());
        budget.bytes(bytes);
        QueryTerms terms = QueryTerms.of(analyzer, text);
        budget.charge(terms.bytes());
        if (terms.distinct().size() > QueryTerms.TERMS_MAX) {
            throw search.origin()
                    .fault(
                            "T20",
                            "`" + search.function().text() + "` searches for "
                                    + terms.distinct().size() + " different terms, and there may be "
                                    + QueryTerms.TERMS_MAX,
                            "search for fewer words");
        }
        return terms;
    }

    private static Value constant(Expression.Search search, int argument) {
        return search.arguments().get(argument) instanceof Expression.Literal literal ? literal.value() : Value.NULL;
    }

    private static TextMatch match(ExecutionBudget budget, Expression.Search search, QueryTerms terms) {
        Value last = search.arguments().size() > 1 ? constant(search, 1) : Value.NULL;
        return switch (search.function()) {
            case SEARCH ->
                switch (last instanceof Value.Text(String mode) ? mode : "any") {
                    case "all" -> TextMatch.ofTerms(terms, true, budget);
                    case "prefix" -> TextMatch.ofPrefix(terms, budget);
                    default -> TextMatch.ofTerms(terms, false, budget);
                };
            case MATCH_TEXT -> TextMatch.ofPhrase(terms, budget);
            case FUZZY -> new FuzzyMatch(terms, edits(search, last), budget);
            case BM25, NEAREST, RRF -> throw new IllegalStateException(search.function() + " is no filter");
        };
    }

    private static int edits(Expression.Search search, Value edits) {
        if (edits instanceof Value.Null) {
            return -1;
        }
        if (edits instanceof Value.Int(long number) && number >= 0 && number <= EDITS_MAX) {
            return (int) number;
        }
        Object shown = edits instanceof Value.UInt(long bits)
                ? Long.toUnsignedString(bits)
                : edits instanceof Value.Int(long number) ? number : edits;
        throw search.origin()
                .fault("T19", "the edits of `fuzzy` are a whole number from 0 to " + EDITS_MAX + ", not " + shown);
    }

    /** Gives the terms of a row that is not null to a sink. */
    private static void analyze(
            ExecutionBudget budget, TextAnalyzer analyzer, Column values, int row, TextAnalyzer.TermSink sink) {
        budget.examined(1);
        Analysis.terms(budget, analyzer, values, row, sink);
    }

    private static void setNulls(Column result, int size) {
        for (int row = 0; row < size; row++) {
            result.setNull(row);
        }
    }

    /** {@code search}, {@code match_text} and {@code fuzzy}. */
    private static final class Filter extends Kernel {
        private final ExecutionBudget budget;
        private final Kernel subject;
        private final @Nullable QueryTerms terms;
        private final @Nullable TextMatch match;
        private final BoolColumn result;

        /**
         * @param terms null where the text is null
         * @param match null where the text has no terms
         */
        Filter(ExecutionBudget budget, Kernel subject, @Nullable QueryTerms terms, @Nullable TextMatch match) {
            super(subject);
            this.budget = budget;
            this.subject = subject;
            this.terms = terms;
            this.match = match;
            this.result = budget.own(new BoolColumn());
        }

        @Override
        public BoolColumn eval(Batch batch) {
            result.reset(batch.size);
            if (terms == null) {
                setNulls(result, batch.size);
                return result;
            }
            Column values = subject.eval(batch);
            result.addNulls(values);
            TextAnalyzer analyzer = TextAnalyzer.of(terms.analyzer());
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    result.values[row] = match != null && holds(match, analyzer, values, row);
                }
            }
            return result;
        }

        private boolean holds(TextMatch test, TextAnalyzer analyzer, Column values, int row) {
            test.begin();
            analyze(budget, analyzer, values, row, test);
            return test.holds();
        }
    }

    /** {@code bm25}. */
    private static final class Bm25 extends Kernel {
        private final ExecutionBudget budget;
        private final Expression.Search search;
        private final Kernel subject;
        private final @Nullable QueryTerms terms;
        private final @Nullable TermFrequencies frequencies;
        private final DoubleColumn result;
        private double[] weights = {};
        private double average;
        private boolean isReady;

        /** @param terms null where the text is null */
        Bm25(ExecutionBudget budget, Expression.Search search, Kernel subject, @Nullable QueryTerms terms) {
            super(subject);
            this.budget = budget;
            this.search = search;
            this.subject = subject;
            this.terms = terms;
            this.frequencies = terms == null ? null : new TermFrequencies(terms, budget);
            this.result = budget.own(new DoubleColumn());
            if (terms != null) {
                budget.statistics().announce(search.by(), terms.distinct());
            }
        }

        @Override
        public DoubleColumn eval(Batch batch) {
            result.reset(batch.size);
            if (terms == null || frequencies == null) {
                setNulls(result, batch.size);
                return result;
            }
            Column values = subject.eval(batch);
            result.addNulls(values);
            if (!isReady && !terms.isEmpty()) {
                TextStatistics.Counts counts = budget.statistics().of(search.by(), terms.distinct());
                weights = Scores.weights(counts);
                average = Scores.average(counts);
            }
            isReady = true;
            TextAnalyzer analyzer = TextAnalyzer.of(terms.analyzer());
            for (int row = 0; row < batch.size; row++) {
                if (!result.isNull(row)) {
                    result.values[row] = score(frequencies, analyzer, values, row);
                }
            }
            return result;
        }

        private double score(TermFrequencies counted, TextAnalyzer analyzer, Column values, int row) {
            if (weights.length == 0) {
                return 0.0;
            }
            counted.begin();
            analyze(budget, analyzer, values, row, counted);
            return Scores.bm25(weights, counted.of, counted.length, average);
        }
    }

    /** {@code nearest}. */
    private static final class Nearest extends Kernel {
        private final ExecutionBudget budget;
        private final VectorMetric metric;
        private final Kernel subject;
        private final Kernel sought;
        private final DoubleColumn result;

        /** The square of the vector that all rows are compared with; −1 when each row has another one. */
        private final double constantSquare;

        Nearest(ExecutionBudget budget, Expression.Search search, Kernel subject, Kernel sought) {
            super(subject, sought);
            this.budget = budget;
            this.metric = Objects.requireNonNull(search.by().metric());
            this.subject = subject;
            this.sought = sought;
            this.result = budget.own(new DoubleColumn());
            this.constantSquare =
                    constant(search, 0) instanceof Value.Vector(float[] items) ? Scores.square(items) : -1;
            if (metric == VectorMetric.COSINE && constantSquare == 0) {
                throw search.origin()
                        .fault(
                                "R2",
                                "the vector that `nearest` searches for has the length 0, so it has no direction",
                                "under `cosine` at least one component is not 0");
            }
        }

        /** Whether the metric compares the vectors: {@code cosine} needs directions. */
        private boolean compares(double square, float[] vector) {
            return metric != VectorMetric.COSINE || (square > 0 && Scores.square(vector) > 0);
        }

        @Override
        public DoubleColumn eval(Batch batch) {
            Column values = subject.eval(batch);
            Column others = sought.eval(batch);
            result.reset(batch.size);
            result.addNulls(values);
            result.addNulls(others);
            for (int row = 0; row < batch.size; row++) {
                if (result.isNull(row)) {
                    continue;
                }
                float[] vector = ((Value.Vector) ColumnValues.value(values, row)).items();
                float[] other = ((Value.Vector) ColumnValues.value(others, row)).items();
                budget.examined(1);
                budget.bytes(Float.BYTES * vector.length);
                double square = constantSquare >= 0 ? constantSquare : Scores.square(other);
                if (compares(square, vector)) {
                    result.values[row] = Scores.similarity(metric, other, square, vector);
                } else {
                    result.setNull(row);
                }
            }
            return result;
        }
    }
}
