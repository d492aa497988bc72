package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.core.error.ServiceException;

/** Runs a read. */
@Command(
        name = "query",
        description = "Runs a read and prints its rows.",
        footer = {
            "",
            "Examples:",
            "  service query --store people -e 'query all() { match { $$p: Person } return { $$p.name } }'",
            "  service query find --server http://127.0.0.1:8080 --graph social -p name=ada --format jsonl"
        })
final class QueryCommand extends GraphCommand {
    @Mixin
    FormatOption format = new FormatOption();

    @Mixin
    private RequestOptions request = new RequestOptions();

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Override
    void check() {
        request.read();
    }

    @Override
    @Nullable
    Answer ask(GraphClient graph) {
        String stored = request.storedName();
        ObjectNode body = request.body();
        target.addTo(body);
        if (stored != null) {
            body.put("expect", "read");
        }
        try {
            return output.result(Progress.during(
                    output,
                    "waiting",
                    () -> stored == null ? graph.query(body) : graph.invoke(stored, body, null, null)));
        } catch (CommandFailure | ServiceException refused) {
            throw request.placed(refused);
        }
    }
}
