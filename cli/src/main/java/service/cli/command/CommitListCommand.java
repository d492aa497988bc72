package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.TextTable;
import service.cli.render.Times;
import service.core.graph.request.History;

/** {@code commit list}. */
@Command(
        name = "list",
        description = "Lists the first-parent history of a branch, or all commits, newest first.",
        footer = {
            "",
            "Examples:",
            "  service commit list --store people --limit 20",
            "  service commit list --store people --all --lanes",
            "  service commit list --store people --type Person --entity node --id ada --since 2h",
            "  service commit list --store people --meta ticket=T-17 --stat"
        })
final class CommitListCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Option(names = "--branch", paramLabel = "NAME", description = "The branch (default: main).")
    private @Nullable String branch;

    @Option(names = "--all", description = "The commits of all branches, merged and deleted ones too.")
    private boolean all;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "The number of commits at most (default: ${DEFAULT-VALUE}).")
    private int limit = 100;

    @Option(
            names = "--before",
            paramLabel = "COMMIT",
            description = "Only commits before this one; or what a list that ended early says.")
    private @Nullable String before;

    @Option(names = "--actor", paramLabel = "ACTOR", description = "Only commits of this actor.")
    private @Nullable String actor;

    @Option(names = "--kind", paramLabel = "KIND", description = "Only these kinds, such as load. May be repeated.")
    private List<String> kinds = new ArrayList<>();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only commits from then on: RFC 3339, a day, or an age such as 2h.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only commits up to then.")
    private @Nullable String until;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only commits that changed it. May be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(names = "--entity", paramLabel = "KIND", description = "node or edge; with --type and --id.")
    private @Nullable String entity;

    @Option(names = "--id", paramLabel = "ID", description = "Only commits that changed this entity.")
    private @Nullable String id;

    @Option(names = "--meta", paramLabel = "KEY=VALUE", description = "Only commits with this pair. May be repeated.")
    private Map<String, String> meta = new LinkedHashMap<>();

    @Option(names = "--lanes", description = "Draw how the commits follow each other.")
    private boolean drawn;

    @Option(names = "--stat", description = "Count the changes by type.")
    private boolean stat;

    @Override
    void check() {
        if (limit < 1 || limit > History.LIMIT_MAX) {
            throw CommandFailure.usage(
                    "--limit must be an integer from 1 to " + History.LIMIT_MAX + ", not `" + limit + "`");
        }
        boolean filters = actor != null
                || entity != null
                || id != null
                || !kinds.isEmpty()
                || !types.isEmpty()
                || !meta.isEmpty();
        if (drawn && filters) {
            throw CommandFailure.usage("--lanes draws whole histories: it goes with --branch, --all, --since, --until,"
                    + " --limit and --before");
        }
    }

    @Override
    Answer ask(GraphClient of) {
        GraphClient.CommitList list = new GraphClient.CommitList();
        list.with("branch", branch)
                .with("all", all ? "true" : null)
                .with("limit", Integer.toString(limit))
                .with("before", before)
                .with("actor", actor)
                .with("since", since)
                .with("until", until)
                .with("entity", entity)
                .with("id", id)
                .with("stat", stat ? "true" : null);
        kinds.forEach(kind -> list.with("kind", kind));
        types.forEach(type -> list.with("type", type));
        meta.forEach((key, value) -> list.with("meta." + key, value));
        return Answer.list("commits", of.commits(list), this::printAll);
    }

    private void printAll(ObjectNode answer, PrintWriter out) {
        JsonNode commits = answer.path("commits");
        boolean said = false;
        for (JsonNode commit : commits) {
            said |= commit.has("message");
        }
        List<String> heads = new ArrayList<>(List.of("COMMIT", "KIND", "BRANCH", "ACTOR", "CREATED", "CHANGES"));
        if (drawn) {
            heads.addFirst("");
        }
        if (stat) {
            heads.add("TYPES");
        }
        if (said) {
            heads.add("MESSAGE");
        }
        TextTable table = new TextTable(heads);
        CommitLanes lanes = new CommitLanes(all);
        for (JsonNode commit : commits) {
            List<String> row = row(commit, said);
            if (drawn) {
                row.addFirst(lanes.commit(commit));
            }
            table.row(row);
            for (String line : drawn ? lanes.joints() : List.<String>of()) {
                List<String> joint =
                        new ArrayList<>(heads.stream().map(head -> "").toList());
                joint.set(0, line);
                table.row(joint);
            }
        }
        table.print(out, output.screen());
        if (answer.has("truncated_at")) {
            output.note("cleanup has reclaimed the changes of commit "
                    + answer.path("truncated_at").asText()
                    + ", and perhaps of earlier ones: they are not shown");
        }
        if (answer.has("next_before")) {
            output.note("more: --before " + answer.path("next_before").asText());
        }
    }

    private List<String> row(JsonNode commit, boolean said) {
        List<String> row = new ArrayList<>(List.of(
                commit.path("graph_commit_id").asText(),
                commit.path("kind").asText(),
                commit.path("graph_branch").asText(),
                commit.path("actor_id").asText("-"),
                Times.relative(commit.path("created_at").asText()),
                CommitCommand.counts(commit.path("changes"))));
        if (stat) {
            row.add(types(commit.path("types")));
        }
        if (said) {
            row.add(NoteText.firstLine(commit));
        }
        return row;
    }

    /** {@code Person +1 ~2, Knows -1}; nothing for a commit whose changes are reclaimed. */
    private static String types(JsonNode types) {
        List<String> all = new ArrayList<>();
        for (JsonNode type : types) {
            StringBuilder text = new StringBuilder(type.path("type_name").asText());
            add(text, " +", type.path("inserted").asLong());
            add(text, " ~", type.path("updated").asLong());
            add(text, " -", type.path("deleted").asLong());
            all.add(text.toString());
        }
        return String.join(", ", all);
    }

    private static void add(StringBuilder text, String sign, long count) {
        if (count > 0) {
            text.append(sign).append(count);
        }
    }
}
