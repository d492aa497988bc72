package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.Clusters;
import service.cli.boot.GraphAddress;
import service.cli.boot.Server;
import service.cli.boot.ServiceConfig;
import service.cli.boot.StoreTransport;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.log.Logging;
import service.cli.render.Rows;
import service.core.cluster.Cluster;
import service.http.auth.CredentialSources;
import service.http.server.ListenAddress;

/** Writes, applies, loads and serves an example cluster. */
@Command(
        name = "quickstart",
        description = "Writes and applies an example cluster, loads its data, and serves it on loopback.",
        footer = {"", "Example:", "  service quickstart --dir pioneers"})
final class QuickstartCommand implements Callable<Integer> {
    private static final String GRAPH = "pioneers";
    private static final String PEOPLE = "query q() { match { $p: Person } return { count($p) as people } }";
    private static final String LANGUAGES = "languages";
    private static final String HISTORY = "languages/history.sh";

    /** What is written, relative to the directory and to the resources of the program. */
    static final List<String> FILES = List.of(
            "cluster.yaml",
            "pioneers.pg",
            "queries/pioneers.gq",
            "pioneers.ndjson",
            "languages.pg",
            "languages/before-1960.ndjson",
            "languages/1960s.ndjson",
            "languages/1970s.ndjson",
            "languages/1980s.ndjson",
            "languages/1990s.ndjson",
            "languages/2000s.ndjson",
            "languages/2010s.ndjson",
            HISTORY);

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Where to write it (default: ${DEFAULT-VALUE}); used again when it is there.")
    private Path directory = Path.of("quickstart");

    @Option(
            names = "--bind",
            paramLabel = "HOST:PORT",
            description = "Where to listen (default: ${DEFAULT-VALUE}); port 0 takes a free one.")
    private String bind = "127.0.0.1:8080";

    @Override
    public Integer call() throws Exception {
        InetSocketAddress address = ServiceConfig.address(bind);
        if (!address.getHostString().matches("localhost|127\\..*|::1")) {
            throw CommandFailure.usage(
                    "the quickstart serves without authentication, so on loopback only, not on " + bind);
        }
        boolean fresh = isFresh();
        if (!fresh) {
            output.note("Using the example in " + directory + " again");
        } else {
            step("Writing the example into " + directory, this::writeFiles);
        }
        step(
                "Applying the cluster",
                () -> Clusters.at(directory.toString()).apply(Cluster.ApplyRequest.by(null), output::note));
        if (fresh) {
            step("Loading its data", this::load);
            step("Running the commands of " + directory.resolve(HISTORY), this::history);
        }
        Logging.quiet();
        Map<String, String> variables = new HashMap<>(ServiceConfig.environment());
        variables.put(ServiceConfig.CLUSTER.name(), directory.toString());
        variables.put(ServiceConfig.BIND.name(), bind);
        variables.put(ServiceConfig.REQUIRE_ALL_GRAPHS.name(), "true");
        variables.put(ServiceConfig.LIST_GRAPHS.name(), "1");
        ServiceConfig config = ServiceConfig.of(variables);
        new Server(config, CredentialSources.none(), Version.TEXT)
                .serve(running ->
                        printAddress(running.address(), config.serving().console()));
        return 0;
    }

