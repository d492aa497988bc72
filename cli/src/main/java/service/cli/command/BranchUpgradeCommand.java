package service.cli.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.GraphClient;

/** {@code branch upgrade}. */
@Command(
        name = "upgrade",
        description = "Gives a branch the schema of main, in one commit on the branch; the data is kept.",
        footer = {
            "",
            "Examples:",
            "  service branch upgrade review/a --dry-run --store people",
            "  service branch upgrade review/a --store people"
        })
final class BranchUpgradeCommand extends GraphCommand {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Mixin
    FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "NAME", description = "The branch.")
    private String branch = "";

    @Option(
            names = "--allow-drop",
            paramLabel = "TYPE",
            description = "Allow a type to be dropped although it has entities. May be given several times.")
    private List<String> allowedDrops = new ArrayList<>();

    @Option(
            names = "--dry-run",
            description = "Write nothing; show what would change. Exits with 1 when it is refused.")
    private boolean dryRun;

    @Mixin
    private WriteOptions write = new WriteOptions();

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    Answer ask(GraphClient graph) {
        ObjectNode body = JSON.createObjectNode().put("dry_run", dryRun);
        allowedDrops.forEach(body.withArray("allow_drop")::add);
        write.note.addTo(body);
        return SchemaChangeCommand.answer(
                Progress.during(
                        output,
                        "upgrading",
                        () -> graph.undo(body, write.condition, write.key, List.of("branches", branch, "upgrade"))),
                0);
    }
}
