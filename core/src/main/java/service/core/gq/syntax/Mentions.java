package service.core.gq.syntax;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;

/** Finds the names of the variables and parameters that clauses and expressions mention, without the {@code $}. */
public final class Mentions {
    private final Set<String> names = new TreeSet<>();

    /** Whether an aggregate over the rows was met. */
    private boolean aggregate;

    private Mentions() {}

    public static Set<String> of(ClauseSyntax clause) {
        Mentions mentions = new Mentions();
        mentions.add(clause);
        return mentions.names;
    }

    public static Set<String> of(ExpressionSyntax expression) {
        Mentions mentions = new Mentions();
        mentions.add(expression);
        return mentions.names;
    }

    /** Whether an expression holds an aggregate over the rows, not over those of a block alone. */
    public static boolean holdsAggregate(ExpressionSyntax expression) {
        Mentions mentions = new Mentions();
        mentions.add(expression);
        return mentions.aggregate;
    }

    private void add(@Nullable VariableSyntax variable) {
        if (variable != null && variable.name() != null) {
            names.add(variable.name());
        }
    }

    private void add(ClauseSyntax clause) {
        switch (clause) {
            case ClauseSyntax.Binding c -> {
                add(c.variable());
                c.fields().forEach(field -> add(field.value()));
            }
            case ClauseSyntax.Traversal c -> {
                add(c.left());
                add(c.edge());
                add(c.right());
                ClauseSyntax.Step step = c.hops() == null ? null : c.hops().step();
                if (step != null) {
                    add(step.where());
                    add(step.by());
                }
            }
            case ClauseSyntax.Filter c -> add(c.expression());
            case ClauseSyntax.Let c -> add(c.value());
            case ClauseSyntax.For c -> add(c.list());
            case ClauseSyntax.OptionalBlock c -> c.block().clauses().forEach(this::add);
        }
    }

    private void add(@Nullable ExpressionSyntax expression) {
        switch (expression) {
            case null -> {}
            case ExpressionSyntax.Literal ignored -> {}
            case ExpressionSyntax.OwnMeta ignored -> {}
            case ExpressionSyntax.Word ignored -> {}
            case ExpressionSyntax.Dollar e -> names.add(e.name());
            case ExpressionSyntax.Property e -> names.add(e.subject().name());
            case ExpressionSyntax.Meta e -> names.add(e.subject().name());
            case ExpressionSyntax.ListOf e -> e.items().forEach(this::add);
            case ExpressionSyntax.Call e -> e.arguments().forEach(this::add);
            case ExpressionSyntax.Search e -> e.arguments().forEach(this::add);
            case ExpressionSyntax.Aggregate e -> {
                aggregate = true;
                add(e.operand());
                add(e.refinement().where());
                e.refinement().order().forEach(key -> add(key.expression()));
            }
            case ExpressionSyntax.BlockValue e -> {
                boolean before = aggregate;
                add(e.aggregate());
                e.block().clauses().forEach(this::add);
                aggregate = before;
            }
            case ExpressionSyntax.And e -> e.operands().forEach(this::add);
            case ExpressionSyntax.Or e -> e.operands().forEach(this::add);
            case ExpressionSyntax.Not e -> add(e.operand());
            case ExpressionSyntax.IsNull e -> add(e.operand());
            case ExpressionSyntax.Negate e -> add(e.operand());
            case ExpressionSyntax.Compare e -> add(e.left(), e.right());
            case ExpressionSyntax.TextTest e -> add(e.left(), e.right());
            case ExpressionSyntax.In e -> add(e.left(), e.list());
            case ExpressionSyntax.Arithmetic e -> add(e.left(), e.right());
            case ExpressionSyntax.Concat e -> add(e.left(), e.right());
            case ExpressionSyntax.Element e -> add(e.list(), e.index());
            case ExpressionSyntax.Slice e -> {
                add(e.list());
                add(e.from());
                add(e.to());
            }
            case ExpressionSyntax.FieldOf e -> add(e.subject());
            case ExpressionSyntax.MetaOf e -> add(e.subject());
            case ExpressionSyntax.Case e -> {
                e.whens().forEach(when -> add(when.condition(), when.result()));
                add(e.otherwise());
            }
            case ExpressionSyntax.Struct e -> e.fields().forEach(field -> add(field.value()));
            case ExpressionSyntax.Loop e -> {
                add(e.list());
                add(e.where());
                add(e.map());
            }
        }
    }

    private void add(ExpressionSyntax left, ExpressionSyntax right) {
        add(left);
        add(right);
    }
}
