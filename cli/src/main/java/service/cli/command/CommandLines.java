package service.cli.command;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.cli.log.Logging;

/** The two programs, ready to execute arguments. */
public final class CommandLines {
    /** The {@code service} command. */
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
            },
            subcommands = {
                QuickstartCommand.class,
                InitCommand.class,
                LoadCommand.class,
                QueryCommand.class,
                MutateCommand.class,
                BranchCommand.class,
                CommitCommand.class,
                ChangesCommand.class,
                SnapshotCommand.class,
                SchemaCommand.class,
                GraphsCommand.class,
                QueriesCommand.class,
                LintCommand.class,
                ShellCommand.class,
                ExportCommand.class,
                BlobCommand.class,
                CleanupCommand.class,
                CompactCommand.class,
                BackupCommand.class,
                RestoreCommand.class,
                VerifyCommand.class,
                RebuildCommand.class,
                StatsCommand.class,
                ClusterCommand.class,
                PolicyCommand.class,
                LoginCommand.class,
                LogoutCommand.class,
                ProfileCommand.class,
                AliasCommand.class,
                CompletionCommand.class,
                VersionCommand.class,
                HelpCommand.class
            })
    static final class Service {}

    private CommandLines() {}

    /** Runs one command of {@code service} and returns its exit code: 1 when its answer could not be written. */
    public static int run(String[] arguments) {
        StandardOutput output = new StandardOutput();
        PrintWriter out = output.writer();
        CommandLine line = service().setOut(out);
        int code;
        try {
            code = line.execute(expanded(arguments, line));
        } catch (CommandFailure refusal) {
            code = Failures.print(refusal, line.getErr(), Failures.asksForJson(arguments));
        }
        out.flush();
        return output.exitCode(code, line.getErr(), Failures.asksForJson(arguments));
    }

    private static String[] expanded(String[] arguments, CommandLine line) {
        if (arguments.length == 0 || line.getSubcommands().containsKey(arguments[0])) {
            return arguments;
        }
        return Aliases.expand(
                arguments, line.getSubcommands().keySet(), ClientConfig.read(ServiceConfig.environment()));
    }

    public static CommandLine service() {
        Logging.quiet();
        return of(new Service());
    }

    public static CommandLine server() {
        return of(new ServeCommand());
    }

    private static CommandLine of(Object command) {
        Failures failures = new Failures();
        CommandLine line = new CommandLine(command)
                .setExecutionExceptionHandler(failures)
                .setParameterExceptionHandler(failures)
                .setUsageHelpAutoWidth(true);
        addHelp(line);
        HelpText.install(line);
        return line;
    }

    /** {@code --help} on every command, without each of them saying so. */
    private static void addHelp(CommandLine line) {
        if (!line.getCommandSpec().optionsMap().containsKey("--help")) {
            line.getCommandSpec().mixinStandardHelpOptions(true).version(Version.TEXT);
        }
        line.getSubcommands().values().forEach(CommandLines::addHelp);
    }
}
