package service.core.gq.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;

/**
 * A compiled query: bound to one schema, checked, ready for the physical planner. Immutable; cached by source and
 * schema digest.
 */
public sealed interface Plan {
    String name();

    List<Parameter> parameters();

    /** Annotations such as {@code @description}, as written on the query. */
    List<Annotation> annotations();

    /**
     * A read.
     *
     * @param variables by slot, including those of inner blocks
     * @param order evaluated before the window; {@code docs/gq.md} defines the order of ties
     */
    record Read(
            String name,
            List<Parameter> parameters,
            List<Annotation> annotations,
            List<Variable> variables,
            Pattern match,
            Result result,
            List<SortKey> order,
            Window window)
            implements Plan {}

    /**
     * What a read returns of its matches.
     *
     * @param distinct whether equal rows are returned once
     * @param grouped whether an output or sort key holds an aggregate: the outputs without one are then the group key
     */
    record Result(List<Output> outputs, boolean distinct, boolean grouped) {}

    /**
     * The rows of a result that are returned.
     *
     * @param skip Int literal or argument, or null
     * @param limit Int literal or argument, or null
     */
    record Window(@Nullable Expression skip, @Nullable Expression limit) {}

    record Output(String column, Expression expression) {}

    record SortKey(Expression expression, boolean descending) {}

    record Mutation(String name, List<Parameter> parameters, List<Annotation> annotations, List<Statement> statements)
            implements Plan {}

    /** One statement of a mutation. In predicates and assignments slot 0 is the current entity. */
    sealed interface Statement {
        int type();

        record InsertNode(int type, List<Assignment> assignments) implements Statement {}

        record InsertEdge(int type, Expression from, Expression to, List<Assignment> assignments)
                implements Statement {}

        record Update(int type, List<Assignment> assignments, Expression predicate) implements Statement {}

        record Delete(int type, Expression predicate) implements Statement {}
    }

    record Assignment(int property, String name, Expression value) {}
}
