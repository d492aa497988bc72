package service.core.gq.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;
import service.core.value.ValueType;

/** Resolves the names in an expression: to variables of a pattern, or to the one entity of a mutation. */
sealed interface Environment permits PatternEnvironment, MutationEnvironment {
    /** Resolves a {@code $name} that is not a parameter. */
    Expression variable(ExpressionSyntax.Dollar dollar);

    /** What a function asks of a path that the match binds; null for any other call. */
    default @Nullable Expression ofPath(ExpressionSyntax.Call call) {
        return null;
    }

    /** The ids of the entities of a row, in the order in which they are named first. */
    default List<Expression> rowIds() {
        return List.of();
    }

    Expression property(ExpressionSyntax.Property property);

    Expression meta(ExpressionSyntax.Meta meta);

    Expression ownMeta(ExpressionSyntax.OwnMeta meta);

    Expression word(ExpressionSyntax.Word word);

    /**
     * A block that stands as a value.
     *
     * @param guard says in which rows its value is chosen; null for all
     */
    Expression block(ExpressionSyntax.BlockValue block, @Nullable ChoiceGuard guard);

    /** The column whose alias is written like a literal, such as {@code true}; null where there is none. */
    @Nullable
    Expression alias(String name);

    /** The value that a variable is bound to; null for a variable of an entity and for an unknown name. */
    @Nullable
    Expression value(String variable);

    /** Whether a name is that of a variable which a {@code with} has made of a ranking. */
    default boolean isRanking(String variable) {
        return false;
    }

    /** Whether a name is that of a variable. */
    boolean isVariable(String name);

    /**
     * A property of an entity that is in no slot. The slot of the result means nothing.
     *
     * @param text the expression that gives the entity, as written
     */
    Expression.PropertyOf propertyOf(ValueType.Entity entity, String text, String name, Span nameSpan);
}
