package service.core.gq.check;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.ClauseSyntax.Block;
import service.core.gq.syntax.ClauseSyntax.VariableSyntax;

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
    record StepScope(Scope scope, Scope.Variable source, Scope.Variable edge, Scope.Variable destination) {}

    /** An outer variable that this block binds again: only these of its types match. */
    record Narrowing(Scope.Variable variable, Set<Integer> types) {}

    final Block block;
    final Scope scope;
    final IdentityHashMap<VariableSyntax, Scope.Variable> variables = new IdentityHashMap<>();
    final IdentityHashMap<ClauseSyntax, BlockScope> inner = new IdentityHashMap<>();
    final List<Joined> traversals = new ArrayList<>();
    final List<Narrowing> narrowings = new ArrayList<>();

    BlockScope(Block block, Scope scope) {
        this.block = block;
        this.scope = scope;
    }

    BlockScope innerOf(ClauseSyntax clause) {
        BlockScope found = inner.get(clause);
        if (found == null) {
            throw new IllegalStateException("a block that was not declared");
        }
        return found;
    }

    Scope.@Nullable Variable variable(VariableSyntax syntax) {
        return variables.get(syntax);
    }

    static @Nullable Block blockOf(ClauseSyntax clause) {
        return switch (clause) {
            case ClauseSyntax.OptionalBlock c -> c.block();
            case ClauseSyntax.Existence c -> c.block();
            case ClauseSyntax.Measure c -> c.block();
            case ClauseSyntax.Binding ignored -> null;
            case ClauseSyntax.Traversal ignored -> null;
            case ClauseSyntax.Filter ignored -> null;
            case ClauseSyntax.Let ignored -> null;
            case ClauseSyntax.For ignored -> null;
        };
    }
}
