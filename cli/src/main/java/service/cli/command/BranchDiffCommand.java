package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.client.GraphClient;

/** {@code branch diff}. */
@Command(
        name = "diff",
        description = "Shows what a branch would bring to another one: its changes since their merge base.",
        footer = {
            "",
            "+ is inserted, ~ updated, - deleted. A merge takes these changes.",
            "With --two-dot: how A differs from B, whichever side has changed.",
            "",
            "Examples:",
            "  service branch diff review/a --store people",
            "  service branch diff main review/a --two-dot --store people",
            "  service branch diff review/a --stat --store people"
        })
final class BranchDiffCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Option(names = "--two-dot", description = "Compare the two states, not A with the merge base.")
    private boolean twoDot;

    @Option(names = "--stat", description = "Count the changes by type, without showing them.")
    private boolean stat;

    @Parameters(index = "0", paramLabel = "A", description = "A branch, or a commit as `commit show` takes it.")
    private String one = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "B", description = "Another one (default: main).")
    private @Nullable String other;

    @Override
    @Nullable
    Answer ask(GraphClient graph) {
        String onto = other == null ? "main" : other;
        GraphClient.States states = new GraphClient.States(onto, one, !twoDot);
        String none = twoDot
                ? "no changes: " + one + " and " + onto + " hold the same entities"
                : "no changes: " + one + " brings nothing to " + onto + "; --two-dot shows how they differ";
        ChangeList list = new ChangeList(output);
        return stat
                ? list.counted(token -> graph.diff(states, token, filters.filters()))
                : list.all(token -> graph.diff(states, token, filters.filters()), !filters.isEmpty(), none);
    }
}
