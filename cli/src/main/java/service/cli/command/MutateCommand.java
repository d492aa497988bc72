package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.error.ServiceException;

/** Runs a mutation. */
@Command(
        name = "mutate",
        description = "Runs a mutation as one commit, all or nothing.",
        footer = {
            "",
            "Example:",
            "  service mutate --store people -p name=ada \\",
            "    -e 'query add($$name: String) { insert Person { name: $$name } }'"
        })
final class MutateCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private RequestOptions request = new RequestOptions();

    @Option(names = "--branch", paramLabel = "NAME", description = "The branch to write to (default: main).")
    private @Nullable String branch;

    @Mixin
    private WriteOptions write = new WriteOptions();

    @Override
    void check() {
        request.read();
    }

    @Override
    GraphClient open() {
        return address.writer();
    }

    @Override
    @Nullable
    Answer ask(GraphClient graph) {
        String stored = request.storedName();
        ObjectNode body = request.body();
        if (stored != null) {
            body.put("expect", "mutation");
        }
        if (branch != null) {
            body.put("branch", branch);
        }
        write.note.addTo(body);
        try {
            return output.result(Progress.during(
                    output,
                    "waiting",
                    () -> stored == null
                            ? graph.mutate(body, write.condition, write.key)
                            : graph.invoke(stored, body, write.condition, write.key)));
        } catch (CommandFailure | ServiceException refused) {
            throw request.placed(refused);
        }
    }
}
