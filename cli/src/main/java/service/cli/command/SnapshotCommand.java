package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.cli.render.Times;

/** Shows a state in figures. */
@Command(
        name = "snapshot",
        description = "Shows how many entities of each type a state holds.",
        footer = {
            "",
            "Examples:",
            "  service snapshot --store people",
            "  service snapshot --store people --as-of 2026-01-31T12:00:00Z"
        })
final class SnapshotCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Override
    Answer ask(GraphClient graph) {
        return Answer.list("types", graph.snapshot(target.target()), this::print);
    }

    private void print(ObjectNode snapshot, PrintWriter out) {
        out.printf(
                "%s at commit %s, made %s%n",
                snapshot.path("graph_branch").asText(),
                snapshot.path("graph_commit_id").asText(),
                Times.relative(snapshot.path("created_at").asText()));
        TextTable table = new TextTable("KIND", "TYPE", "ENTITIES");
        for (JsonNode type : snapshot.path("types")) {
            table.row(
                    type.path("kind").asText(),
                    type.path("type_name").asText(),
                    type.path("entity_count").asText());
        }
        table.print(out, output.screen());
    }
}
