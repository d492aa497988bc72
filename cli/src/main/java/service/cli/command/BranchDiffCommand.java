package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import service.cli.client.GraphClient;

/** {@code branch diff}. */
@Command(
        name = "diff",
        description = "Lists the entities in which two branches or commits differ.",
        footer = {
            "",
            "With one state: from main to it. With two: from the first to the second.",
            "",
            "Example:",
            "  service branch diff review/a --store people"
        })
final class BranchDiffCommand extends GraphCommand {
    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Parameters(index = "0", paramLabel = "A", description = "A branch or a commit id.")
    private String one = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "B", description = "Another one.")
    private @Nullable String other;

    @Override
    @Nullable
    Answer ask(GraphClient graph) {
        String from = other == null ? "main" : one;
        String to = other == null ? one : other;
        return new ChangeList(output).all(token -> graph.diff(from, to, token, filters.filters()));
    }
}
