package service.core.gq.check;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ExpressionSyntax;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Checks a read, stage by stage: what a stage leaves is what the next one sees. */
final class ReadChecker {
    private final Catalog catalog;
    private final QueryFindings findings;
    private final ParameterTable parameters;

    ReadChecker(Catalog catalog, QueryFindings findings, ParameterTable parameters) {
        this.catalog = catalog;
        this.findings = findings;
        this.parameters = parameters;
    }

    Plan.Read check(GqFile.Query query, GqFile.Read read) {
        PatternDeclarer declarer = new PatternDeclarer(catalog, findings, parameters);
        List<Plan.Stage> stages = new ArrayList<>();
        findings.attempt(() -> check(read, declarer, stages));
        return new Plan.Read(
                query.name(), parameters.list(), query.annotations(), declarer.variables(), List.copyOf(stages));
    }

    private void check(GqFile.Read read, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = new Scope(null);
        for (GqFile.Stage syntax : read.stages()) {
            StageChecker stage = new StageChecker(catalog, findings, parameters, syntax, window(syntax.window()));
            boolean isLast = stages.size() == read.stages().size() - 1;
            if (isLast) {
                stages.add(stage.returned(declarer, scope));
            } else {
                Scope next = new Scope(null);
                stages.add(stage.bound(declarer, scope, next));
                scope = next;
            }
        }
    }

    /** The window of a stage, without what {@code per} lists. */
    private Plan.Window window(GqFile.Window window) {
        return new Plan.Window(count(window.skip(), "skip"), count(window.limit(), "limit"), List.of());
    }

    private @Nullable Expression count(@Nullable ExpressionSyntax syntax, String what) {
        if (syntax == null) {
            return null;
        }
        return switch (syntax) {
            case ExpressionSyntax.Literal literal
            when literal.value() instanceof Value.Int -> {
                yield new Expression.Literal(literal.value(), PropertyType.I64);
            }
            case ExpressionSyntax.Dollar dollar -> {
                Expression.Argument argument = parameters.use(dollar.name());
                if (argument == null) {
                    findings.note(
                            "T6",
                            dollar.span(),
                            "`$" + dollar.name() + "` after `" + what + "` is not a parameter",
                            "declare it: `$" + dollar.name() + ": I64`");
                    yield null;
                }
                if (argument.family() == Family.NUMBER && Family.isInteger(argument.type())) {
                    yield argument;
                }
                findings.note(
                        "T4",
                        dollar.span(),
                        "`" + what + "` takes an integer, but `$" + dollar.name() + "` is " + argument.type(),
                        null);
                yield null;
            }
            default -> {
                findings.note(
                        "T4",
                        syntax.span(),
                        "`" + what + "` takes an integer from 0 to 9223372036854775807 or an integer parameter",
                        null);
                yield null;
            }
        };
    }
}
