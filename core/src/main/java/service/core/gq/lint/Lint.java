package service.core.gq.lint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import service.core.error.Diagnostic;
import service.core.gq.GqCompiler;
import service.core.gq.GqCompiler.Inspection;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.SchemaWarnings;
import service.core.text.Work;

/**
 * Checks query files against a schema without running them: the findings of each file, the types and columns that each
 * query reads, writes and returns, and the properties that no query updates.
 */
public final class Lint {
    private Lint() {}

    /**
     * The outcome.
     *
     * @param queryFindings by file, in the order given: errors before warnings
     * @param schemaFindings warnings that point into the schema
     * @param queries the queries without an error, in the order of the files
     */
    public record Report(
            Map<String, List<Diagnostic>> queryFindings,
            List<Diagnostic> schemaFindings,
            List<QueryFootprint> queries) {}

    /**
     * The outcome for one source.
     *
     * @param findings errors before warnings
     * @param queries those without an error, in their order
     */
    public record Checked(List<Diagnostic> findings, List<QueryFootprint> queries) {}

    /**
     * Checks one source on behalf of a request.
     *
     * @param work told of every step; may end the check
     */
    public static Checked of(String source, Catalog catalog, Work work) {
        Inspection inspection = GqCompiler.inspect(source, catalog, work);
        return new Checked(
                findings(inspection),
                inspection.plans().stream()
                        .map(plan -> QueryFootprint.of(plan, catalog))
                        .toList());
    }

    /** Whether the query can be used in spite of the finding. */
    public static boolean isWarning(Diagnostic finding) {
        return finding.code().equals("T27") || finding.code().startsWith("L");
    }

    /**
     * Checks files.
     *
     * @param files name to source, in the order of the report
     */
    public static Report of(Map<String, String> files, Catalog catalog) {
        Map<String, List<Diagnostic>> findings = new LinkedHashMap<>();
        List<Plan> plans = new ArrayList<>();
        files.forEach((file, source) -> {
            Inspection inspection = GqCompiler.inspect(source, catalog);
            findings.put(file, findings(inspection));
            plans.addAll(inspection.plans());
        });
        List<Diagnostic> schemaFindings = new ArrayList<>(SchemaWarnings.of(catalog.source()));
        if (!files.isEmpty()) {
            schemaFindings.addAll(new UnsetProperties(catalog).find(plans));
        }
        return new Report(
                findings,
                List.copyOf(schemaFindings),
                plans.stream().map(plan -> QueryFootprint.of(plan, catalog)).toList());
    }

    private static List<Diagnostic> findings(Inspection inspection) {
        List<Diagnostic> findings = new ArrayList<>(inspection.findings());
        inspection.plans().forEach(plan -> findings.addAll(UnindexedSearches.of(plan)));
        return List.copyOf(findings);
    }
}