    /** Whether the example must be written; refuses a directory with other files, which it would mix with its own. */
    private boolean isFresh() throws IOException {
        if (!Files.exists(directory)) {
            return true;
        }
        if (!Files.isDirectory(directory)) {
            throw new CommandFailure(CommandFailure.FAILED, directory + " is no directory; name another with --dir");
        }
        if (FILES.stream().allMatch(file -> Files.exists(directory.resolve(file)))) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            if (files.findAny().isPresent()) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        directory + " holds other files than the example; name another directory with --dir");
            }
        }
        return true;
    }

    /** A part of the work. */
    private interface Step {
        void run() throws Exception;
    }

    private void step(String name, Step step) throws Exception {
        output.note(name + " ...");
        long start = System.nanoTime();
        step.run();
        output.note(String.format(Locale.ROOT, "  done in %.1f s", (System.nanoTime() - start) / 1e9));
    }

    private void writeFiles() throws IOException {
        for (String name : FILES) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            try (InputStream content = resource(name)) {
                Files.copy(content, file);
            }
        }
    }

    private static InputStream resource(String name) {
        InputStream content = QuickstartCommand.class.getResourceAsStream("/service/cli/quickstart/" + name);
        if (content == null) {
            throw new IllegalStateException("the program lacks its resource " + name);
        }
        return content;
    }

    private void load() throws IOException {
        try (GraphClient graph = StoreTransport.writing(GraphAddress.ofCluster(directory.toString(), GRAPH), null);
                InputStream records = Files.newInputStream(directory.resolve("pioneers.ndjson"))) {
            graph.load(new GraphClient.LoadTerms(null, null, "merge", null, null), GraphClient.Records.of(records));
        }
    }

    /**
     * Makes the commits, branches and the tag of the second graph. It is opened once, which takes longer than all else.
     */
    private void history() throws Exception {
        List<String> address = List.of("--cluster", directory.toString(), "--graph", LANGUAGES);
        String script = Files.readString(directory.resolve(HISTORY));
        try (StoreTransport.Opened graph =
                StoreTransport.opening(GraphAddress.ofCluster(directory.toString(), LANGUAGES))) {
            for (List<String> arguments : ScriptCommands.of(script, directory, address)) {
                // A command that is parsed twice keeps options of the first time, such as --branch.
                CommandLine.ParseResult parsed = CommandLines.service().parseArgs(arguments.toArray(String[]::new));
                while (parsed.hasSubcommand()) {
                    parsed = parsed.subcommand();
                }
                if (!(parsed.commandSpec().userObject() instanceof GraphCommand command)) {
                    throw new IllegalStateException(HISTORY + " has another command: " + arguments);
                }
                command.check();
                command.ask(graph.as(command.address.actor()));
            }
        }
    }

    private void printAddress(InetSocketAddress bound, boolean hasConsole) {
        PrintWriter out = output.out();
        String url = "http://" + ListenAddress.of(bound);
        String console = url + "/console/";
        if (output.format() != Rows.Format.table) {
            ObjectNode answer = JsonNodeFactory.instance
                    .objectNode()
                    .put("url", url)
                    .put("graph_id", GRAPH)
                    .put("directory", directory.toString());
            if (hasConsole) {
                answer.put("console", console);
            }
            output.print(Answer.of(answer, (unused, none) -> {}));
            return;
        }
        if (hasConsole) {
            out.println("Console: " + console);
            out.println("  of two graphs; " + LANGUAGES + " has branches, a merge with conflicts to decide, and a tag");
        }
        out.println("SERVICE_LISTEN_ADDR=" + ListenAddress.of(bound));
        out.println();
        out.println("Serving " + directory + ". Things to try in another terminal:");
        out.println();
        String graph = " --server " + url + " --graph " + GRAPH;
        tryOut(out, "Ask a stored query", "query machines_of -p name=\"Ada Lovelace\"" + graph);
        tryOut(
                out,
                "Make a branch, and add a person there",
                "branch create draft" + graph,
                "mutate add_person -p name=\"Edsger Dijkstra\" -p born=1930-05-11 --branch draft" + graph);
        tryOut(out, "See what the branch would bring", "branch diff draft" + graph);
        tryOut(out, "Merge it", "branch merge draft" + graph);
        tryOut(
                out,
                "Count the people now, and before the merge",
                "query -e '" + PEOPLE + "'" + graph,
                "query -e '" + PEOPLE + "' --snapshot main~1" + graph);
        out.println("  # Ask over HTTP");
        out.printf(
                "  curl -s -w '\\n' %s/graphs/%s/query -H 'Content-Type: application/json' -d '{\"query\":\"%s\"}'%n%n",
                url, GRAPH, PEOPLE);
        out.println("Then explore it, and make a graph of your own (docs/getting-started.md):");
        out.println();
        out.printf("  %s shell --server %s --graph %s%n", ProgramName.service(), url, GRAPH);
        out.printf("  %s init --cluster mine%n%n", ProgramName.service());
        out.println("Stop with Ctrl-C.");
        out.flush();
    }

    /** Prints what some commands show, as a comment, and the commands. */
    private static void tryOut(PrintWriter out, String shows, String... commands) {
        out.println("  # " + shows);
        for (String command : commands) {
            out.println("  " + ProgramName.service() + " " + command);
        }
        out.println();
    }
}
