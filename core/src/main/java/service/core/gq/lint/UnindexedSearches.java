package service.core.gq.lint;

import java.util.ArrayList;
import java.util.List;
import service.core.error.Diagnostic;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Walk;

/** Finds searches over properties without {@code @search} (L202): they read every value of the type. */
final class UnindexedSearches {
    private final List<Diagnostic> found = new ArrayList<>();

    private UnindexedSearches() {}

    static List<Diagnostic> of(Plan plan) {
        UnindexedSearches searches = new UnindexedSearches();
        if (plan instanceof Plan.Read read) {
            read.allStages().forEach(searches::add);
        }
        return List.copyOf(searches.found);
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
        if (expression instanceof Expression.Search search && !search.by().annotated()) {
            String property = search.subject() instanceof Expression.PropertyOf of ? "`" + of.name() + "`" : "that";
            Diagnostic finding = search.origin()
                    .finding(
                            "L202",
                            "`" + search.function().text() + "` reads every value of the type, because " + property
                                    + " has no `@search`",
                            "write `@search` at the property in the schema");
            if (!found.contains(finding)) {
                found.add(finding);
            }
        }
        expression.operands().forEach(this::add);
    }
}
