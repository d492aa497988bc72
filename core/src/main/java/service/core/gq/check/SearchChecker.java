package service.core.gq.check;

import java.util.List;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.ExpressionSyntax.SearchFunction;

/** Refuses the functions of search, which this build does not run. */
final class SearchChecker {
    private final QueryFindings findings;
    private final ParameterTable parameters;

    /** Whether the query has a {@code limit}, which ranking functions need. */
    private final boolean limited;

    SearchChecker(QueryFindings findings, ParameterTable parameters, boolean limited) {
        this.findings = findings;
        this.parameters = parameters;
        this.limited = limited;
    }

    /** Marks the parameters in the arguments of a search as used; the arguments are not checked. */
    private void markUsed(List<ExpressionSyntax> arguments) {
        for (ExpressionSyntax argument : arguments) {
            switch (argument) {
                case ExpressionSyntax.Dollar dollar -> parameters.use(dollar.name());
                case ExpressionSyntax.Search nested -> markUsed(nested.arguments());
                case ExpressionSyntax.Call call -> markUsed(call.arguments());
                default -> {}
            }
        }
    }

    QueryFindings.Refused refuse(ExpressionSyntax.Search syntax) {
        markUsed(syntax.arguments());
        boolean nearest = syntax.function() == SearchFunction.NEAREST;
        if (!limited && (nearest || syntax.function() == SearchFunction.RRF)) {
            findings.note(
                    nearest ? "T17" : "T21",
                    syntax.span(),
                    "`" + syntax.function().text() + "` needs a `limit`, because it ranks everything",
                    "add `limit 10`");
        }
        return findings.refuse(
                "T40",
                syntax.span(),
                "search is not available in this build",
                "`"
                        + syntax.function().text()
                        + "` is parsed but not run; `contains`, `starts_with` and `matches` are");
    }
}
