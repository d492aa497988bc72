package service.core.gq.check;

import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;

/** What the names in an expression stand for: variables of a pattern, or the one entity of a mutation. */
sealed interface Environment permits PatternEnvironment, MutationEnvironment {
    /** {@code $name} that is no parameter. */
    Expression variable(ExpressionSyntax.Dollar dollar);

    Expression property(ExpressionSyntax.Property property);

    Expression meta(ExpressionSyntax.Meta meta);

    Expression ownMeta(ExpressionSyntax.OwnMeta meta);

    Expression word(ExpressionSyntax.Word word);
}
