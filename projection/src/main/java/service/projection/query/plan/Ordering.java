package service.projection.query.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.plan.Plan;
import service.core.gq.plan.Variable;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** The first key of a TopN, when entities can be read in its order. */
sealed interface Ordering {
    /** Entities that are read for each that is needed, beyond which a scan is cheaper. */
    double READ_FOR_ONE = 16;

    /** Entities of a type from which an order saves anything. */
    double ENTITIES_MIN = 4096;

    /** The variable whose entities are read. */
    int slot();

    /** The rows that the TopN needs, as far as the query shows. */
    double needed();

    /**
     * The scan in this order.
     *
     * @param filters on the variable, which are evaluated above
     */
    Node scan(double entities, List<Expression> filters);

    /** Whether the order is worth reading entities one by one, for a type of that many entities. */
    default boolean isWorth(double entities) {
        return entities >= ENTITIES_MIN && READ_FOR_ONE * needed() < entities;
    }

    private static int most(double entities) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(ENTITIES_MIN, entities / 8));
    }

    /** Ids, which ascend. */
    record ById(int slot, int type, double needed) implements Ordering {
        @Override
        public Node scan(double entities, List<Expression> filters) {
            return IdBounds.of(slot, filters).range(slot, type, true, most(entities), entities);
        }
    }

    /**
     * A property that an index holds in order.
     *
     * @param nullable whether entities without a value are wanted, which come last
     */
    record ByProperty(
            int slot,
            int type,
            int index,
            Expression.PropertyOf key,
            boolean descending,
            boolean nullable,
            double needed)
            implements Ordering {
        @Override
        public Node scan(double entities, List<Expression> filters) {
            return new Node.OrderedScan(slot, type, index, key, descending, nullable, most(entities), entities);
        }
    }

    /** The ordering of a stage without groups; null where there is none. */
    static @Nullable Ordering of(
            Plan.Stage stage, Pattern match, Expression first, Statistics statistics, List<Variable> variables) {
        boolean ofRows = !stage.result().grouped()
                && !stage.result().distinct()
                && stage.window().limit() != null
                && stage.window().per().isEmpty();
        boolean descending = stage.order().getFirst().descending();
        double needed = new RowWindow(stage.window().skip(), stage.window().limit()).needed(Double.MAX_VALUE);
        if (ofRows && first instanceof Expression.IdOf id && !descending) {
            List<Integer> types = variables.get(id.slot()).types();
            return types.size() == 1 ? new ById(id.slot(), types.getFirst(), needed) : null;
        }
        if (!ofRows
                || !(first instanceof Expression.PropertyOf key)
                || !(key.type() instanceof PropertyType.Scalar scalar)
                || !isNumber(scalar.scalar())) {
            return null;
        }
        Variable variable = variables.get(key.slot());
        if (variable.types().size() != 1) {
            return null;
        }
        int type = variable.types().getFirst();
        Integer property = key.identityByType().get(type);
        EntityType entity = statistics.catalog().requireType(type);
        Property declared = property == null ? null : entity.property(property);
        if (property == null || declared == null) {
            return null;
        }
        boolean nullable =
                declared.nullable() && match.filters().stream().noneMatch(filter -> excludesNull(filter, key));
        if (nullable && !descending) {
            // Entities without a value would come first, and no index holds them.
            return null;
        }
        IndexDefinition index = entity.indexOver(property);
        if (index == null) {
            return null;
        }
        return new ByProperty(key.slot(), type, index.identity(), key, descending, nullable, needed);
    }

    /** Whether values of a type are numbers that an ordered scan can bisect. */
    private static boolean isNumber(ScalarType kind) {
        return switch (kind) {
            case I32, I64, U32, DATE, DATETIME -> true;
            case STRING, BOOL, U64, F32, F64, BLOB -> false;
        };
    }

    private static boolean excludesNull(Expression filter, Expression key) {
        return switch (filter) {
            case Expression.Compare compare ->
                compare.left().equals(key) || compare.right().equals(key);
            case Expression.IsNull test -> test.negated() && test.operand().equals(key);
            default -> false;
        };
    }
}
