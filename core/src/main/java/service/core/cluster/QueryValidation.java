package service.core.cluster;

import java.util.List;
import service.core.schema.Catalog;

/** Type-checks stored queries: the cluster's view of the query language. Any thread. */
@FunctionalInterface
public interface QueryValidation {
    /**
     * The names of the queries in a source, all of which fit the schema.
     *
     * @throws service.core.error.ServiceException BAD_REQUEST with diagnostics
     */
    List<String> check(String source, Catalog catalog);
}
