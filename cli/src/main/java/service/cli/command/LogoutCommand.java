package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import service.cli.boot.Credentials;

/** Forgets a token. */
@Command(
        name = "logout",
        description = "Forgets the token that a login has kept.",
        footer = {"", "Example:", "  service logout work"})
final class LogoutCommand implements Callable<Integer> {
    @Mixin
    private OutputOptions output = new OutputOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The server's name.")
    private String name = "";

    @Override
    public Integer call() {
        boolean removed = Credentials.of(System.getenv()).remove(name);
        output.print(
                JsonNodeFactory.instance.objectNode().put("server", name).put("removed", removed),
                (answer, out) -> out.println(removed ? "logged out of " + name : "there was no token for " + name));
        return 0;
    }
}
