package service.core.gq.lint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.Property;
import service.core.schema.syntax.SchemaParser;
import service.core.schema.syntax.SyntaxTree;
import service.core.text.Findings;

/**
 * Finds the nullable properties that no {@code update} sets (one L201 for each type), of the types that some
 * {@code update} sets another property of: no query of the set can change such a property after it became null. The
 * findings point into the schema.
 */
final class UnsetProperties {
    private final Catalog catalog;
    private final SourceText schema;
    private final SyntaxTree tree;

    UnsetProperties(Catalog catalog) {
        this.catalog = catalog;
        this.schema = new SourceText(catalog.source());
        this.tree = SchemaParser.parse(catalog.source(), new Findings(SchemaParser.FINDINGS_MAX));
    }

    List<Diagnostic> find(List<Plan> plans) {
        Set<Integer> set = new HashSet<>();
        Set<Integer> updated = new HashSet<>();
        for (Plan plan : plans) {
            if (plan instanceof Plan.Mutation mutation) {
                mutation.statements().forEach(statement -> collect(statement, updated, set));
            }
        }
        List<Diagnostic> findings = new ArrayList<>();
        for (SyntaxTree.Declaration declaration : tree.declarations()) {
            EntityType type = typeOf(declaration);
            if (type == null || !updated.contains(type.identity())) {
                continue;
            }
            List<Property> unset = type.properties().stream()
                    .filter(property -> property.nullable() && !set.contains(property.identity()))
                    .toList();
            if (!unset.isEmpty()) {
                findings.add(finding(declaration, type, unset));
            }
        }
        return List.copyOf(findings);
    }

    private static void collect(Plan.Statement statement, Set<Integer> updated, Set<Integer> set) {
        switch (statement) {
            case Plan.Statement.Update update -> collect(update.type(), update.assignments(), updated, set);
            case Plan.Statement.UpdateBound update ->
                update.assignments().forEach((type, assignments) -> collect(type, assignments, updated, set));
            case Plan.Statement.InsertNode ignored -> {}
            case Plan.Statement.InsertEdge ignored -> {}
            case Plan.Statement.Delete ignored -> {}
            case Plan.Statement.DeleteBound ignored -> {}
            case Plan.Statement.ForEach each -> each.statements().forEach(inner -> collect(inner, updated, set));
        }
    }

    private static void collect(int type, List<Plan.Assignment> assignments, Set<Integer> updated, Set<Integer> set) {
        updated.add(type);
        assignments.forEach(assignment -> set.add(assignment.property()));
    }

    private @Nullable EntityType typeOf(SyntaxTree.Declaration declaration) {
        return switch (declaration) {
            case SyntaxTree.InterfaceNode ignored -> null;
            case SyntaxTree.NodeNode node -> catalog.node(node.name().text());
            case SyntaxTree.EdgeNode edge -> catalog.edge(edge.name().text());
        };
    }

    /** One finding for all of them: they would hide the other findings. */
    private Diagnostic finding(SyntaxTree.Declaration declaration, EntityType type, List<Property> unset) {
        String first = unset.getFirst().name();
        String more = unset.size() == 1
                ? ""
                : ", nor "
                        + unset.stream()
                                .skip(1)
                                .map(property -> "`" + property.name() + "`")
                                .collect(Collectors.joining(", "));
        return schema.at(
                placeOf(declaration, first),
                "L201",
                "no update query sets `" + type.name() + "." + first + "`, which may be null" + more,
                "write `update " + type.name() + " set { " + first + ": … } where …`, or make it required");
    }

    /** The position of the property's declaration; for a property of an interface, the position of the type's name. */
    private static int placeOf(SyntaxTree.Declaration declaration, String property) {
        for (SyntaxTree.PropertyNode declared : declaration.properties()) {
            if (declared.name().text().equals(property)) {
                return declared.name().at();
            }
        }
        return declaration.name().at();
    }
}
