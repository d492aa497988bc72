package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import service.cli.client.GraphClient;

/** A command that asks one graph, of a server, a cluster or a store. */
abstract class GraphCommand extends AnswerCommand {
    @Mixin
    AddressOptions address = new AddressOptions();

    /** Sends the request; null where it has printed everything itself. */
    abstract @Nullable Answer ask(GraphClient graph) throws Exception;

    /** Runs before the graph is opened: refuses options that do not go together, asks for a confirmation. */
    void check() {}

    /** The graph, opened for reading; a command that writes overrides this. */
    GraphClient open() {
        return address.reader();
    }

    @Override
    final @Nullable Answer answer() throws Exception {
        check();
        try (GraphClient graph = open()) {
            return ask(graph);
        }
    }
}
