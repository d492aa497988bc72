package service.core.graph.request;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;

/**
 * Remembers which sources cost so little that handing them to another thread would cost more: reads of at most one
 * entity by a unique index, and mutations, which only wait in the writer's queue, once their source was compiled. What
 * is not remembered is not brief. A door may run a brief call on its I/O thread.
 */
public final class BriefCalls {
    private static final int SOURCES_MAX = 1_000;

    private record Call(String source, @Nullable String name) {}

    private final Cache<Call, Boolean> known =
            Caffeine.newBuilder().maximumSize(SOURCES_MAX).build();

    public boolean isBrief(String source, @Nullable String name) {
        return Boolean.TRUE.equals(known.getIfPresent(new Call(source, name)));
    }

    /** Takes note of a source that was compiled just now. */
    public void compiled(String source, @Nullable String name, Plan plan, Catalog catalog) {
        Call call = new Call(source, name);
        if (known.getIfPresent(call) == null) {
            known.put(
                    call,
                    switch (plan) {
                        case Plan.Read read -> findsOne(read, catalog);
                        case Plan.Mutation mutation -> true;
                    });
        }
    }

    private static boolean findsOne(Plan.Read plan, Catalog catalog) {
        Pattern match = plan.match();
        if (plan.variables().size() != 1
                || !match.traversals().isEmpty()
                || !match.blocks().isEmpty()
                || plan.variables().getFirst().types().size() != 1) {
            return false;
        }
        int typeIdentity = plan.variables().getFirst().types().getFirst();
        Set<Integer> fixed = new HashSet<>();
        for (Expression filter : match.filters()) {
            if (filter instanceof Expression.Compare compare
                    && compare.operator() == Expression.ComparisonOperator.EQUAL) {
                if (isFixed(compare.left(), compare.right(), typeIdentity, fixed)
                        || isFixed(compare.right(), compare.left(), typeIdentity, fixed)) {
                    return true;
                }
            }
        }
        EntityType type = catalog.requireType(typeIdentity);
        for (IndexDefinition index : type.indexes()) {
            if (index.unique() && fixed.containsAll(index.members())) {
                return true;
            }
        }
        return false;
    }

    /** Whether the comparison gives the entity's id; adds the property that it gives instead. */
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
        return side instanceof Expression.IdOf;
    }
}
