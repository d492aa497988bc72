package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.boot.Stores;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Makes a graph outside any cluster. */
@Command(
        name = "init",
        description = "Makes a graph outside any cluster.",
        footer = {"", "Example:", "  service init --schema people.pg people"})
final class InitCommand extends AnswerCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "The new directory.")
    private Path store = Path.of(".");

    @Option(names = "--schema", required = true, paramLabel = "FILE", description = "The schema, a .pg file.")
    private Path schema = Path.of(".");

    @Option(names = "--as", paramLabel = "ACTOR", description = "The author to record.")
    private @Nullable String actor;

    @Override
    Answer answer() {
        Catalog catalog = SchemaCompiler.compile(RequestOptions.read(schema));
        String author = actor != null
                ? actor
                : ClientConfig.read(ServiceConfig.environment()).actor();
        Stores.create(store, catalog, author);
        return Answer.line(
                JsonNodeFactory.instance
                        .objectNode()
                        .put("store", store.toString())
                        .put("schema_digest", catalog.digest()),
                "made " + store);
    }
}
