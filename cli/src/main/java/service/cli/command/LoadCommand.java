package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.load.LoadMode;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Loads a batch of records. */
@Command(
        name = "load",
        description =
                "Loads NDJSON records or tables (CSV, Parquet) as one commit, or with --batch as one for so many.",
        footer = {
            "",
            "Examples:",
            "  service load --store people --data people.ndjson --mode merge",
            "  service load --store people --data large.ndjson --mode append --batch 10000",
            "  service load --store people Person.csv Knows.csv --mode merge"
        })
final class LoadCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    private static final int BUFFER = 1 << 16;

    /** The command holds so many batches in memory. */
    private static final int CONNECTIONS_MAX = 16;

    /** The words of {@code --mode}, which are those of {@link LoadMode}. */
    enum Mode {
        merge,
        append,
        overwrite
    }

    @Option(names = "--data", paramLabel = "FILE", description = "A file of NDJSON records, or - for standard input.")
    private @Nullable String data;

    @Mixin
    private TableOptions tables = new TableOptions();

    @Option(
            names = "--mode",
            required = true,
            paramLabel = "MODE",
            description =
                    "merge (upsert by id; an edge without an id is always new), append (insert only) or overwrite.")
    private @Nullable Mode mode;

    @Option(names = "--branch", paramLabel = "NAME", description = "The branch to load into (default: main).")
    private @Nullable String branch;

    @Option(
            names = "--from",
            paramLabel = "REF",
            description = "Create the branch from this branch or commit when it is missing.")
    private @Nullable String from;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A name for this load: repeating it under the same name loads once. With"
                    + " --batch, each batch has this name and the number of its first record.")
    private @Nullable String key;

    @Option(
            names = "--batch",
            paramLabel = "N",
            description = "Commit after every N records. An edge may precede its nodes within one batch only.")
    private @Nullable Integer batch;

    @Option(
            names = "--first-record",
            paramLabel = "K",
            description = "With --batch: start with the Kth record of the input, from 1.")
    private @Nullable Long firstRecord;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "With --batch: send up to N batches at a time (default: 1). Faster; their commits may be in"
                    + " another order than the input.")
    private @Nullable Integer connections;

    @Option(
            names = "--epoch-times",
            description = "Take numbers of Date properties as days, and of DateTime properties as milliseconds, since"
                    + " 1970-01-01 in UTC.")
    private boolean epochTimes;

    @Mixin
    private NoteOptions note = new NoteOptions();

    @Mixin
    private ConfirmOption confirm = new ConfirmOption();

    @Override
    void check() {
        String chosen = checkedMode();
        if ((data == null) == !tables.isGiven()) {
            throw CommandFailure.usage("give --data FILE for NDJSON records, or tables such as Person.csv");
        }
        if (!tables.isGiven()) {
            tables.requireNone();
        } else if (epochTimes) {
            throw CommandFailure.usage("--epoch-times goes with --data; tables have --date-format");
        }
        checkBatch(chosen);
        if (chosen.equals(LoadMode.OVERWRITE.wireName())) {
            confirm.require(
                    address,
                    output,
                    "replace all entities of the types that " + shown() + (tables.isGiven() ? " name" : " names"));
        }
    }

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        try {
            return load(graph);
        } catch (CommandFailure | ServiceException refused) {
            CommandFailure failure = Failures.describe(refused);
            String hint = hint(failure);
            throw hint == null
                    ? failure
                    : new CommandFailure(failure.exitCode(), failure.getMessage() + hint, failure.body());
        }
    }

    /** The option with which the load may succeed; null when none is known. */
    private @Nullable String hint(CommandFailure failure) {
        if (branch != null && from == null && failure.getMessage().startsWith("branch `" + branch + "` does not")) {
            return "; --from main would make it";
        }
        return failure.hasCode(ErrorCode.RESOURCE_LIMIT) && batch == null && mode != Mode.overwrite
                ? "; with --batch 10000 each 10,000 records are one commit"
                : null;
    }

    private String shown() {
        return tables.isGiven() ? tables.shown() : isStandardInput() ? "the input" : String.valueOf(data);
    }

    private boolean isStandardInput() {
        return "-".equals(data);
    }

    private Answer load(GraphClient graph) {
        try {
            ObjectNode result = tables.isGiven() ? tables(graph) : records(graph);
            if (mode == Mode.merge) {
                noteNewEdges(result.path("edges_without_id").asLong());
            }
            return Answer.of(result, result.path("dry_run").asBoolean() ? LoadCommand::printDry : LoadCommand::print);
        } catch (NoSuchFileException e) {
            throw new CommandFailure(CommandFailure.FAILED, "there is no file " + e.getFile());
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot read " + shown() + ": " + e.getMessage());
        }
    }

    private ObjectNode records(GraphClient graph) throws IOException {
        long bytes = isStandardInput() ? 0 : Files.size(path());
        try (InputStream records = epochTimes ? new EpochTimes(input(), catalog(graph)) : input()) {
            return send(graph, records, bytes);
        }
    }

    private ObjectNode tables(GraphClient graph) throws IOException {
        return new TableLoad(tables, output)
                .run(catalog(graph), mode == Mode.merge, (records, bytes) -> send(graph, records, bytes));
    }

    private ObjectNode send(GraphClient graph, InputStream records, long bytes) throws IOException {
        if (batch != null) {
            return new BatchedLoad(graph, new LoadProgress(output, bytes), connections == null ? 1 : connections)
                    .run(terms(), records, batch, firstRecord == null ? 1 : firstRecord);
        }
        try (Progress progress = new Progress(output, "reading", "bytes", bytes, "committing")) {
            return graph.load(terms(), GraphClient.Records.of(progress.count(records)));
        }
    }

    private GraphClient.LoadTerms terms() {
        return new GraphClient.LoadTerms(branch, from, checkedMode(), key, note.note());
    }

    /** The schema of the branch that the records go to. */
    private Catalog catalog(GraphClient graph) {
        ObjectNode schema = graph.schema(
                from == null ? new GraphClient.Target(branch, null, null) : new GraphClient.Target(null, from, null));
        return SchemaCompiler.compile(schema.path("schema_source").asText());
    }

    private String checkedMode() {
        return Objects.requireNonNull(mode).name();
    }

    private void checkBatch(String chosen) {
        if (batch == null && firstRecord != null) {
            throw CommandFailure.usage("--first-record goes with --batch");
        }
        if (batch == null && connections != null) {
            throw CommandFailure.usage("--connections goes with --batch");
        }
        if (connections != null && (connections < 1 || connections > CONNECTIONS_MAX)) {
            throw CommandFailure.usage("--connections is 1 to " + CONNECTIONS_MAX);
        }
        if (batch != null && (batch < 1 || (firstRecord != null && firstRecord < 1))) {
            throw CommandFailure.usage("--batch and --first-record count from 1");
        }
        if (batch != null && chosen.equals(LoadMode.OVERWRITE.wireName())) {
            throw CommandFailure.usage("--mode overwrite takes the whole input at once: each batch would remove the"
                    + " one before; leave --batch out");
        }
    }

    private Path path() {
        return Path.of(Objects.requireNonNull(data));
    }

    private InputStream input() throws IOException {
        if (isStandardInput()) {
            return new BufferedInputStream(System.in, BUFFER);
        }
        if (Files.isDirectory(path())) {
            throw new CommandFailure(CommandFailure.FAILED, data + " is a directory; name a file of records");
        }
        return new BufferedInputStream(Files.newInputStream(path()), BUFFER);
    }

    private void noteNewEdges(long count) {
        if (count > 0) {
            output.note("warning: " + (count == 1 ? "1 edge has" : count + " edges have")
                    + " no id, so that each load adds " + (count == 1 ? "it" : "them")
                    + " again; with an id, as in {\"edge\": …, \"data\": {\"id\": \"…\"}}, `merge` updates the edge");
        }
    }

    private static void printDry(JsonNode result, PrintWriter out) {
        out.println(
                TextTable.counted(result.path("records").asLong(), "record") + " would be sent; nothing was loaded");
    }

    private static void print(JsonNode result, PrintWriter out) {
        for (String kind : new String[] {"nodes", "edges"}) {
            for (JsonNode type : result.path(kind)) {
                out.printf(
                        "%10d %s%n",
                        type.path("entities_loaded").asLong(), type.path("name").asText());
            }
        }
        JsonNode commit = result.path("commit");
        long deleted = result.path("deleted").asLong();
        out.printf(
                "%s loaded into %s%s: %d inserted, %d updated, %d unchanged%s%n",
                TextTable.counted(result.path("total_entities").asLong(), "record"),
                result.path("branch").asText(),
                result.has("batches")
                        ? " in " + TextTable.counted(result.path("commits").asLong(), "commit")
                        : "",
                result.path("inserted").asLong(),
                result.path("updated").asLong(),
                result.path("unchanged").asLong(),
                deleted == 0 ? "" : ", " + deleted + " others deleted");
        out.println(
                commit.isObject() ? "commit " + commit.path("graph_commit_id").asText() : "no commit: nothing changed");
    }
}
