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
            "Shows what B would bring to A; of one branch, what it would bring to main.",
            "+ is inserted, ~ updated, - deleted. A merge of B into A takes these changes.",
            "With --two-dot: how B differs from A, whichever side has changed; + is only in B, - only in A.",
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

    @Option(names = "--two-dot", description = "Compare the two states, not B with the merge base.")
    private boolean twoDot;

    @Option(names = "--stat", description = "Count the changes by type, without showing them.")
    private boolean stat;

    @Parameters(
            index = "0",
            paramLabel = "A",
            description = "A branch, or a commit as `commit show` takes it. Alone it is compared with main.")
    private String first = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "B", description = "Another one.")
    private @Nullable String second;

    @Override
    @Nullable
    Answer ask(GraphClient graph) {
        String onto = second == null ? "main" : first;
        String one = second == null ? first : second;
        GraphClient.States states = new GraphClient.States(onto, one, !twoDot);
        String none = twoDot
                ? "no changes: " + onto + " and " + one + " hold the same entities"
                : "no changes: " + one + " brings nothing to " + onto + "; --two-dot shows how they differ";
        String headline = twoDot
                ? "how " + one + " differs from " + onto
                : "what " + one + " would bring to " + onto + ", since their merge base";
        ChangeList list = new ChangeList(output, headline);
        return stat
                ? list.counted(token -> graph.diff(states, token, filters.filters()))
                : list.all(token -> graph.diff(states, token, filters.filters()), !filters.isEmpty(), none);
    }
}
