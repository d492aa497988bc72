package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.core.graph.read.Embeddings;
import service.core.schema.SchemaCompiler;

/** Fills vectors from their texts. */
@Command(
        name = "embed",
        description = {
            "Computes the vectors of a property that has @embed, and writes them.",
            "The texts go to the embedding provider that the cluster names for the graph."
        },
        footer = {
            "",
            "Examples:",
            "  service embed Chunk.embedding --server http://127.0.0.1:8080 --graph people",
            "  service embed Chunk.embedding --stale --branch review/a --cluster company --graph people",
            "  service embed Chunk.embedding --all --dry-run --cluster company --graph people"
        })
final class EmbedCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "TYPE.PROPERTY", description = "The property with the vectors.")
    private String property = "";

    @Option(names = "--branch", paramLabel = "NAME", description = "The branch (default: main).")
    private @Nullable String branch;

    @ArgGroup
    private Selection selection = new Selection();

    /** Which entities: those without a vector when none is chosen. */
    static final class Selection {
        @Option(names = "--missing", description = "Entities with a text and no vector (default).")
        private boolean missing;

        @Option(
                names = "--stale",
                description = "Entities whose text was set by a later commit than their vector. Asks for the history of"
                        + " each entity.")
        private boolean stale;

        @Option(names = "--all", description = "Every entity with a text.")
        private boolean all;

        EmbedRun.Selected selected() {
            return stale
                    ? EmbedRun.Selected.STALE
                    : all && !missing ? EmbedRun.Selected.ALL : EmbedRun.Selected.MISSING;
        }
    }

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "Texts for one call of the provider and one commit (default: 64, at most 256).")
    private int batch = 64;

    @Option(names = "--dry-run", description = "Only count the entities and the characters of their texts.")
    private boolean dryRun;

    @Mixin
    private NoteOptions note = new NoteOptions();

    @Override
    void check() {
        if (batch < 1 || batch > Embeddings.TEXTS_MAX) {
            throw CommandFailure.usage(
                    "--batch must be an integer from 1 to " + Embeddings.TEXTS_MAX + ", not " + batch);
        }
        if (property.indexOf('.') < 1) {
            throw CommandFailure.usage("name a property as Type.property, not `" + property + "`");
        }
    }

    @Override
    GraphClient open() {
        return dryRun ? address.reader() : address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        GraphClient.Target target = new GraphClient.Target(branch, null, null);
        EmbeddedProperty embedded = EmbeddedProperty.find(
                SchemaCompiler.compile(
                        graph.schema(target).path("schema_source").asText()),
                property);
        try (Progress progress = new Progress(output, "embedding", "texts")) {
            EmbedRun run = new EmbedRun(graph, embedded, branch, note, progress);
            return Answer.of(run.run(selection.selected(), batch, dryRun), EmbedCommand::print);
        }
    }

    private static void print(ObjectNode answer, PrintWriter out) {
        String what = TextTable.counted(answer.path("selected").asLong(), "text") + " of "
                + answer.path("property").asText();
        if (answer.path("dry_run").asBoolean()) {
            out.println(what + " to embed, " + answer.path("characters").asLong() + " characters");
            return;
        }
        out.println(what + " embedded by " + answer.path("model").asText("nobody") + ", "
                + answer.path("written").asLong() + " written in "
                + TextTable.counted(answer.path("commits").asLong(), "commit"));
        if (answer.path("too_long").asLong() > 0) {
            out.println(answer.path("too_long").asLong() + " left out: their texts are too long for one request");
        }
    }
}
