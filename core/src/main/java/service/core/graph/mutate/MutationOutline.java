package service.core.graph.mutate;

import java.util.List;
import java.util.stream.Collectors;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;

/** The statements of a mutation as operators, without a constant of its text. */
final class MutationOutline {
    private MutationOutline() {}

    static List<String> of(Plan.Mutation plan, Catalog catalog) {
        return plan.statements().stream()
                .map(statement ->
                        of(statement, catalog.requireType(statement.type()).name()))
                .toList();
    }

    private static String of(Plan.Statement statement, String type) {
        return switch (statement) {
            case Plan.Statement.InsertNode insert -> "InsertNode " + type + names(insert.assignments());
            case Plan.Statement.InsertEdge insert -> "InsertEdge " + type + names(insert.assignments());
            case Plan.Statement.Update update -> "Update " + type + names(update.assignments());
            case Plan.Statement.Delete ignored -> "Delete " + type;
        };
    }

    private static String names(List<Plan.Assignment> assignments) {
        return assignments.stream().map(Plan.Assignment::name).collect(Collectors.joining(", ", " (", ")"));
    }
}
