package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;

/** Finds the searches of a plan, wherever they stand. */
public final class PlanSearches {
    private final List<Expression.Search> found = new ArrayList<>();

    private PlanSearches() {}

    /** Those of a read, in the order of its stages; a mutation has none. */
    public static List<Expression.Search> of(Plan plan) {
        PlanSearches searches = new PlanSearches();
        if (plan instanceof Plan.Read read) {
            read.allStages().forEach(searches::add);
        }
        return List.copyOf(searches.found);
    }

    /** The fusions of a read, in the order of its stages; a mutation has none. */
    public static List<Plan.Fusion> fusions(Plan plan) {
        List<Plan.Fusion> fusions = new ArrayList<>();
        if (plan instanceof Plan.Read read) {
            read.allStages().forEach(stage -> fusions.addAll(stage.fusions()));
        }
        return fusions;
    }

    private void add(Plan.Stage stage) {
        add(stage.match());
        stage.ofRows().forEach(this::add);
        stage.fusions().forEach(fusion -> fusion.rankings().forEach(this::add));
    }

    private void add(Pattern pattern) {
        pattern.filters().forEach(this::add);
        for (Pattern.Traversal traversal : pattern.traversals()) {
            Walk.Rule rule = traversal.walk() == null ? null : traversal.walk().rule();
            if (rule != null) {
                add(rule.where());
            }
        }
        for (Pattern.Block block : pattern.blocks()) {
            add(block.pattern());
            Expression over = block.over();
            if (over != null) {
                add(over);
            }
        }
    }

    private void add(Expression expression) {
        if (expression instanceof Expression.Search search) {
            found.add(search);
        }
        expression.operands().forEach(this::add);
    }
}
