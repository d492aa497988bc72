package service.cli.command;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import service.cli.client.GraphClient;

/** Filters of changes; each may be repeated. */
final class FilterOptions {
    @Option(names = "--kind", paramLabel = "node|edge", description = "Only this kind of entity.")
    private List<Kind> kinds = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only this type; may be repeated.")
    private List<String> types = new ArrayList<>();

    @Option(names = "--op", paramLabel = "insert|update|delete", description = "Only this operation; may be repeated.")
    private List<Operation> operations = new ArrayList<>();

    /** The words of {@code --kind}. */
    enum Kind {
        node,
        edge
    }

    /** The words of {@code --op}. */
    enum Operation {
        insert,
        update,
        delete
    }

    boolean isEmpty() {
        return kinds.isEmpty() && types.isEmpty() && operations.isEmpty();
    }

    GraphClient.Filters filters() {
        return new GraphClient.Filters(names(kinds), types, names(operations));
    }

    private static List<String> names(List<? extends Enum<?>> words) {
        return words.stream().<String>map(Enum::name).toList();
    }
}
