package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.boot.Stores;
import service.cli.client.CommandFailure;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
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
        String source = RequestOptions.read(schema);
        Catalog catalog = compile(source);
        String author = actor != null
                ? actor
                : ClientConfig.read(ServiceConfig.environment()).actor();
        Stores.create(store, catalog, author);
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
    private Catalog compile(String source) {
        try {
            return SchemaCompiler.compile(source);
        } catch (ServiceException refusal) {
            if (!(refusal.detail() instanceof ErrorDetail.Diagnostics errors)) {
                throw refusal;
            }
            Findings findings = new Findings().add(schema.toString(), errors.diagnostics());
            ObjectNode body = JsonNodeFactory.instance
                    .objectNode()
                    .put("error", findings.message())
                    .put("code", refusal.code().wireName());
            findings.write(body.putArray("diagnostics"));
            throw new CommandFailure(CommandFailure.FAILED, findings.message(), body);
        }
    }
}
