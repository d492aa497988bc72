package service.cli.command;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.cli.log.Logging;
import service.http.server.ServiceServer;

/** The two programs, ready to execute arguments. */
public final class CommandLines {
    /** The {@code service} command; its subcommands are added by name. */
    @Command(
            name = "service",
            description = {
                "Works with graphs and the servers that hold them.",
                "`service COMMAND --help` explains a command; docs/command-line.md explains addresses, formats and exit codes."
            },
            footer = {
                "",
                "Examples:",
                "  service quickstart",
                "  service query --store people -e 'match { $$p: Person } return { count($$p) }'",
                "  service shell --server http://127.0.0.1:8080 --graph people"
            })
    static final class Service {}

    /** The subcommands in the order of the help. */
    private static final List<Map.Entry<String, Class<?>>> SUBCOMMANDS = List.of(
            Map.entry("quickstart", QuickstartCommand.class),
            Map.entry("init", InitCommand.class),
            Map.entry("load", LoadCommand.class),
            Map.entry("query", QueryCommand.class),
            Map.entry("mutate", MutateCommand.class),
            Map.entry("embed", EmbedCommand.class),
            Map.entry("branch", BranchCommand.class),
            Map.entry("tag", TagCommand.class),
            Map.entry("commit", CommitCommand.class),
            Map.entry("history", HistoryCommand.class),
            Map.entry("changes", ChangesCommand.class),
            Map.entry("snapshot", SnapshotCommand.class),
            Map.entry("search", SearchCommand.class),
            Map.entry("schema", SchemaCommand.class),
            Map.entry("graphs", GraphsCommand.class),
            Map.entry("queries", QueriesCommand.class),
            Map.entry("lint", LintCommand.class),
            Map.entry("fmt", FmtCommand.class),
            Map.entry("lsp", LspCommand.class),
            Map.entry("shell", ShellCommand.class),
            Map.entry("mcp", McpCommand.class),
            Map.entry("export", ExportCommand.class),
            Map.entry("blob", BlobCommand.class),
            Map.entry("cleanup", CleanupCommand.class),
            Map.entry("compact", CompactCommand.class),
            Map.entry("backup", BackupCommand.class),
            Map.entry("restore", RestoreCommand.class),
            Map.entry("verify", VerifyCommand.class),
            Map.entry("rebuild", RebuildCommand.class),
            Map.entry("stats", StatsCommand.class),
            Map.entry("cluster", ClusterCommand.class),
            Map.entry("policy", PolicyCommand.class),
            Map.entry("identity", IdentityCommand.class),
            Map.entry("login", LoginCommand.class),
            Map.entry("logout", LogoutCommand.class),
            Map.entry("profile", ProfileCommand.class),
            Map.entry("alias", AliasCommand.class),
            Map.entry("completion", CompletionCommand.class),
            Map.entry("version", VersionCommand.class),
            Map.entry("help", HelpCommand.class));

    /** The commands that show or complete the others. */
    private static final Set<String> NEED_ALL = Set.of("help", "completion", "alias");

    private CommandLines() {}

    /** Runs one command of {@code service} and returns its exit code: 1 when its answer could not be written. */
    public static int run(String[] arguments) {
        StandardOutput output = new StandardOutput();
        PrintWriter out = output.writer();
        CommandLine line = service(arguments).setOut(out).setErr(StandardOutput.errors());
        int code;
        try {
            code = line.execute(expanded(arguments, line));
        } catch (CommandFailure refusal) {
            code = Failures.print(refusal, line.getErr(), Failures.asksForJson(arguments));
        } catch (InternalError cut) {
            // The JVM throws it when a mapped page is gone, or cannot be read from the disk.
            code = Failures.print(
                    new CommandFailure(
                            CommandFailure.FAILED,
                            "a file of the graph was cut off, or its disk failed, while it was read: run `service verify`"),
                    line.getErr(),
                    Failures.asksForJson(arguments));
        }
        out.flush();
        return output.exitCode(code, line.getErr(), Failures.asksForJson(arguments));
    }

    /**
     * Runs {@code service-server} and returns its exit code: 1 also when a help that was asked for could not be
     * written.
     */
    public static int runServer(String[] arguments) {
        StandardOutput output = new StandardOutput();
        PrintWriter out = output.writer();
        CommandLine line = server().setOut(out).setErr(StandardOutput.errors());
        int code = line.execute(arguments);
        out.flush();
        CommandLine.ParseResult parsed = line.getParseResult();
        boolean answered = parsed != null && (parsed.isUsageHelpRequested() || parsed.isVersionHelpRequested());
        return answered ? output.exitCode(code, line.getErr(), false) : code;
    }

    private static String[] expanded(String[] arguments, CommandLine line) {
        if (arguments.length == 0
                || arguments[0].startsWith("-")
                || line.getSubcommands().containsKey(arguments[0])) {
            return arguments;
        }
        return Aliases.expand(
                arguments, line.getSubcommands().keySet(), ClientConfig.read(ServiceConfig.environment()));
    }

    /** The whole {@code service} command. */
    public static CommandLine service() {
        return service(name -> true, CommandLine::new);
    }

    /**
     * The {@code service} command with what these arguments need of it: the command that they name, or for the help of
     * the program the name and description of each command. Making all commands takes longer than most of them run.
     */
    public static CommandLine service(String[] arguments) {
        String first = arguments.length == 0 ? "--help" : arguments[0];
        if (arguments.length <= 1 && (first.equals("--help") || first.equals("-h"))) {
            return service(name -> true, CommandLines::outline);
        }
        boolean alone = !NEED_ALL.contains(first)
                && SUBCOMMANDS.stream().anyMatch(command -> command.getKey().equals(first));
        return alone ? service(first::equals, CommandLine::new) : service();
    }

    private static CommandLine service(Predicate<String> wanted, Function<Class<?>, CommandLine> maker) {
        Logging.quiet();
        CommandLine line = new CommandLine(new Service());
        for (Map.Entry<String, Class<?>> command : SUBCOMMANDS) {
            if (wanted.test(command.getKey())) {
                line.addSubcommand(command.getKey(), maker.apply(command.getValue()));
            }
        }
        return complete(line);
    }

    /** A command that has a description and nothing else. */
    private static CommandLine outline(Class<?> command) {
        Command shown = Objects.requireNonNull(command.getAnnotation(Command.class));
        CommandSpec spec = CommandSpec.create();
        spec.usageMessage().header(shown.header()).description(shown.description());
        return new CommandLine(spec);
    }

    /** Begins with loading what a server needs, on another thread. Nothing depends on it. */
    public static void prepareServer() {
        Logging.quiet();
        ServiceServer.prepare();
    }

    public static CommandLine server() {
        return complete(new CommandLine(new ServeCommand()));
    }

    private static CommandLine complete(CommandLine line) {
        Failures failures = new Failures();
        line.setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures)
                .setUsageHelpAutoWidth(true)
                .setCaseInsensitiveEnumValuesAllowed(true);
        addHelp(line);
        HelpText.install(line);
        return line;
    }

    /** {@code --help} on every command, without each of them saying so; and no option that a command cannot use. */
    private static void addHelp(CommandLine line) {
        if (!line.getCommandSpec().optionsMap().containsKey("--help")) {
            line.getCommandSpec().mixinStandardHelpOptions(true).version(Version.TEXT);
        }
        Narrowed.apply(line.getCommandSpec());
        line.getSubcommands().values().forEach(CommandLines::addHelp);
    }
}
