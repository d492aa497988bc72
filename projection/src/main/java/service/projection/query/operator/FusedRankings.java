package service.projection.query.operator;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.SearchFunction;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.core.value.ValueOrder;
import service.projection.query.kernel.Kernel;
import service.projection.query.plan.Expressions;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.IntSort;
import service.projection.query.vector.LongTable;

/**
 * The fused rankings of the entities of one slot: the score of each entity that occurs. An entity that occurs in
 * several rows is ranked by its best score, which differs between rows only where the vector comes from another
 * variable.
 */
public final class FusedRankings {
    /** Steps of work for fetching one id. */
    private static final int ID_STEPS = 8;

    private static final int K = 60;
    private static final int K_MAX = 10_000;

    private final ExecutionBudget budget;
    private final int slot;
    private final int entities;
    private final List<Ranking> rankings;
    private final int k;
    private final LongTable numbers;

    /** The scores by ranking and number of the entity; NaN without one. */
    private final double[][] best;

    /** The number of the entity of each row; −1 without one. */
    private int[] ofRow = {};

    private int rows;
    private final int[] fresh;
    private final Batch freshRows;

    /** The fused scores by number of the entity. */
    private double[] fused = {};

    /**
     * One of the rankings.
     *
     * @param ofEntity whether its score depends on the entity alone
     * @param positive whether a score of 0 has no position
     * @param shortlist says of which entities the scores must be computed; null for all
     */
    public record Ranking(
            Kernel kernel,
            boolean ofEntity,
            boolean positive,
            @Nullable Shortlist shortlist) {
        /**
         * The ranking by a search.
         *
         * @param search with bound arguments
         */
        public static Ranking of(ExecutionBudget budget, Expression.Search search, Kernel kernel) {
            boolean ofEntity = Expressions.slots(search).cardinality() == 1;
            return new Ranking(
                    kernel,
                    ofEntity,
                    search.function() == SearchFunction.BM25,
                    ofEntity
                            ? Shortlist.of(
                                    budget, search, budget.limits.search().rrfWindow())
                            : null);
        }
    }

    /** @param k the constant of the fusion, or null */
    public FusedRankings(ExecutionBudget budget, Plan.Fusion fusion, List<Ranking> rankings, Value k, int slotCount) {
        this.budget = budget;
        this.slot = fusion.slot();
        this.entities = ((Expression.PropertyOf) fusion.rankings().getFirst().subject()).slot();
        this.rankings = rankings;
        this.k = constant(fusion, k);
        this.numbers = new LongTable(budget);
        this.best = new double[rankings.size()][0];
        this.fresh = budget.rowNumbers();
        this.freshRows = new Batch(budget, slotCount);
    }

    private static int constant(Plan.Fusion fusion, Value k) {
        if (k instanceof Value.Null) {
            return K;
        }
        if (k instanceof Value.Int(long number) && number >= 1 && number <= K_MAX) {
            return (int) number;
        }
        String name = fusion.k() instanceof Expression.Argument argument ? "`$" + argument.name() + "`" : "it";
        throw fusion.origin()
                .fault(
                        "T21",
                        "the constant of `rrf` is a whole number from 1 to " + K_MAX + ", and " + name + " is not");
    }

    /** The slot that receives the scores. */
    int slot() {
        return slot;
    }

    /** Ranks the entities of a batch. */
    void add(Batch batch) {
        EntityColumn column = batch.slot(entities);
        ofRow = budget.withRoom(ofRow, rows + batch.size);
        int first = numbers.size();
        int n = 0;
        for (int row = 0; row < batch.size; row++) {
            int number = -1;
            if (!column.isNull(row)) {
                int before = numbers.size();
                number = numbers.add(Shortlist.key(column.types[row], column.ordinals[row]));
                if (number == before) {
                    fresh[n++] = row;
                }
            }
            ofRow[rows++] = number;
        }
        budget.steps(batch.size);
        makeRoom(numbers.size());
        boolean taken = false;
        for (int i = 0; i < best.length; i++) {
            Ranking ranking = rankings.get(i);
            Shortlist shortlist = ranking.shortlist;
            if (shortlist != null) {
                shortlist.add(batch, fresh, n, first);
            } else if (!ranking.ofEntity) {
                keepBest(best[i], ranking, batch);
            } else if (n > 0) {
                if (!taken) {
                    freshRows.take(batch, fresh, n, new int[] {entities});
                    taken = true;
                }
                keepBest(best[i], ranking, freshRows);
            }
        }
    }

