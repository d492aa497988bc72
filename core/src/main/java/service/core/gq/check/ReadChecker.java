package service.core.gq.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.ClauseSyntax;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;

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
        GqFile.Union written = read.union();
        boolean isLimited = written != null && written.window().limit() != null;
        findings.attempt(() -> check(read.stages(), isLimited, declarer, stages));
        Plan.Union union = written == null ? null : union(written, declarer, stages);
        return new Plan.Read(
                query.name(),
                parameters.list(),
                query.annotations(),
                declarer.variables(),
                union,
                List.copyOf(stages),
                parameters.embeddings());
    }

    /** @param stages of the first part; receives the stage that follows the union */
    private Plan.@Nullable Union union(GqFile.Union written, PatternDeclarer declarer, List<Plan.Stage> stages) {
        List<List<Plan.Stage>> parts = new ArrayList<>();
        parts.add(List.copyOf(stages));
        for (GqFile.UnionPart part : written.parts()) {
            List<Plan.Stage> more = new ArrayList<>();
            boolean isLimited = written.window().limit() != null;
            findings.attempt(() -> check(part.stages(), isLimited, declarer, more));
            parts.add(more);
        }
        Plan.Window window = window(written.window());
        if (!findings.errors().isEmpty()) {
            return null;
        }
        List<UnionChecker.Checked> checked = new ArrayList<>();
        findings.attempt(() -> checked.add(new UnionChecker(findings, declarer, written).check(parts, window)));
        if (checked.isEmpty()) {
            return null;
        }
        stages.clear();
        stages.add(checked.getFirst().whole());
        return checked.getFirst().union();
    }

    /** @param isLimited whether a limit bounds the whole of which these stages are a part */
    private void check(
            List<GqFile.Stage> written, boolean isLimited, PatternDeclarer declarer, List<Plan.Stage> stages) {
        findings.isLimited =
                isLimited || written.stream().anyMatch(stage -> stage.window().limit() != null);
        Scope scope = begin(written, declarer, stages);
        Ready last = ready(written.getLast(), scope, declarer, stages);
        stages.add(last.checker.returned(last.scope));
    }

    /** Checks all stages but the last, and returns what they leave to it. */
    private Scope begin(List<GqFile.Stage> written, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = new Scope(null);
        for (GqFile.Stage whole : written.subList(0, written.size() - 1)) {
            Ready ready = ready(whole, scope, declarer, stages);
            Scope next = new Scope(null);
            stages.addAll(ready.checker.bound(ready.scope, next));
            scope = next;
        }
        return scope;
    }

    /** The rest of a stage after its parts, and what these leave to it. */
    private record Ready(StageChecker checker, Scope scope) {}

    /** Adds the parts of a stage that end with a clause which divides its match. */
    private Ready ready(GqFile.Stage whole, Scope before, PatternDeclarer declarer, List<Plan.Stage> stages) {
        Scope scope = before;
        List<ClauseSyntax> rest = new ArrayList<>();
        for (MatchSplit.Part part : parts(whole, scope, rest)) {
            Scope next = new Scope(null);
            StageChecker stage = new StageChecker(
                    catalog, findings, parameters, declarer, whole.withMatch(part.block()), Plan.Window.OPEN);
            stages.add(stage.carried(new Leaving(findings, parameters, declarer, scope, next), part.end()));
            scope = next;
        }
        ClauseSyntax.Block match = whole.match();
        GqFile.Stage syntax =
                match == null ? whole : whole.withMatch(new ClauseSyntax.Block(List.copyOf(rest), match.span()));
        return new Ready(stage(syntax, declarer), scope);
    }

    /**
     * Checks the stages before the statements of a mutation.
     *
     * @param written all but the last end with {@code with}, and the last one has no list
     * @param declarer numbers the variables of the stages
     * @return null after a finding
     */
    @Nullable
    StatementRows rows(List<GqFile.Stage> written, PatternDeclarer declarer) {
        List<StatementRows> rows = new ArrayList<>();
        findings.attempt(() -> {
            List<Plan.Stage> stages = new ArrayList<>();
            Scope scope = begin(written, declarer, stages);
            GqFile.Stage last = written.getLast();
            boolean isOrdered = last.match() == null && !stages.isEmpty();
            List<Plan.SortKey> order = isOrdered ? stages.getLast().order() : List.of();
            Ready ready = ready(last, scope, declarer, stages);
            rows.add(ready.checker.rows(ready.scope, stages, order));
        });
        return rows.isEmpty() ? null : rows.getFirst();
    }

    /** Checks what follows the statements of a mutation, over their variables. */
    Plan.Stage answer(GqFile.Stage written, Scope variables) {
        return stage(written, new PatternDeclarer(catalog, findings, parameters))
                .returned(variables);
    }

    private StageChecker stage(GqFile.Stage syntax, PatternDeclarer declarer) {
        return new StageChecker(catalog, findings, parameters, declarer, syntax, window(syntax.window()));
    }

    /** The parts of a stage's match that end with a clause which divides it. */
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
        CountChecker counts = new CountChecker(findings, parameters);
        return new Plan.Window(counts.count(window.skip(), "skip"), counts.count(window.limit(), "limit"), List.of());
    }
}
