package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.GraphSizes;
import service.cli.render.TextTable;

/** Shows the size of a graph. */
@Command(
        name = "stats",
        description = {
            "Shows the size of a graph, and of each table of its log and of its projection.",
            "With --bytes also what is in the pages of each table; this reads every entry."
        },
        footer = {"", "Examples:", "  service stats --store people", "  service stats --store people --bytes"})
final class StatsCommand extends AnswerCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private DirectoryOptions address = new DirectoryOptions();

    @Option(names = "--bytes", description = "Divide the bytes of each table into keys, values, structure and slack.")
    private boolean bytes;

    @Override
    Answer answer() {
        return Answer.of(bytes ? read() : GraphSizes.of(address.directory(), null), this::print);
    }

    private ObjectNode read() {
        try (Progress progress = new Progress(output, "reading", "bytes")) {
            return GraphSizes.of(address.directory(), progress::add);
        }
    }

    private void print(ObjectNode stats, PrintWriter out) {
        stats.properties().forEach(entry -> {
            if (entry.getValue().isValueNode()) {
                out.printf(
                        "%-22s %s%n",
                        entry.getKey().replace("_", " "), entry.getValue().asText());
            }
        });
        TextTable table = bytes
                ? new TextTable("TABLE", "ENTRIES", "BYTES", "KEYS", "VALUES", "STRUCTURE", "SLACK")
                : new TextTable("TABLE", "ENTRIES", "BYTES");
        for (JsonNode each : stats.path("tables")) {
            if (each.path("entries").asLong() == 0) {
                continue;
            }
            String name =
                    each.path("environment").asText() + "." + each.path("table").asText();
            String entries = each.path("entries").asText();
            String held = each.path("bytes").asText();
            if (bytes) {
                table.row(
                        name,
                        entries,
                        held,
                        each.path("key_bytes").asText(),
                        each.path("value_bytes").asText(),
                        each.path("structure_bytes").asText(),
                        each.path("slack_bytes").asText());
            } else {
                table.row(name, entries, held);
            }
        }
        table.print(out, output.screen());
    }
}
