package service.core.gq.check;

import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;

/** Resolves the names in an expression: to variables of a pattern, or to the one entity of a mutation. */
sealed interface Environment permits PatternEnvironment, MutationEnvironment {
    /** Resolves a {@code $name} that is not a parameter. */
    Expression variable(ExpressionSyntax.Dollar dollar);

    Expression property(ExpressionSyntax.Property property);

    Expression meta(ExpressionSyntax.Meta meta);

    Expression ownMeta(ExpressionSyntax.OwnMeta meta);

    Expression word(ExpressionSyntax.Word word);

    /** The column whose alias is written like a literal, such as {@code true}; null where there is none. */
    @Nullable
    Expression alias(String name);
}
