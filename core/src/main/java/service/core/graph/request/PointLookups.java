package service.core.graph.request;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.value.Direction;

/** Finds plans whose predicates each match at most one entity, by an id or a unique index. Stateless. */
public final class PointLookups {
    private PointLookups() {}

    /**
     * Whether a plan reads a bounded number of entities: a read of one entity, or a mutation whose every statement
     * inserts one or finds at most one.
     */
    public static boolean isPoint(Plan plan, Catalog catalog) {
        return switch (plan) {
            case Plan.Read read -> isPoint(read, catalog);
            case Plan.Mutation mutation ->
                mutation.rows() == null
                        && mutation.statements().stream().allMatch(statement -> isPoint(statement, catalog));
        };
    }

    private static boolean isPoint(Plan.Statement statement, Catalog catalog) {
        return switch (statement) {
            case Plan.Statement.InsertNode ignored -> true;
            case Plan.Statement.InsertEdge ignored -> true;
            case Plan.Statement.Update update -> findsOne(conjuncts(update.predicate()), update.type(), catalog);
            case Plan.Statement.Delete delete -> findsOne(conjuncts(delete.predicate()), delete.type(), catalog);
            case Plan.Statement.UpdateBound ignored -> true;
            case Plan.Statement.DeleteBound ignored -> true;
            case Plan.Statement.ForEach ignored -> false;
        };
    }

    private static List<Expression> conjuncts(@Nullable Expression predicate) {
        return switch (predicate) {
            case null -> List.of();
            case Expression.And and -> and.operands();
            default -> List.of(predicate);
        };
    }

    private static boolean isPoint(Plan.Read plan, Catalog catalog) {
        Pattern match = plan.last().match();
        return plan.union() == null
                && plan.stages().size() == 1
                && plan.variables().size() == 1
                && match.traversals().isEmpty()
                && match.blocks().isEmpty()
                && match.filters().stream().noneMatch(PointLookups::searches)
                && plan.last().ofRows().stream().noneMatch(PointLookups::searches)
                && plan.variables().getFirst().types().size() == 1
                && findsOne(match.filters(), plan.variables().getFirst().types().getFirst(), catalog);
    }

    /** Whether an expression searches: a ranking reads all texts of a type. */
    private static boolean searches(Expression expression) {
        return expression instanceof Expression.Search
                || expression.operands().stream().anyMatch(PointLookups::searches);
    }

    private static boolean findsOne(List<Expression> filters, int typeIdentity, Catalog catalog) {
        Set<Integer> fixed = new HashSet<>();
        for (Expression filter : filters) {
            if (filter instanceof Expression.Compare compare
                    && compare.operator() == Expression.ComparisonOperator.EQUAL
                    && (isFixed(compare.left(), compare.right(), typeIdentity, fixed)
                            || isFixed(compare.right(), compare.left(), typeIdentity, fixed))) {
                return true;
            }
        }
        EntityType type = catalog.requireType(typeIdentity);
        for (IndexDefinition index : type.indexes()) {
            if (index.unique() && fixed.containsAll(index.members()) && isSought(type, index)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an entity is found by the members alone; with ends among them it is found by the key. */
    private static boolean isSought(EntityType type, IndexDefinition index) {
        return !(type instanceof EntityType.EdgeType edge)
                || index.members().stream().allMatch(member -> member > 0)
                || (edge.isKey(index) && edge.hasOneLane());
    }

    /** Whether the comparison determines the entity's id; otherwise adds the property that it determines. */
    private static boolean isFixed(Expression side, Expression other, int typeIdentity, Set<Integer> fixed) {
        if (!(other instanceof Expression.Literal) && !(other instanceof Expression.Argument)) {
            return false;
        }
        if (side instanceof Expression.PropertyOf property) {
            Integer identity = property.identityByType().get(typeIdentity);
            if (identity != null) {
                fixed.add(identity);
            }
        }
        if (side instanceof Expression.EndOf end) {
            fixed.add(end.end() == Direction.OUT ? Constraint.SRC : Constraint.DST);
        }
        return side instanceof Expression.IdOf;
    }
}
