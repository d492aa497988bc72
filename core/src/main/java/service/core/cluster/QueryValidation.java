package service.core.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.schema.Catalog;

/** Type-checks stored queries for the cluster. Any thread. */
@FunctionalInterface
public interface QueryValidation {
    /** Checks every query of a source against the schema. Mistakes in the source are returned, not thrown. */
    Checked check(String source, Catalog catalog);

    /**
     * The outcome.
     *
     * @param queries in the order of the source; those with a syntax error may be missing
     * @param errors all findings that make the source unusable
     */
    record Checked(List<Declared> queries, List<Diagnostic> errors) {
        /** The position of the query of that name, or null. */
        @Nullable
        Declared query(String name) {
            for (Declared query : queries) {
                if (query.name().equals(name)) {
                    return query;
                }
            }
            return null;
        }
    }

    /** A query and the position of its name in the source, from 1. */
    record Declared(String name, int line, int column) {}
}
