package service.core.gq.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;
import service.core.value.PropertyType;

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
     * @param union what the first stage begins with, in place of one row without variables; null for that row
     * @param stages at least one; the rows of each are the input of the next, those of the last are the answer
     * @param embeddings the texts whose vectors are arguments, which follow those of the parameters
     */
    record Read(
            String name,
            List<Parameter> parameters,
            List<Annotation> annotations,
            List<Variable> variables,
            @Nullable Union union,
            List<Stage> stages,
            List<Embedding> embeddings)
            implements Plan {
        /** A read whose vectors are all given. */
        public Read(
                String name,
                List<Parameter> parameters,
                List<Annotation> annotations,
                List<Variable> variables,
                @Nullable Union union,
                List<Stage> stages) {
            this(name, parameters, annotations, variables, union, stages, List.of());
        }

        /** A read without a union. */
        public Read(
                String name,
                List<Parameter> parameters,
                List<Annotation> annotations,
                List<Variable> variables,
                List<Stage> stages) {
            this(name, parameters, annotations, variables, null, stages);
        }

        /** The stages of the parts of a union, part by part, then those that follow. */
        public List<Stage> allStages() {
            if (union == null) {
                return stages;
            }
            List<Stage> all = new ArrayList<>();
            union.parts.forEach(part -> all.addAll(part.stages));
            all.addAll(stages);
            return all;
        }

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
     * A text that is searched for among vectors. Its vector is the argument that follows those of the parameters and of
     * the embeddings before it.
     *
     * @param text a literal or an argument
     * @param model that the vectors were made with, where the schema records one
     * @param type of the vector
     */
    record Embedding(Expression text, @Nullable String model, PropertyType.VectorOf type, Expression.Origin origin) {}

    /**
     * {@code rrf}: rankings of the entities of one variable, fused. Every entity that occurs in the match of the stage
     * has a score.
     *
     * @param slot that receives the score, an F64
     * @param rankings two to eight, over properties of the same slot
     * @param k Int literal or argument
     */
    record Fusion(int slot, List<Expression.Search> rankings, Expression k, Expression.Origin origin) {}

    /**
     * The rows of several parts, one after the other.
     *
     * @param distinct the number of first parts whose rows are made once, all together; 0 for none
     * @param slots of the columns, in order
     */
    record Union(List<Part> parts, int distinct, List<Integer> slots) {}

    /**
     * A part of a union.
     *
     * @param stages at least one; the last one is a {@code return} whose outputs bind slots
     * @param columns over these slots: what the slots of the union take, each in the type of its column
     */
    record Part(List<Stage> stages, List<Expression> columns) {}

    /**
     * A stage of a read: it extends each row of the stage before, or the one row without variables that the first stage
     * begins with, by the matches of a pattern, and makes rows of these. The conditions, the order and the window apply
     * to the rows made, in this order. After a {@code with}, conditions and sort keys read the slots of its outputs;
     * after {@code return} they read the variables of the match, or outputs.
     *
     * @param match what it adds to the rows of the stage before; its blocks and filters may use their variables
     * @param where a conjunction; each is Bool
     * @param order {@code docs/gq.md} defines the order of ties
     * @param fusions over the rows of the match before the conditions; after a {@code with} over what it leaves
     */
    record Stage(
            Pattern match,
            Result result,
            List<Expression> where,
            List<SortKey> order,
            Window window,
            List<Fusion> fusions) {
        /** A stage that fuses no rankings. */
        public Stage(Pattern match, Result result, List<Expression> where, List<SortKey> order, Window window) {
            this(match, result, where, order, window, List.of());
        }

        /**
         * What is evaluated for the rows that it makes: outputs, conditions, sort keys and the groups of the window.
         */
        public List<Expression> ofRows() {
            List<Expression> all = new ArrayList<>();
            result.outputs.forEach(output -> all.add(output.expression));
            all.addAll(where);
            order.forEach(key -> all.add(key.expression));
            all.addAll(window.per);
            return all;
        }
    }

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
        /** Keeps all rows. */
        public static final Window OPEN = new Window(null, null, List.of());

        /** Whether all rows are kept. */
        public boolean isOpen() {
            return skip == null && limit == null;
        }
    }

    /**
     * A value of the rows that a stage makes.
     *
     * @param column the name of the column, or of the variable of a {@code with}
     * @param slot of the variable that a {@code with} or a part of a union binds; −1 in the {@code return} of an answer
     * @param isEach whether the value is a list that makes a row for each of its items, in which the variable is bound
     *     to that item
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

    /**
     * A query that writes.
     *
     * <p>Its statements run for the rows of a read, or once where there is none. Each runs for all rows before the next
     * one begins, and each of its rows sees the state before the statement.
     *
     * @param variables of the statements, by slot. Slot 0 is the entity that a predicate is asked about; of the others,
     *     the first one with the name of an output of {@code rows} is that output, and statements bind the rest
     * @param rows the read of the state before the first statement, whose outputs are variables; or null
     * @param answer what it answers over the variables as they are after the last statement: a read of one stage
     *     without a match, in which a bare entity is a column or is counted; or null
     */
    record Mutation(
            String name,
            List<Parameter> parameters,
            List<Annotation> annotations,
            List<Variable> variables,
            @Nullable Read rows,
            List<Statement> statements,
            @Nullable Read answer)
            implements Plan {
        /** Whether it tells its caller what the branch holds, or writes what depends on it. */
        public boolean reads() {
            return rows != null || answer != null;
        }

        /** A mutation whose statements run once. */
        public Mutation(
                String name, List<Parameter> parameters, List<Annotation> annotations, List<Statement> statements) {
            this(name, parameters, annotations, List.of(), null, statements, null);
        }
    }

    /**
     * One statement of a mutation.
     *
     * <p>In the assignments of an {@code Update} slot 0 is the current entity, as in its predicate; the others read the
     * variables of the current row.
     */
    sealed interface Statement {
        /** The types that it writes, not counting the edges that go with a node. */
        default List<Integer> types() {
            return switch (this) {
                case InsertNode insert -> List.of(insert.type());
                case InsertEdge insert -> List.of(insert.type());
                case Update update -> List.of(update.type());
                case Delete delete -> List.of(delete.type());
                case UpdateBound update -> List.copyOf(update.assignments().keySet());
                case DeleteBound delete ->
                    delete.variables().stream()
                            .flatMap(variable -> variable.types().stream())
                            .toList();
                case ForEach each ->
                    each.statements().stream()
                            .flatMap(statement -> statement.types().stream())
                            .toList();
            };
        }

        /**
         * Inserts a node a row.
         *
         * @param slot of the variable that it binds, or −1
         */
        record InsertNode(int type, List<Assignment> assignments, int slot, Expression.@Nullable Origin origin)
                implements Statement {
            /** An insert that binds nothing and runs for one row. */
            public InsertNode(int type, List<Assignment> assignments) {
                this(type, assignments, -1, null);
            }
        }

        /**
         * Inserts an edge a row.
         *
         * @param from the id of the node, or a bare variable; likewise {@code to}
         * @param slot of the variable that it binds, or −1
         */
        record InsertEdge(
                int type,
                Expression from,
                Expression to,
                List<Assignment> assignments,
                int slot,
                Expression.@Nullable Origin origin)
                implements Statement {
            /** An insert that binds nothing and runs for one row. */
            public InsertEdge(int type, Expression from, Expression to, List<Assignment> assignments) {
                this(type, from, to, assignments, -1, null);
            }
        }

        /** Changes the entities for which the predicate is true. */
        record Update(int type, List<Assignment> assignments, Expression predicate) implements Statement {}

        /** Deletes the entities for which the predicate is true. */
        record Delete(int type, Expression predicate) implements Statement {}

        /**
         * Changes the entity of a variable in each row.
         *
         * @param assignments by the type of the entity
         */
        record UpdateBound(Variable variable, Map<Integer, List<Assignment>> assignments, Expression.Origin origin)
                implements Statement {}

        /** Deletes the entities of variables in each row. */
        record DeleteBound(List<Variable> variables) implements Statement {}

        /**
         * Runs statements for the rows extended by the elements of a list: a row for each element. They hold no
         * {@code Update} and no {@code Delete}.
         *
         * @param list gives the elements of a row; null gives none
         * @param records whether elements are records, with a variable for each field; else one variable is the element
         */
        record ForEach(Expression list, boolean records, List<Variable> variables, List<Statement> statements)
                implements Statement {}
    }

    record Assignment(int property, String name, Expression value) {}
}
