package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.function.Family;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ClauseSyntax;
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

    private static final Plan.Window OPEN = new Plan.Window(null, null, List.of());

    Plan.Read check(GqFile.Query query, GqFile.Read read) {
        PatternDeclarer declarer = new PatternDeclarer(catalog, findings, parameters);
        List<Plan.Stage> stages = new ArrayList<>();
        findings.attempt(() -> check(read, declarer, stages));
        return new Plan.Read(
                query.name(), parameters.list(), query.annotations(), declarer.variables(), List.copyOf(stages));
    }

    private void check(GqFile.Read read, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = begin(read, declarer, stages);
        Ready last = ready(read.stages().getLast(), scope, declarer, stages);
        stages.add(last.checker.returned(declarer, last.scope));
    }

    /** Checks all stages but the last, and returns what they leave to it. */
    private Scope begin(GqFile.Read read, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = new Scope(null);
        for (GqFile.Stage whole : read.stages().subList(0, read.stages().size() - 1)) {
            Ready ready = ready(whole, scope, declarer, stages);
            Scope next = new Scope(null);
            stages.add(ready.checker.bound(declarer, ready.scope, next));
            scope = next;
        }
        return scope;
    }

    /** The rest of a stage behind its parts, and what these leave to it. */
    private record Ready(StageChecker checker, Scope scope) {}

    /** Adds the parts of a stage that end with a {@code let} or a {@code for}. */
    private Ready ready(GqFile.Stage whole, Scope before, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = before;
        List<ClauseSyntax> rest = new ArrayList<>();
        for (MatchSplit.Part part : parts(whole, scope, rest)) {
            Scope next = new Scope(null);
            StageChecker stage = new StageChecker(catalog, findings, parameters, whole.withMatch(part.block()), OPEN);
            stages.add(stage.carried(declarer, new StageChecker.Leaving(scope, next, declarer), part.given()));
            scope = next;
        }
        ClauseSyntax.Block match = whole.match();
        GqFile.Stage syntax =
                match == null ? whole : whole.withMatch(new ClauseSyntax.Block(List.copyOf(rest), match.span()));
        return new Ready(stage(syntax), scope);
    }

    /**
     * Checks the stages before the statements of a mutation. The outputs of the plan are their variables, and its rows
     * are in the order in which the statements run.
     *
     * @param into receives the variables of the last stage, in the order of the outputs
     */
    Plan.Read rows(GqFile.Query query, GqFile.Read read, List<Scope.Variable> into) {
        PatternDeclarer declarer = new PatternDeclarer(catalog, findings, parameters);
        List<Plan.Stage> stages = new ArrayList<>();
        findings.attempt(() -> {
            Scope scope = begin(read, declarer, stages);
            GqFile.Stage last = read.stages().getLast();
            boolean isOrdered = last.match() == null && !stages.isEmpty();
            List<Plan.SortKey> order = isOrdered ? stages.getLast().order() : List.of();
            Ready ready = ready(last, scope, declarer, stages);
            stages.add(ready.checker.rows(declarer, ready.scope, order));
            ready.scope.visible().values().stream()
                    .filter(StageChecker::isNamed)
                    .forEach(into::add);
        });
        return new Plan.Read(
                query.name(), parameters.list(), query.annotations(), declarer.variables(), List.copyOf(stages));
    }

    /** Checks what follows the statements of a mutation, over their variables. */
    Plan.Stage answer(GqFile.Stage written, Scope variables) {
        return stage(written).returned(new PatternDeclarer(catalog, findings, parameters), variables);
    }

    private StageChecker stage(GqFile.Stage syntax) {
        return new StageChecker(catalog, findings, parameters, syntax, window(syntax.window()));
    }

    /** The parts of a stage's match that end with a {@code let} or a {@code for}. */
    private List<MatchSplit.Part> parts(GqFile.Stage stage, Scope scope, List<ClauseSyntax> rest) {
        ClauseSyntax.Block match = stage.match();
        if (match == null) {
            return List.of();
        }
        Set<String> bound = new HashSet<>(scope.visible().keySet());
        bound.addAll(parameters.names());
        return MatchSplit.of(findings, match, bound, rest);
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
