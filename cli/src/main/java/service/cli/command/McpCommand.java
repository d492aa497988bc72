package service.cli.command;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.agent.AgentGraph;
import service.cli.agent.AgentTools;
import service.cli.client.CommandFailure;
import service.cli.client.ServerHttp;
import service.cli.client.ToolClient;
import service.mcp.transport.StdioTransport;

/** Serves an agent on this machine. */
@Command(
        name = "mcp",
        description = {
            "Gives an agent tools for one graph of a server, as an MCP server on standard input and output.",
            "The agent has the rights of your credential, and with --allow-branch-writes writes on branches that people merge."
        },
        footer = {
            "",
            "Examples:",
            "  service mcp --server http://127.0.0.1:8080 --graph pioneers",
            "  claude mcp add pioneers -- service mcp --server http://127.0.0.1:8080 --graph pioneers --allow-branch-writes"
        })
final class McpCommand implements Callable<Integer>, Narrowed {
    private static final int RESULT_BYTES_MAX = 1 << 20;
    private static final int ROWS_MAX = 100_000;
    private static final int SECONDS_MAX = 300;

    /** How much longer than its query an answer may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private AddressOptions address = new AddressOptions();

    @Option(
            names = "--allow-branch-writes",
            description =
                    "Also let the agent create branches and write on those that are not protected, never on main.")
    private boolean writes;

    @Option(names = "--max-rows", paramLabel = "N", description = "Rows that a query answers at most (default: 1000).")
    private int rows = 1_000;

    @Option(names = "--timeout", paramLabel = "SECONDS", description = "The time of a query (default: 30).")
    private int seconds = 30;

    @Override
    public Set<String> unusable() {
        return Set.of("--store", "--cluster", "--as");
    }

    @Override
    public Integer call() throws IOException {
        if (rows < 1 || rows > ROWS_MAX) {
            throw CommandFailure.usage("--max-rows is from 1 to " + ROWS_MAX + ", not `" + rows + "`");
        }
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw CommandFailure.usage("--timeout is from 1 to " + SECONDS_MAX + " seconds, not `" + seconds + "`");
        }
        try (ServerHttp server = address.server()) {
            String id = address.name();
            if (TerminalCheck.isTerminal(TerminalCheck.STANDARD_INPUT)) {
                output.note(
                        "waiting for the messages of an MCP client; it belongs into the settings of one, Ctrl-D ends it");
            }
            ToolClient client = new ToolClient(server.graph(id), RESULT_BYTES_MAX, PATIENCE.plusSeconds(seconds));
            AgentGraph graph =
                    new AgentGraph(server, client, rows, TimeUnit.SECONDS.toMillis(seconds), Failures::described);
            new StdioTransport<>(
                            AgentTools.of(graph, writes),
                            graph,
                            Version.TEXT,
                            AgentTools.instructions(id, writes),
                            RESULT_BYTES_MAX,
                            StandardOutput.stream())
                    .serve(System.in);
        }
        return 0;
    }
}
