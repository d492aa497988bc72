package service.core.gq.check;

import java.util.List;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.gq.plan.Plan;
import service.core.gq.syntax.GqFile;
import service.core.schema.Catalog;
import service.core.text.Work;

/** Checks one parsed query against a schema. Stateless; any thread. */
public final class QueryChecker {
    private QueryChecker() {}

    /**
     * A checked query.
     *
     * @param plan valid only when there are no errors
     */
    public record Outcome(Plan plan, List<Diagnostic> errors, List<Diagnostic> warnings) {}

    public static Outcome check(GqFile.Query query, SourceText source, Catalog catalog, Work work) {
        QueryFindings findings = new QueryFindings(source, work);
        findings.isOfMutation = query.body() instanceof GqFile.Mutation;
        try {
            return check(query, findings, catalog);
        } catch (QueryFindings.Enough enough) {
            Plan none = new Plan.Mutation(query.name(), List.of(), query.annotations(), List.of());
            return new Outcome(none, findings.errors(), findings.warnings());
        }
    }

    private static Outcome check(GqFile.Query query, QueryFindings findings, Catalog catalog) {
        ParameterTable parameters = new ParameterTable(query.parameters(), findings);
        Plan plan = switch (query.body()) {
            case GqFile.Read read -> new ReadChecker(catalog, findings, parameters).check(query, read);
            case GqFile.Mutation mutation -> new MutationChecker(catalog, findings, parameters).check(query, mutation);
        };
        parameters.warnUnused(query.parameters(), findings);
        return new Outcome(plan, List.copyOf(findings.errors()), List.copyOf(findings.warnings()));
    }
}
