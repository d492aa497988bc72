package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Pattern;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.value.PropertyType;
import service.core.value.ValueType;

/**
 * The blocks that are values over the rows of one pattern, such as {@code count { … }}: each binds a slot, which its
 * expression reads. Blocks with the same text are one.
 */
final class BlockValues {
    private final PatternBuilder builder;
    private final PatternDeclarer declarer;
    private final Scope scope;
    private final QueryFindings findings;
    private final Map<String, Expression.ValueOf> known = new HashMap<>();
    private final List<Pattern.Block.Value> blocks = new ArrayList<>();

    /** @param scope what the blocks see outside of themselves */
    BlockValues(PatternBuilder builder, PatternDeclarer declarer, Scope scope, QueryFindings findings) {
        this.builder = builder;
        this.declarer = declarer;
        this.scope = scope;
        this.findings = findings;
    }

    List<Pattern.Block.Value> blocks() {
        return blocks;
    }

    /** The pattern with the blocks found so far. */
    Pattern with(Pattern pattern) {
        List<Pattern.Block> all = new ArrayList<>(pattern.blocks());
        all.addAll(blocks);
        return pattern.with(all);
    }

    /**
     * The value of a block.
     *
     * @param declared the block with its variables; null when they are to be declared now
     * @param guard says in which rows the value is chosen: in others the block has no match, so that nothing in it
     *     fails; null for all rows. It may read the values of blocks before this one
     */
    Expression.ValueOf of(
            ExpressionSyntax.BlockValue syntax, @Nullable BlockScope declared, @Nullable ChoiceGuard guard) {
        Expression chosen = guard == null ? null : guard.expression();
        String unguarded = text(syntax);
        String key = chosen == null ? unguarded : unguarded + chosen;
        Expression.ValueOf one = known.getOrDefault(unguarded, known.get(key));
        if (one != null) {
            return one;
        }
        PatternBuilder.Built built = builder.buildWithin(builder.open(syntax.block(), declared, scope), syntax);
        Expression.Aggregate aggregate = built.aggregate();
        ValueType type = aggregate == null ? PropertyType.BOOL : aggregate.type();
        Scope.Slot slot = Scope.Slot.of("#" + shown(syntax), type, syntax.span().start());
        declarer.add(slot);
        blocks.add(new Pattern.Block.Value(
                chosen == null ? built.pattern() : built.pattern().guardedBy(chosen), aggregate, slot.number));
        Expression.ValueOf value = new Expression.ValueOf(slot.number, type);
        known.put(key, value);
        return value;
    }

    private String text(ExpressionSyntax.BlockValue syntax) {
        ExpressionSyntax.Aggregate aggregate = syntax.aggregate();
        return (aggregate == null ? String.valueOf(syntax.exists()) : findings.whole(aggregate.span()))
                + findings.whole(syntax.block().span());
    }

    /** The name of its variable, which shows no constant of the query. */
    private static String shown(ExpressionSyntax.BlockValue syntax) {
        ExpressionSyntax.Aggregate aggregate = syntax.aggregate();
        if (aggregate == null) {
            return syntax.exists() ? "exists { … }" : "count { … }";
        }
        return aggregate.function().name().toLowerCase(Locale.ROOT) + "(…) { … }";
    }
}
