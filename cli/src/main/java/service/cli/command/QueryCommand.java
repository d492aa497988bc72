package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.client.GraphClient;

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
final class QueryCommand implements Callable<Integer> {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    @Mixin
    private RequestOptions request = new RequestOptions();

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Override
    public Integer call() {
        String stored = request.storedName();
        ObjectNode body = request.body();
        target.addTo(body);
        ObjectNode result;
        try (GraphClient graph = address.reader()) {
            result = Progress.during(
                    output,
                    "waiting",
                    () -> stored == null ? graph.query(body) : graph.invoke(stored, body, null, null));
        }
        output.printResult(result);
        return 0;
    }
}
