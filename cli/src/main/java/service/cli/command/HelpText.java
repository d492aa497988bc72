package service.cli.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The layout of {@code --help}: commands in groups, and examples that are not wrapped, so that they can be pasted. */
final class HelpText {
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("Start", List.of("quickstart", "init", "shell", "mcp"));
        GROUPS.put("Read and write", List.of("query", "mutate", "load", "embed", "export", "blob", "snapshot"));
        GROUPS.put("History", List.of("branch", "commit", "changes"));
        GROUPS.put("Schema and stored queries", List.of("schema", "queries", "lint", "fmt", "lsp"));
        GROUPS.put("Clusters and servers", List.of("cluster", "policy", "graphs"));
        GROUPS.put(
                "Maintenance",
                List.of("backup", "restore", "verify", "rebuild", "search", "cleanup", "compact", "stats"));
        GROUPS.put("Your settings", List.of("login", "logout", "profile", "alias", "completion"));
        GROUPS.put("About", List.of("help", "version"));
    }

    private HelpText() {}

    static void install(CommandLine root) {
        each(root);
        root.getCommandSpec().usageMessage().commandListHeading("");
        root.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, HelpText::groups);
    }

    private static void each(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::footer);
        command.getSubcommands().values().forEach(HelpText::each);
    }

    /** The commands of the program by groups; one that is in no group is in the last. */
    private static String groups(Help help) {
        Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
        StringBuilder text = new StringBuilder();
        Map<String, List<String>> groups = new LinkedHashMap<>(GROUPS);
        List<String> others = new ArrayList<>(left.keySet());
        GROUPS.values().forEach(others::removeAll);
        groups.put("Others", others);
        groups.forEach((title, names) -> {
            if (names.stream().noneMatch(left::containsKey)) {
                return;
            }
            text.append('\n').append(title).append(":\n");
            for (String name : names) {
                Help command = left.get(name);
                if (command != null) {
                    String[] description = command.commandSpec().usageMessage().description();
                    text.append("  %-12s%s%n".formatted(name, description.length == 0 ? "" : description[0]));
                }
            }
        });
        return text.toString();
    }

    private static String footer(Help help) {
        String[] lines = help.commandSpec().usageMessage().footer();
        if (lines.length == 0) {
            return "";
        }
        return String.join("\n", lines).formatted().replace("$$", "$") + "\n";
    }
}
