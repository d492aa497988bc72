package service.core.gq.check;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ClauseSyntax.Block;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.text.Span;

/** A block whose variables are declared: {@link PatternDeclarer} makes it, {@link PatternBuilder} reads it. */
final class BlockScope {
    /** A traversal with the identities of its edge types, ascending; empty when the traversal was refused. */
    record Joined(
            ClauseSyntax.Traversal syntax,
            Scope.Variable left,
            Scope.@Nullable Variable edge,
            Scope.Variable right,
            Set<Integer> edgeTypes,
            @Nullable StepScope step) {}

    /** The variables of a step of a traversal. */
    record StepScope(Scope scope, Scope.Variable source, Scope.Variable edge, Scope.Variable destination) {
        /**
         * Refuses a variable of the match around a step that is not known where the match is walked: one of an optional
         * block, or a path. Does nothing outside of steps.
         *
         * @param scope in which the variable is named
         */
        static void refuseUnknown(Scope scope, Scope.Variable variable, Span span, QueryFindings findings) {
            Scope around = scope.aroundStep(variable.slot.name);
            if (around != null && around.isOptional(variable.slot.name)) {
                throw findings.refuse(
                        "T32",
                        span,
                        "`" + variable.shown()
                                + "` is bound by an optional block of this match, which a step cannot depend on",
                        "keep it by `with` and match the path after that");
            }
            if (around != null && variable.slot.facets != null) {
                throw findings.refuse(
                        "T32",
                        span,
                        "`" + variable.shown() + "` is a path of this match, which a step cannot depend on",
                        "ask for it after the match, or keep it by `with` and match again");
            }
        }
    }

    /** An outer variable that this block binds again: only these of its types match. */
    record Narrowing(Scope.Variable variable, Set<Integer> types) {}

    final Block block;
    final Scope scope;
    final IdentityHashMap<VariableSyntax, Scope.Variable> variables = new IdentityHashMap<>();
    final IdentityHashMap<Block, BlockScope> inner = new IdentityHashMap<>();
    final List<Joined> traversals = new ArrayList<>();
    final List<Narrowing> narrowings = new ArrayList<>();

    BlockScope(Block block, Scope scope) {
        this.block = block;
        this.scope = scope;
    }

    BlockScope innerOf(ClauseSyntax.OptionalBlock clause) {
        return Objects.requireNonNull(inner.get(clause.block()), "a block that was not declared");
    }

    /** The block of a value; null when its variables are not declared yet. */
    @Nullable
    BlockScope innerOf(ExpressionSyntax.BlockValue value) {
        return inner.get(value.block());
    }

    Scope.@Nullable Variable variable(VariableSyntax syntax) {
        return variables.get(syntax);
    }

    /** The blocks within a clause, in the order of the source. */
    static List<Block> blocksOf(ClauseSyntax clause) {
        return switch (clause) {
            case ClauseSyntax.OptionalBlock c -> List.of(c.block());
            case ClauseSyntax.Filter c ->
                c.blocks().stream().map(ExpressionSyntax.BlockValue::block).toList();
            case ClauseSyntax.Binding ignored -> List.of();
            case ClauseSyntax.Traversal ignored -> List.of();
            case ClauseSyntax.Given ignored -> List.of();
        };
    }
}
