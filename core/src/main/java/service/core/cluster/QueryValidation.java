package service.core.cluster;

import java.util.List;
import service.core.schema.Catalog;

/** Type-checks stored queries for the cluster. Any thread. */
@FunctionalInterface
public interface QueryValidation {
    /**
     * The names of the queries in a source, after all of them were checked against the schema.
     *
     * @throws service.core.error.ServiceException BAD_REQUEST with diagnostics
     */
    List<String> check(String source, Catalog catalog);
}
