package service.cli.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.shell.Graphs;
import service.cli.shell.Shell;

/** Interactive GQ. */
@Command(
        name = "shell",
        description = {
            "Interactive GQ: history, completion of types, properties, edges and parameters, timing.",
            "Without a terminal it runs what standard input holds, and exits with 1 when an input failed."
        },
        footer = {
            "",
            "Examples:",
            "  service shell --store people",
            "  service shell --server http://127.0.0.1:8080 --graph pioneers",
            "  echo 'match { $$p: Person } return { count($$p) }' | service shell --store people"
        })
final class ShellCommand implements Callable<Integer> {
    @Mixin
    FormatOption format = new FormatOption();

    private static final String HISTORY = "shell_history";

    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Option(names = "--stop-on-error", description = "Without a terminal: end with the first input that fails.")
    private boolean stopOnError;

    @Override
    public Integer call() throws IOException {
        // A mistake in the address is told before the first input, and also where there is none.
        address.name();
        Shell shell = new Shell(graphs(), output.format(), Failures::describe);
        if (!TerminalCheck.isTerminal(TerminalCheck.STANDARD_INPUT)) {
            boolean done = shell.runAll(
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
                    output.out(),
                    output.err(),
                    stopOnError);
            return done ? 0 : CommandFailure.FAILED;
        }
        try (Terminal terminal = TerminalBuilder.builder().system(true).build()) {
            shell.interact(
                    terminal,
                    ClientConfig.directory(ServiceConfig.environment()).resolve(HISTORY),
                    output.screen().color());
        }
        return 0;
    }

    private Graphs graphs() {
        return new Graphs() {
            @Override
            public GraphClient reader() {
                return address.reader();
            }

            @Override
            public GraphClient writer() {
                return address.writer();
            }

            @Override
            public String name() {
                return address.name();
            }
        };
    }
}
