package service.core.gq.plan;

import java.util.List;
import java.util.stream.Collectors;
import service.core.schema.Catalog;

/** The statements of a mutation as operators, without a constant of its text. */
public final class MutationOutline {
    private MutationOutline() {}

    /** A line for each statement. */
    public static List<String> of(Plan.Mutation plan, Catalog catalog) {
        return plan.statements().stream()
                .map(statement -> of(statement, catalog))
                .toList();
    }

    private static String of(Plan.Statement statement, Catalog catalog) {
        String type = statement.types().stream()
                .map(each -> catalog.requireType(each).name())
                .distinct()
                .collect(Collectors.joining(", "));
        return switch (statement) {
            case Plan.Statement.InsertNode insert -> "InsertNode " + type + names(insert.assignments());
            case Plan.Statement.InsertEdge insert -> "InsertEdge " + type + names(insert.assignments());
            case Plan.Statement.Update update -> "Update " + type + names(update.assignments());
            case Plan.Statement.Delete ignored -> "Delete " + type;
            case Plan.Statement.UpdateBound update ->
                "Update $" + update.variable().name() + ": " + type
                        + update.assignments().values().stream()
                                .findFirst()
                                .map(MutationOutline::names)
                                .orElse("");
            case Plan.Statement.DeleteBound delete ->
                "Delete "
                        + delete.variables().stream()
                                .map(variable -> "$" + variable.name())
                                .collect(Collectors.joining(", "));
            case Plan.Statement.ForEach each ->
                each.statements().stream()
                        .map(inner -> of(inner, catalog))
                        .collect(Collectors.joining("; ", "For { ", " }"));
        };
    }

    private static String names(List<Plan.Assignment> assignments) {
        return assignments.stream().map(Plan.Assignment::name).collect(Collectors.joining(", ", " (", ")"));
    }
}
