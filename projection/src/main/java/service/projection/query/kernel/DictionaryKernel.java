package service.projection.query.kernel;

import org.jspecify.annotations.Nullable;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.TextColumn;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;

/**
 * A test of one text property against constants. Where the property comes as codes of a dictionary, the test is
 * evaluated once for each code, and rows look up the result of theirs. That is done as soon as as many rows have come
 * as there are codes; other batches are tested row by row.
 */
final class DictionaryKernel extends Kernel {
    private final Kernel property;
    private final Kernel byRow;
    private final Kernel byCode;
    private final Entries entries;
    private final Batch batchOfCodes;
    private final BoolColumn result;
    private final ExecutionBudget budget;
    private long rows;
    private @Nullable Dictionary tested;

    /** The result for each code of {@link #tested}. */
    private boolean[] holds = {};

    private boolean[] unknown = {};

    /** Whether any text has an unknown result. */
    private boolean anyUnknown;

    /** Whether the test fails on some text, so that only the rows that have it may see it. */
    private boolean failing;

    /** The texts of a dictionary, in place of the property. */
    static final class Entries extends Kernel {
        private final TextColumn column;

        Entries(ExecutionBudget budget) {
            column = budget.own(new TextColumn());
        }

        @Override
        public Column eval(Batch batch) {
            return column;
        }
    }

    /**
     * Makes one.
     *
     * @param property the kernel of the property
     * @param byRow the test over {@code property}
     * @param byCode the test over {@code entries}
     */
    DictionaryKernel(ExecutionBudget budget, Kernel property, Kernel byRow, Kernel byCode, Entries entries) {
        super(byRow);
        this.budget = budget;
        this.batchOfCodes = new Batch(budget, 0);
        this.result = budget.own(new BoolColumn());
        this.property = property;
        this.byRow = byRow;
        this.byCode = byCode;
        this.entries = entries;
    }

    @Override
    public Column eval(Batch batch) {
        if (!(property.eval(batch) instanceof TextColumn texts)) {
            return byRow.eval(batch);
        }
        Dictionary dictionary = texts.dictionary();
        if (dictionary == null || !isTested(dictionary, batch.size)) {
            return byRow.eval(batch);
        }
        lookUp(texts, batch.size);
        return result;
    }

    private void lookUp(TextColumn texts, int size) {
        char[] codes = texts.codes(size);
        boolean[] from = holds;
        result.reset(size);
        boolean[] into = result.values;
        for (int i = 0; i < size; i++) {
            into[i] = from[codes[i]];
        }
        if (anyUnknown || (unknown[Dictionary.NULL] && texts.hasNulls())) {
            for (int i = 0; i < size; i++) {
                if (unknown[codes[i]]) {
                    result.setNull(i);
                }
            }
        }
    }

    /** Returns whether results per code exist; computes them first when the batch is large enough. */
    private boolean isTested(Dictionary dictionary, int size) {
        if (dictionary == tested) {
            return true;
        }
        rows += size;
        if (failing || rows < dictionary.size()) {
            return false;
        }
        try {
            test(dictionary);
        } catch (ServiceException e) {
            if (e.code() != ErrorCode.BAD_REQUEST) {
                throw e;
            }
            failing = true;
            return false;
        }
        tested = dictionary;
        return true;
    }

    private void test(Dictionary dictionary) {
        budget.charge(2L * dictionary.size());
        budget.release(2L * holds.length);
        boolean[] trues = new boolean[dictionary.size()];
        boolean[] unknowns = new boolean[trues.length];
        boolean any = false;
        for (int from = 0; from < trues.length; from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, trues.length - from);
            entries.column.reset(size);
            char[] codes = entries.column.codes(size);
            for (int i = 0; i < size; i++) {
                codes[i] = (char) (from + i);
            }
            entries.column.decode(dictionary, size);
            batchOfCodes.size = size;
            batchOfCodes.version++;
            BoolColumn results = byCode.test(batchOfCodes);
            for (int i = 0; i < size; i++) {
                unknowns[from + i] = results.isNull(i);
                trues[from + i] = results.isTrue(i);
                any |= unknowns[from + i] && from + i != Dictionary.NULL;
            }
        }
        holds = trues;
        unknown = unknowns;
        anyUnknown = any;
    }
}
