package service.projection.query.operator;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.RowStore;

/**
 * Binds slots to fused rankings: keeps all rows until their entities are ranked. Where only the first rows by one of
 * them are wanted, it drops rows that cannot be among these.
 */
public final class FuseOperator extends Operator {
    private final ExecutionBudget budget;
    private final List<FusedRankings> fused;
    private final Wanted wanted;
    private final List<DoubleColumn> scores;
    private final int[] kept;
    private final RowStore rows;
    private final Batch out;
    private final Operator next;

    /**
     * The first rows, in the order of a score.
     *
     * @param slot of the score
     * @param rows how many; −1 for all
     */
    public record Wanted(int slot, long rows) {
        public static final Wanted ALL = new Wanted(-1, -1);
    }

    /** @param kept the slots that are read here or downstream */
    public FuseOperator(List<FusedRankings> fused, Wanted wanted, int[] kept, Downstream down) {
        this.wanted = wanted;
        this.budget = down.budget();
        this.fused = fused;
        this.scores = fused.stream().map(each -> budget.own(new DoubleColumn())).toList();
        this.kept = kept;
        this.rows = new RowStore(budget, kept);
        this.out = down.batch();
        this.next = down.next();
    }

    @Override
    public boolean push(Batch batch) {
        rows.append(batch);
        fused.forEach(each -> each.add(batch));
        budget.check();
        return true;
    }

    @Override
    public void finish() {
        fused.forEach(FusedRankings::fuse);
        FusedRankings order = fused.stream()
                .filter(each -> each.slot() == wanted.slot && wanted.rows >= 0)
                .findFirst()
                .orElse(null);
        double least = order == null ? 0.0 : order.reachedBy(wanted.rows);
        boolean more = true;
        for (int from = 0; more && from < rows.size(); ) {
            out.clear(kept);
            int room = Math.min(Column.CAPACITY, rows.size() - from);
            scores.forEach(column -> column.reset(room));
            int size = 0;
            for (; size < Column.CAPACITY && from < rows.size(); from++) {
                if (order == null || order.score(from) >= least) {
                    put(from, size++);
                }
            }
            out.size = size;
            for (int i = 0; i < fused.size(); i++) {
                out.put(fused.get(i).slot(), scores.get(i));
            }
            budget.steps(size);
            budget.check();
            more = size == 0 || next.push(out);
        }
        rows.clear();
        next.finish();
    }

    private void put(int row, int at) {
        rows.copyTo(row, out, at);
        for (int i = 0; i < fused.size(); i++) {
            scores.get(i).values[at] = fused.get(i).score(row);
        }
    }
}
