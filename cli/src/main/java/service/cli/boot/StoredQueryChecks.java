package service.cli.boot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import service.cli.client.CommandFailure;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;
import service.core.graph.request.ReadTarget;
import service.core.graph.request.StoredQuerySource;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Checks the stored queries of a cluster's graph without a server. */
public final class StoredQueryChecks {
    private StoredQueryChecks() {}

    /**
     * Compiles each applied query against the schema at the head of main.
     *
     * @return {@code {"graph_id","ok","queries":[{"name","ok","error"?}]}}
     */
    public static ObjectNode validate(GraphAddress graph) {
        if (!graph.isOfCluster()) {
            throw CommandFailure.usage(
                    "a store has no stored queries: give --cluster DIR and --graph ID; `service lint` checks files");
        }
        ObjectNode report = JsonNodeFactory.instance.objectNode().put("graph_id", graph.graphId());
        report.put("ok", true);
        ArrayNode queries = report.putArray("queries");
        try (OpenedGraph opened = OpenedGraph.reading(graph, Engine.ofProcess())) {
            Catalog catalog = SchemaCompiler.compile(
                    opened.unrestricted().schema(ReadTarget.MAIN).source());
            for (StoredQuerySource query : graph.storedQueries()) {
                ObjectNode row = queries.addObject().put("name", query.name());
                try {
                    GqCompiler.compile(query.source(), query.name(), catalog);
                    row.put("ok", true);
                } catch (ServiceException misfit) {
                    row.put("ok", false).put("error", misfit.getMessage());
                    report.put("ok", false);
                }
            }
        }
        return report;
    }
}
