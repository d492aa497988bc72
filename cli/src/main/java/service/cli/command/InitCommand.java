package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.GraphAddress;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.port.RootAddress;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Makes a graph outside any cluster, or the files of a cluster to begin with. */
@Command(
        name = "init",
        description = {
            "Makes a graph outside any cluster, or with --cluster the files of a cluster to begin with.",
            "A graph outside a cluster has a schema, and no stored queries and policies."
        },
        footer = {"", "Examples:", "  service init --schema people.pg people", "  service init --cluster company"})
final class InitCommand extends AnswerCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "STORE", description = "The directory of the new graph.")
    private @Nullable Path store;

    @Option(names = "--schema", paramLabel = "FILE", description = "The schema of the new graph, a .pg file.")
    private @Nullable Path schema;

    @Option(
            names = "--cluster",
            paramLabel = "DIR",
            description = "Write cluster.yaml, a schema and queries into this directory.")
    private @Nullable Path cluster;

    @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
    private @Nullable String actor;

    @Override
    Answer answer() {
        if (cluster != null) {
            if (store != null || schema != null || actor != null) {
                throw CommandFailure.usage("--cluster goes without STORE, --schema and --as: it only writes files");
            }
            if (RootAddress.isUri(cluster.toString())) {
                throw CommandFailure.usage("--cluster is the directory to write the files into; write"
                        + " `storage: s3://bucket/prefix` into its cluster.yaml to keep the cluster in a bucket");
            }
            return StartingPoint.write(cluster);
        }
        if (schema == null || store == null) {
            throw CommandFailure.usage(
                    "give --schema FILE and STORE for a graph, or --cluster DIR for the files of a cluster");
        }
        return graph(schema, DirectoryOptions.requirePath(store, "STORE"));
    }

    private Answer graph(Path schema, Path store) {
        String source = RequestOptions.read(schema);
        Catalog catalog = compile(source, schema);
        String author = actor != null
                ? actor
                : ClientConfig.read(ServiceConfig.environment()).actor();
        GraphAddress.createStore(store, catalog, author);
        ObjectNode made = JsonNodeFactory.instance
                .objectNode()
                .put("store", store.toString())
                .put("schema_digest", catalog.digest());
        Findings warnings = Findings.ofSchema(schema.toString(), source);
        warnings.write(made.putArray("diagnostics"));
        return Answer.of(made, (answer, out) -> {
            warnings.note(output);
            out.println("made " + store);
        });
    }

    /** Compiles the schema; the failure names the file of each finding. */
    private static Catalog compile(String source, Path schema) {
        try {
            return SchemaCompiler.compile(source);
        } catch (ServiceException refusal) {
            if (!(refusal.detail() instanceof ErrorDetail.Diagnostics errors)) {
                throw refusal;
            }
            throw new Findings().add(schema.toString(), errors.diagnostics()).failure();
        }
    }
}
