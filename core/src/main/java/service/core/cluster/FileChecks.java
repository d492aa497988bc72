package service.core.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.cluster.ClusterConfig.SourceFile;
import service.core.config.ConfigDiagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/**
 * Compiles schemas and checks stored queries, each file once: thousands of graphs may share it. Graphs with the same
 * schema file have the same catalog.
 */
final class FileChecks {
    private final QueryValidation validation;
    private final List<ConfigDiagnostic> found;
    private final Map<SourceFile, Optional<Catalog>> catalogs = new HashMap<>();
    private final IdentityHashMap<Catalog, Map<SourceFile, QueryValidation.Checked>> queries = new IdentityHashMap<>();
    private final Map<SourceFile, Set<QueryValidation.Declared>> reported = new HashMap<>();

    /** @param found receives the findings, those of a file once */
    FileChecks(QueryValidation validation, List<ConfigDiagnostic> found) {
        this.validation = validation;
        this.found = found;
    }

    /** Whether no finding of this query in this file was asked for before: graphs that share it have the same one. */
    boolean isNew(SourceFile file, QueryValidation.Declared query) {
        return reported.computeIfAbsent(file, any -> new HashSet<>()).add(query);
    }

    /** The compiled schema; null, with findings, when it does not compile. */
    @Nullable
    Catalog catalog(SourceFile schema) {
        return catalogs.computeIfAbsent(schema, this::compile).orElse(null);
    }

    private Optional<Catalog> compile(SourceFile schema) {
        try {
            return Optional.of(SchemaCompiler.compile(schema.text()));
        } catch (ServiceException refusal) {
            if (refusal.detail() instanceof ErrorDetail.Diagnostics detail) {
                DesiredState.addFindings(detail.diagnostics(), schema.path(), found);
            } else {
                found.add(new ConfigDiagnostic("CL-015", refusal.getMessage(), schema.path(), 0, 0));
            }
            return Optional.empty();
        }
    }

    /** The queries of a file, checked against a catalog of {@link #catalog}. */
    QueryValidation.Checked queries(SourceFile file, Catalog catalog) {
        return queries.computeIfAbsent(catalog, any -> new HashMap<>()).computeIfAbsent(file, any -> {
            QueryValidation.Checked checked = validation.check(file.text(), catalog);
            DesiredState.addFindings(checked.errors(), file.path(), found);
            return checked;
        });
    }
}