    /** Computes the scores of those entities that can have a position. */
    private void score(double[] scores, Ranking ranking, Shortlist shortlist) {
        int[] listed = shortlist.numbers(numbers);
        for (int from = 0; from < listed.length; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, listed.length - from);
            freshRows.clear(new int[] {entities});
            EntityColumn column = freshRows.own(entities);
            for (int i = 0; i < size; i++) {
                long key = numbers.key(listed[from + i]);
                column.set(i, (int) (key >>> Integer.SIZE), (int) key, EntityColumn.NO_RECORD);
            }
            freshRows.size = size;
            keepBest(scores, ranking, freshRows);
            budget.check();
        }
        budget.release(HeapBytes.array(listed.length, Integer.BYTES));
    }

    private void keepBest(double[] scores, Ranking ranking, Batch batch) {
        DoubleColumn given = (DoubleColumn) ranking.kernel.eval(batch);
        EntityColumn column = batch.slot(entities);
        for (int row = 0; row < batch.size; row++) {
            boolean counts = !given.isNull(row) && !(ranking.positive && given.values[row] == 0);
            if (counts && !column.isNull(row)) {
                int number = numbers.find(Shortlist.key(column.types[row], column.ordinals[row]));
                double before = scores[number];
                scores[number] = Double.isNaN(before) ? given.values[row] : Math.max(before, given.values[row]);
            }
        }
    }

    private void makeRoom(int size) {
        for (int i = 0; i < best.length; i++) {
            int before = best[i].length;
            if (before < size) {
                int room = HeapBytes.room(size);
                budget.charge(HeapBytes.array(room, Double.BYTES));
                best[i] = Arrays.copyOf(best[i], room);
                Arrays.fill(best[i], before, room, Double.NaN);
                budget.release(before == 0 ? 0 : HeapBytes.array(before, Double.BYTES));
            }
        }
    }

    /** Fuses the rankings, when all entities are known. */
    void fuse() {
        int n = numbers.size();
        for (int i = 0; i < best.length; i++) {
            Shortlist shortlist = rankings.get(i).shortlist;
            if (shortlist != null) {
                score(best[i], rankings.get(i), shortlist);
            }
        }
        budget.charge(HeapBytes.array(n, Double.BYTES));
        fused = new double[n];
        for (double[] scores : best) {
            int[] order = order(scores);
            int counted = Math.min(order.length, budget.limits.search().rrfWindow());
            for (int i = 0; i < counted; i++) {
                fused[order[i]] += 1.0 / (k + i + 1);
            }
            budget.release(HeapBytes.array(order.length, Integer.BYTES));
        }
    }

    /**
     * The numbers of the entities with the best scores, in their order: as many as count, and those equal to the last.
     */
    private int[] order(double[] scores) {
        int n = 0;
        budget.charge(HeapBytes.array(numbers.size(), Integer.BYTES + Double.BYTES));
        double[] sorted = new double[numbers.size()];
        for (int i = 0; i < sorted.length; i++) {
            if (!Double.isNaN(scores[i])) {
                sorted[n++] = scores[i];
            }
        }
        Arrays.sort(sorted, 0, n);
        budget.steps(8 * n);
        int window = budget.limits.search().rrfWindow();
        double least = n > window ? sorted[n - window] : Double.NEGATIVE_INFINITY;
        int[] ranked = new int[n];
        n = 0;
        for (int i = 0; i < sorted.length; i++) {
            if (scores[i] >= least) {
                ranked[n++] = i;
            }
        }
        int[] order = Arrays.copyOf(ranked, n);
        Ids ids = new Ids(numbers.size());
        IntSort.sort(order, 0, n, (l, r) -> {
            budget.step();
            int byScore = Double.compare(scores[r] + 0.0, scores[l] + 0.0);
            return byScore != 0 ? byScore : ids.compare(l, r);
        });
        ids.release();
        budget.release(HeapBytes.array(numbers.size(), Integer.BYTES + Double.BYTES));
        budget.charge(HeapBytes.array(n, Integer.BYTES));
        return order;
    }

    /** The ids of entities with equal scores, fetched when they are asked for. */
    private final class Ids {
        private final @Nullable String[] known;
        private long charged;

        Ids(int size) {
            charged = HeapBytes.references(size);
            budget.charge(charged);
            known = new String[size];
        }

        int compare(int left, int right) {
            int byId = ValueOrder.compareText(id(left), id(right));
            return byId != 0 ? byId : Long.compare(numbers.key(left), numbers.key(right));
        }

        private String id(int number) {
            String id = known[number];
            if (id == null) {
                long key = numbers.key(number);
                budget.steps(ID_STEPS);
                id = budget.view.id((int) (key >>> Integer.SIZE), (int) key);
                long bytes = HeapBytes.of(id);
                budget.charge(bytes);
                charged += bytes;
                known[number] = id;
            }
            return id;
        }

        void release() {
            budget.release(charged);
        }
    }

    /** The score of the entity of a row, by the order in which the rows were added; 0 without an entity. */
    double score(int row) {
        return ofRow[row] < 0 ? 0.0 : fused[ofRow[row]];
    }

    /**
     * A score that so many rows reach at least.
     *
     * @return 0 when fewer rows have a score above it
     */
    double reachedBy(long wanted) {
        if (wanted <= 0 || wanted > rows) {
            return 0.0;
        }
        budget.charge(HeapBytes.array(rows, Double.BYTES));
        double[] positive = new double[rows];
        int n = 0;
        for (int row = 0; row < rows; row++) {
            double score = score(row);
            if (score > 0) {
                positive[n++] = score;
            }
        }
        Arrays.sort(positive, 0, n);
        budget.steps(rows + 8 * n);
        budget.release(HeapBytes.array(rows, Double.BYTES));
        return n < wanted ? 0.0 : positive[(int) (n - wanted)];
    }
}
