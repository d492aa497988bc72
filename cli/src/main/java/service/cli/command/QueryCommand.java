package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;
import service.cli.render.Rows;
import service.core.error.ServiceException;

/** Runs a read. */
@Command(
        name = "query",
        description = "Runs a read and prints its rows.",
        footer = {
            "",
            "Examples:",
            "  service query --store people -e 'query all() { match { $$p: Person } return { $$p.name } }'",
            "  service query find --server http://127.0.0.1:8080 --graph social -p name=ada --format jsonl",
            "  service query find --profile daily -p name=ada --format arrow > rows.arrow"
        })
final class QueryCommand extends GraphCommand {
    /** The formats of rows. */
    enum Format {
        table(Rows.Format.table),
        json(Rows.Format.json),
        jsonl(Rows.Format.jsonl),
        csv(Rows.Format.csv),
        kv(Rows.Format.kv),
        arrow(Rows.Format.table);

        /** The form of what is printed as text: for Arrow, of refusals. */
        final Rows.Format text;

        Format(Rows.Format text) {
            this.text = text;
        }
    }

    @Option(
            names = FormatOption.NAME,
            paramLabel = "FORMAT",
            description = "One of ${COMPLETION-CANDIDATES}; arrow is an Arrow stream for a file or a pipe.")
    private @Nullable Format format;

    @Mixin
    private RequestOptions request = new RequestOptions();

    @Mixin
    private TargetOptions target = new TargetOptions();

    @Override
    void check() {
        request.read();
        if (format == Format.arrow && TerminalCheck.isTerminal(TerminalCheck.STANDARD_OUTPUT)) {
            throw CommandFailure.usage("--format arrow writes bytes: send them into a file or a pipe");
        }
    }

    @Override
    @Nullable
    Answer ask(GraphClient graph) throws IOException {
        String stored = request.storedName();
        ObjectNode body = request.body();
        target.addTo(body);
        if (stored != null) {
            body.put("expect", "read");
        }
        try {
            if (format == Format.arrow) {
                OutputStream out = StandardOutput.stream();
                graph.streams().rows(stored, body, out);
                out.flush();
                return null;
            }
            return output.result(Progress.during(
                    output,
                    "waiting",
                    () -> stored == null ? graph.query(body) : graph.invoke(stored, body, null, null)));
        } catch (CommandFailure | ServiceException refused) {
            throw request.placed(refused);
        }
    }
}
