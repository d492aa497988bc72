package service.projection.query.operator;

import java.util.List;
import service.core.batch.Column;
import service.core.batch.DoubleColumn;
import service.projection.query.vector.Batch;
import service.projection.query.vector.ExecutionBudget;
import service.projection.query.vector.RowStore;

/** Binds slots to fused rankings: keeps all rows until their entities are ranked. */
public final class FuseOperator extends Operator {
    private final ExecutionBudget budget;
    private final List<FusedRankings> fused;
    private final List<DoubleColumn> scores;
    private final int[] kept;
    private final RowStore rows;
    private final Batch out;
    private final Operator next;

    /** @param kept the slots that are read here or downstream */
    public FuseOperator(List<FusedRankings> fused, int[] kept, Downstream down) {
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
        boolean more = true;
        for (int from = 0; more && from < rows.size(); from += Column.CAPACITY) {
            int size = Math.min(Column.CAPACITY, rows.size() - from);
            out.clear(kept);
            for (int i = 0; i < size; i++) {
                rows.copyTo(from + i, out, i);
            }
            out.size = size;
            for (int i = 0; i < fused.size(); i++) {
                scores.get(i).reset(size);
                fused.get(i).write(out, scores.get(i));
                out.put(fused.get(i).slot(), scores.get(i));
            }
            budget.steps(size);
            budget.check();
            more = next.push(out);
        }
        rows.clear();
        next.finish();
    }
}
