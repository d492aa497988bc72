package service.projection.exec;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.gq.plan.Variable;
import service.core.port.GraphView;
import service.core.port.IndexRange;
import service.core.schema.IndexDefinition;
import service.core.value.Direction;

/**
 * What the planner knows of a view, asked for once per plan. Where it has a choice to make it looks
 * into an index range instead of guessing: one batch of postings costs less than a wrong start.
 */
final class Statistics {
    /** Ranges of one path that are looked into; the others are taken to be like them. */
    private static final int PROBED_RANGES_MAX = 4;

    private final GraphView view;
    private final Map<Integer, Long> counts = new HashMap<>();
    private final Map<Integer, Double> outFans = new HashMap<>();
    private final Map<Integer, Double> inFans = new HashMap<>();
    private final Map<Integer, Long> distinct = new HashMap<>();

    Statistics(GraphView view) {
        this.view = view;
    }

    GraphView view() {
        return view;
    }

    double count(int type) {
        return counts.computeIfAbsent(type, view::count);
    }

    /** Live entities that the variable may take. */
    double count(Variable variable) {
        double all = 0;
        for (int type : variable.types()) {
            all += count(type);
        }
        return all;
    }

    /** Live edges of the type at an average node of the near end. */
    double fanOut(int edgeType, Direction direction) {
        return (direction == Direction.OUT ? outFans : inFans)
                .computeIfAbsent(edgeType, type -> view.fanOut(type, direction));
    }

    /** Distinct values of an index, 0 when unknown. */
    long distinct(IndexDefinition index) {
        return distinct.computeIfAbsent(index.identity(), view::distinctEstimate);
    }

    /**
     * Entities in the ranges: exact while they are few, else no less than were seen.
     *
     * @param guess what to expect of ranges too large to count
     */
    double probe(List<IndexRange> ranges, DoubleSupplier guess) {
        int probed = Math.min(ranges.size(), PROBED_RANGES_MAX);
        EntityColumn found = new EntityColumn();
        double seen = 0;
        boolean exact = true;
        for (int i = 0; i < probed; i++) {
            try (GraphView.Scan scan = view.seek(ranges.get(i))) {
                int n = scan.next(found);
                seen += n;
                exact &= n < Column.CAPACITY && scan.next(found) == 0;
            }
        }
        double all = probed == 0 ? 0 : seen * ranges.size() / probed;
        return exact ? all : Math.max(all, guess.getAsDouble());
    }
}
