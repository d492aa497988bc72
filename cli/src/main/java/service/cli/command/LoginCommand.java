package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import service.cli.boot.ClientConfig;
import service.cli.boot.Credentials;
import service.cli.boot.ServiceConfig;
import service.cli.client.CommandFailure;

/** Stores a token. */
@Command(
        name = "login",
        description = {
            "Stores a bearer token for a named server, in a file that only you can read.",
            "It is sent to that server and to no other."
        },
        footer = {
            "",
            "Examples:",
            "  service login work                      asks for the token",
            "  service login work < token.txt          takes it from standard input"
        })
final class LoginCommand extends AnswerCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The server's name: servers.NAME.url of config.yaml.")
    private String name = "";

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "The token (default: one line of standard input, which ps does not show).")
    private @Nullable String token;

    @Override
    Answer answer() throws IOException {
        Credentials credentials = Credentials.of(ServiceConfig.environment());
        Credentials.requireName(name);
        boolean known = ClientConfig.read(ServiceConfig.environment()).knowsServer(name);
        String unknown = "config.yaml does not say yet where " + name + " is: add servers." + name + ".url";
        try {
            credentials.put(name, token == null ? read() : token);
        } catch (CommandFailure e) {
            // The name comes first: where it is misspelt, another token does not help.
            throw known ? e : CommandFailure.usage(unknown + "; " + e.getMessage());
        }
        if (!known) {
            output.note(unknown);
        }
        return Answer.line(
                JsonNodeFactory.instance
                        .objectNode()
                        .put("server", name)
                        .put("credentials", credentials.file().toString()),
                "logged in to " + name + "; the token is in " + credentials.file());
    }

    private String read() throws IOException {
        if (TerminalCheck.isTerminal(TerminalCheck.STANDARD_INPUT)) {
            char[] typed = Objects.requireNonNull(System.console()).readPassword("Token for %s: ", name);
            return typed == null ? "" : new String(typed).strip();
        }
        String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        return line == null ? "" : line.strip();
    }
}
