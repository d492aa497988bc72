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
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.graph.LoadMode;

/** Loads a batch of records. */
@Command(
        name = "load",
        description = "Loads NDJSON records as one commit.",
        footer = {
            "",
            "Example:",
            "  service load --store people --data people.ndjson --mode merge"
        })
final class LoadCommand implements Callable<Integer> {
    private static final int BUFFER = 1 << 16;

    @Mixin private AddressOptions address = new AddressOptions();
    @Mixin private OutputOptions output = new OutputOptions();

    @Option(
            names = "--data",
            required = true,
            paramLabel = "FILE",
            description = "A file of NDJSON records, or - for standard input.")
    private String data = "-";

    @Option(
            names = "--mode",
            required = true,
            paramLabel = "MODE",
            description = "merge (upsert), append (insert only) or overwrite.")
    private String mode = "";

    @Option(names = "--branch", description = "The branch to load into (default: main).")
    private @Nullable String branch;

    @Option(names = "--from", description = "Create the branch from this one when it is missing.")
    private @Nullable String from;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A name for this load: repeating it under the same name loads once.")
    private @Nullable String key;

    @Override
    public Integer call() {
        String chosen = checkedMode();
        try (InputStream records = open();
                GraphClient graph = address.writer()) {
            ObjectNode result = graph.load(branch, from, chosen, key, records);
            output.print(result, LoadCommand::print);
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED, "cannot read " + data + ": " + e.getMessage());
        }
        return 0;
    }

    private String checkedMode() {
        for (LoadMode known : LoadMode.values()) {
            if (known.wireName().equals(mode.toLowerCase(Locale.ROOT))) {
                return known.wireName();
            }
        }
        throw CommandFailure.usage("--mode is merge, append or overwrite, not `" + mode + "`");
    }

    private InputStream open() throws IOException {
        if (data.equals("-")) {
            return System.in;
        }
        try {
            return new BufferedInputStream(Files.newInputStream(Path.of(data)), BUFFER);
        } catch (NoSuchFileException e) {
            throw CommandFailure.usage("there is no file " + data);
        }
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
        out.printf(
                "%d records loaded into %s%n",
                result.path("total_entities").asLong(), result.path("branch").asText());
        out.println(
                commit.isObject()
                        ? "commit " + commit.path("graph_commit_id").asText()
                        : "no commit: nothing changed");
    }
}
