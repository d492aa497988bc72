package service.core.gq.lint;

import java.util.List;
import service.core.error.Diagnostic;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.plan.PlanSearches;

/** Finds searches over properties without {@code @search} (L202): they read every value of the type. */
final class UnindexedSearches {
    private UnindexedSearches() {}

    static List<Diagnostic> of(Plan plan) {
        return PlanSearches.of(plan).stream()
                .filter(search -> !search.by().annotated())
                .map(UnindexedSearches::finding)
                .distinct()
                .toList();
    }

    private static Diagnostic finding(Expression.Search search) {
        String property = search.subject() instanceof Expression.PropertyOf of ? "`" + of.name() + "`" : "that";
        return search.origin()
                .finding(
                        "L202",
                        "`" + search.function().text() + "` reads every value of the type, because " + property
                                + " has no `@search`",
                        "write `@search` at the property in the schema");
    }
}
