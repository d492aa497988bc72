package service.cli.command;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import service.cli.client.CommandFailure;
import service.cli.lsp.LanguageServer;

/** Serves an editor. */
@Command(
        name = "lsp",
        description = {
            "Serves an editor on standard input and output with the language server protocol.",
            "For schemas (.pg) and queries (.gq): diagnostics, completion, hover, definitions, symbols and layout."
        },
        footer = {"", "Example:", "  service lsp"})
final class LspCommand extends AnswerCommand {
    @Override
    @Nullable
    Answer answer() {
        try {
            if (new LanguageServer(System.in, StandardOutput.stream(), Version.TEXT).run()) {
                return null;
            }
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "the editor cannot be served: " + e.getMessage());
        }
        throw new CommandFailure(CommandFailure.FAILED, "the editor left without shutting the server down");
    }
}
