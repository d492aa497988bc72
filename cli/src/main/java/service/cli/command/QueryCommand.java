package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.GraphClient;
import service.cli.render.MutationAnswer;
import service.cli.render.Rows;

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
    @Mixin private AddressOptions address = new AddressOptions();
    @Mixin private OutputOptions output = new OutputOptions();
    @Mixin private RequestOptions request = new RequestOptions();
    @Mixin private TargetOptions target = new TargetOptions();

    @Option(names = "--format", description = "One of ${COMPLETION-CANDIDATES}.")
    private Rows.@Nullable Format format;

    @Override
    public Integer call() {
        String stored = request.storedName();
        ObjectNode body = request.body();
        target.addTo(body);
        try (GraphClient graph = address.reader()) {
            ObjectNode result =
                    stored == null ? graph.query(body) : graph.invoke(stored, body, null, null);
            if (!result.has("rows")) {
                output.print(result, MutationAnswer::print);
            } else {
                Rows.print(result, output.format(format), output.out(), output.screen());
            }
        }
        return 0;
    }
}
