package service.core.gq.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.schema.Annotation;
import service.core.text.Span;
import service.core.value.PropertyType;
import service.core.value.Value;

/** A parsed source: its settings, then queries or one statement. */
public record GqFile(
        List<Setting> settings,
        List<Query> queries,
        @Nullable StatementSyntax statement) {
    /**
     * A settings line.
     *
     * @param name null for {@code reset all}
     * @param value null for a reset
     */
    public record Setting(@Nullable String name, @Nullable Value value, Span span) {}

    /**
     * A declared parameter.
     *
     * @param fields of the records that it is a list of; empty for any other parameter
     */
    public record Parameter(
            String name,
            PropertyType type,
            boolean nullable,
            @Nullable ExpressionSyntax defaultValue,
            List<Parameter> fields,
            Span span) {}

    /**
     * A query.
     *
     * @param span from its keyword to its closing brace
     */
    public record Query(
            String name,
            List<Parameter> parameters,
            List<Annotation> annotations,
            Body body,
            Span nameSpan,
            Span span) {}

    /** The content of a query: a read or a mutation. */
    public sealed interface Body {}

    /**
     * A read.
     *
     * @param stages at least one; all but the last end with {@code with}, the last one ends with {@code return}
     * @param union what follows the first {@code return}; null for nothing
     */
    public record Read(List<Stage> stages, @Nullable Union union, Span span) implements Body {}

    /**
     * The further parts of a union and what follows the last one, which speaks of the whole.
     *
     * @param order keys that are names of columns; likewise {@code per} of the window
     */
    public record Union(List<UnionPart> parts, List<OrderKey> order, Window window) {}

    /**
     * A part after {@code union} or {@code union all}.
     *
     * @param span of the word
     */
    public record UnionPart(boolean all, List<Stage> stages, Span span) {}

    /**
     * A stage: what it matches, and the list of {@code with} or {@code return} with what follows it.
     *
     * @param match the clauses of all its match blocks; null without one
     * @param span of the keyword {@code with} or {@code return}
     */
    public record Stage(
            ClauseSyntax.@Nullable Block match,
            boolean distinct,
            List<Projection> projections,
            @Nullable ExpressionSyntax where,
            List<OrderKey> order,
            Window window,
            Span span) {
        /** A stage that adds nothing to the rows before it. */
        public static Stage empty(Span span) {
            return new Stage(null, false, List.of(), null, List.of(), new Window(null, null, List.of()), span);
        }

        /** The same list of another match. */
        public Stage withMatch(ClauseSyntax.Block other) {
            return new Stage(other, distinct, projections, where, order, window, span);
        }
    }

    /**
     * The rows of a stage that are kept.
     *
     * @param skip a literal or a {@code $parameter}, or null; likewise {@code limit}
     * @param per what {@code limit n per { … }} lists
     */
    public record Window(
            @Nullable ExpressionSyntax skip, @Nullable ExpressionSyntax limit, List<ExpressionSyntax> per) {}

    /**
     * A column of the result, or a variable of a {@code with}.
     *
     * @param alias what stands after {@code as}, without a {@code $}
     * @param column the alias, or the source text in the form of {@link ColumnName}; the name of the variable
     */
    public record Projection(
            ExpressionSyntax expression, @Nullable String alias, String column, Span span) {}

    /**
     * An expression to sort by.
     *
     * @param isDirected whether {@code asc} or {@code desc} is written
     */
    public record OrderKey(ExpressionSyntax expression, boolean descending, boolean isDirected) {}

    /**
     * A query that writes.
     *
     * @param rows the stages whose rows its statements run for, of which the last has no list; null when they run once
     * @param statements at least one
     * @param answer what it answers after the statements; null for the counts alone
     */
    public record Mutation(
            @Nullable Read rows,
            List<MutationSyntax> statements,
            @Nullable Stage answer) implements Body {}

    /** A statement of a mutation. */
    public sealed interface MutationSyntax {
        /**
         * {@code insert T { … } as $x}.
         *
         * @param as null when nothing is bound
         */
        record Insert(String type, List<ClauseSyntax.Field> fields, ExpressionSyntax.@Nullable Dollar as, Span typeSpan)
                implements MutationSyntax {}

        record Update(String type, List<ClauseSyntax.Field> fields, ExpressionSyntax predicate, Span typeSpan)
                implements MutationSyntax {}

        record Delete(String type, ExpressionSyntax predicate, Span typeSpan) implements MutationSyntax {}

        /** {@code update $x set { … }}. */
        record UpdateBound(ExpressionSyntax.Dollar variable, List<ClauseSyntax.Field> fields)
                implements MutationSyntax {}

        /** {@code delete $x, $y}. */
        record DeleteBound(List<ExpressionSyntax.Dollar> variables) implements MutationSyntax {}

        /** {@code for $x in list { … }}. */
        record ForEach(ExpressionSyntax.Dollar variable, ExpressionSyntax list, List<MutationSyntax> statements)
                implements MutationSyntax {}
    }

    /** What a statement makes of a commit. */
    public enum UndoWord {
        REVERT,
        PICK,
        RESTORE
    }

    /** A statement, which a file holds instead of queries. */
    public sealed interface StatementSyntax {
        record BranchList() implements StatementSyntax {}

        record BranchShow(String branch) implements StatementSyntax {}

        record BranchCreate(String branch, @Nullable String from) implements StatementSyntax {}

        record BranchDelete(String branch) implements StatementSyntax {}

        record BranchMerge(String source, @Nullable String target) implements StatementSyntax {}

        /**
         * Makes a commit of another one.
         *
         * @param ref the other commit
         * @param branch null for the default of a revert
         */
        record Undo(UndoWord word, String ref, @Nullable String branch) implements StatementSyntax {}

        /**
         * Shows settings.
         *
         * @param setting null for {@code all}
         */
        record Show(@Nullable String setting) implements StatementSyntax {}

        record Explain(boolean analyze, Query query) implements StatementSyntax {}
    }
}
