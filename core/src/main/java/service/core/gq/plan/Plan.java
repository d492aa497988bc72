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
     * @param variables by slot, of all stages, including those of inner blocks
     * @param stages at least one; the rows of each are the input of the next, those of the last are the answer
     */
    record Read(
            String name,
            List<Parameter> parameters,
            List<Annotation> annotations,
            List<Variable> variables,
            List<Stage> stages)
            implements Plan {
        /** The stage whose rows are the answer. */
        public Stage last() {
            return stages.getLast();
        }

        /** What the read answers. */
        public Result result() {
            return last().result();
        }
    }

    /**
     * A stage of a read: it extends each row of the stage before, or the one row without variables that the first stage
     * begins with, by the matches of a pattern, and makes rows of these. The conditions, the order and the window apply
     * to the rows made, in this order. After a {@code with}, conditions and sort keys read the slots of its outputs;
     * after {@code return} they read the variables of the match, or outputs.
     *
     * @param match what it adds to the rows of the stage before; its blocks and filters may use their variables
     * @param where a conjunction; each is Bool
     * @param order {@code docs/gq.md} defines the order of ties
     */
    record Stage(Pattern match, Result result, List<Expression> where, List<SortKey> order, Window window) {}

    /**
     * The rows that a stage makes of its matches.
     *
     * @param distinct whether equal rows are made once
     * @param grouped whether an output, a condition or a sort key holds an aggregate: the outputs without one are then
     *     the group key
     */
    record Result(List<Output> outputs, boolean distinct, boolean grouped) {}

    /**
     * The rows of a result that are kept.
     *
     * @param skip Int literal or argument, or null
     * @param limit Int literal or argument, or null
     * @param per values by which rows are divided into groups; skip and limit count in each group. Empty for one group
     */
    record Window(@Nullable Expression skip, @Nullable Expression limit, List<Expression> per) {
        /** Whether all rows are kept. */
        public boolean isOpen() {
            return skip == null && limit == null;
        }
    }

    /**
     * A value of the rows that a stage makes.
     *
     * @param column the name of the column, or of the variable of a {@code with}
     * @param slot of the variable that a {@code with} binds; −1 in {@code return}
     * @param isEach whether the variable takes each item of a list in turn, in a row of its own
     */
    record Output(String column, Expression expression, int slot, boolean isEach) {
        /** A column of {@code return}. */
        public Output(String column, Expression expression) {
            this(column, expression, -1);
        }

        /** A value as it is. */
        public Output(String column, Expression expression, int slot) {
            this(column, expression, slot, false);
        }
    }

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
