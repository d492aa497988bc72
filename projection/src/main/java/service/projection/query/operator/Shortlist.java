package service.projection.query.operator;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.SearchFunction;
import service.core.port.TextIndex;
import service.core.schema.VectorMetric;
import service.core.value.HeapBytes;
import service.core.value.Value;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.LongTable;
import service.projection.query.vector.Ordinals;

/**
 * Finds, of many entities, those that can be among the first by a ranking, so that the scores of the others are not
 * computed. One thread.
 */
abstract sealed class Shortlist {
    /** Entities by number, each {@link #key}. */
    static long key(int type, int ordinal) {
        return (long) type << Integer.SIZE | Integer.toUnsignedLong(ordinal);
    }

    /**
     * For a ranking by a bound search.
     *
     * @param search reads one entity, which is ranked
     * @param wanted how many positions count, positive
     * @return null when the scores of all entities must be computed
     */
    static @Nullable Shortlist of(ExecutionBudget budget, Expression.Search search, int wanted) {
        if (!(search.subject() instanceof Expression.PropertyOf property)
                || !(search.arguments().getFirst() instanceof Expression.Literal sought)) {
            return null;
        }
        if (search.function() == SearchFunction.NEAREST) {
            return sought.value() instanceof Value.Vector(float[] items)
                    ? new OfVectors(budget, search, property, items, wanted)
                    : null;
        }
        return TextSources.isIndexed(budget, search, property.identityByType().keySet())
                ? new OfTexts(budget, search, property.identityByType(), wanted)
                : null;
    }

    /**
     * Takes entities of a batch that were not there before.
     *
     * @param rows where they are, so many
     * @param first the number of the first; those of the others follow
     */
    abstract void add(Batch batch, int[] rows, int size, int first);

    /**
     * The numbers of those that can be among the first, and of those equal to the last; others may be among them. Call
     * it once, after all were added.
     */
    abstract int[] numbers(LongTable entities);

    /** By {@code nearest}: compares bounds of the similarities, which cost less. */
    private static final class OfVectors extends Shortlist {
        private static final int FIRST = 1_024;

        private final ExecutionBudget budget;
        private final int slot;
        private final BoundedVectors vectors;
        private final LowerBounds best;
        private int[] numbers = new int[FIRST];
        private double[] highs = new double[FIRST];
        private int size;
        private int compactAt;

        OfVectors(
                ExecutionBudget budget,
                Expression.Search search,
                Expression.PropertyOf property,
                float[] sought,
                int wanted) {
            this.budget = budget;
            budget.charge(LowerBounds.bytes(wanted) + bytes(FIRST));
            this.slot = property.slot();
            VectorMetric metric = Objects.requireNonNull(search.by().metric());
            this.vectors = new BoundedVectors(budget, property.identityByType(), metric, sought);
            this.best = new LowerBounds(wanted);
            this.compactAt = 4 * Math.max(FIRST, wanted);
        }

        private static long bytes(int room) {
            return HeapBytes.array(room, Integer.BYTES) + HeapBytes.array(room, Double.BYTES);
        }

        @Override
        void add(Batch batch, int[] rows, int n, int first) {
            vectors.begin(batch.slot(slot), batch.size);
            int dropped = 0;
            for (int i = 0; i < n; i++) {
                BoundedVectors.Known known = vectors.of(rows[i], best.least());
                if (known == BoundedVectors.Known.VECTOR) {
                    keep(first + i, Double.POSITIVE_INFINITY);
                } else if (known == BoundedVectors.Known.BOUNDS && best.add(vectors.low(), vectors.high())) {
                    keep(first + i, vectors.high());
                } else if (known == BoundedVectors.Known.BOUNDS) {
                    dropped++;
                }
            }
            // Those that are kept are counted where their similarity is worked out.
            budget.examined(dropped);
        }

        private void keep(int number, double high) {
            if (size == numbers.length) {
                budget.charge(bytes(2 * size));
                numbers = Arrays.copyOf(numbers, 2 * size);
                highs = Arrays.copyOf(highs, 2 * size);
                budget.release(bytes(size));
            }
            numbers[size] = number;
            highs[size++] = high;
            if (size >= compactAt) {
                compact();
                compactAt = 2 * Math.max(compactAt / 2, size);
            }
        }

        private void compact() {
            int kept = 0;
            for (int i = 0; i < size; i++) {
                if (highs[i] >= best.least()) {
                    numbers[kept] = numbers[i];
                    highs[kept++] = highs[i];
                }
            }
            budget.examined(size - kept);
            size = kept;
        }

        @Override
        int[] numbers(LongTable entities) {
            compact();
            budget.charge(HeapBytes.array(size, Integer.BYTES));
            return Arrays.copyOf(numbers, size);
        }
    }

    /** By {@code bm25}: the index proposes. */
    private static final class OfTexts extends Shortlist {
        private final ExecutionBudget budget;
        private final Expression.Search search;
        private final Map<Integer, Integer> properties;
        private final int wanted;

        OfTexts(ExecutionBudget budget, Expression.Search search, Map<Integer, Integer> properties, int wanted) {
            this.budget = budget;
            this.search = search;
            this.properties = properties;
            this.wanted = wanted;
        }

        @Override
        void add(Batch batch, int[] rows, int size, int first) {}

        @Override
        int[] numbers(LongTable entities) {
            Ordinals found = new Ordinals(budget);
            int[] one = new int[1];
            for (int type : properties.keySet()) {
                TextIndex.Proposal proposal = entities.size() <= wanted
                        ? null
                        : TextSources.best(
                                budget, search, type, wanted, ordinal -> entities.find(key(type, ordinal)) >= 0);
                if (proposal != null) {
                    budget.direct(proposal.direct());
                    budget.charge(HeapBytes.array(proposal.ordinals().length, Integer.BYTES));
                    for (int ordinal : proposal.ordinals()) {
                        one[0] = entities.find(key(type, ordinal));
                        found.add(one, 1);
                    }
                    budget.release(HeapBytes.array(proposal.ordinals().length, Integer.BYTES));
                } else {
                    addAll(entities, type, found, one);
                }
            }
            return found.toArray();
        }

        private void addAll(LongTable entities, int type, Ordinals into, int[] one) {
            budget.direct(entities.size());
            budget.steps(entities.size());
            for (int number = 0; number < entities.size(); number++) {
                if ((int) (entities.key(number) >>> Integer.SIZE) == type) {
                    one[0] = number;
                    into.add(one, 1);
                }
            }
        }
    }
}
