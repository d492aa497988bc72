package service.recipes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import service.cli.boot.GraphAddress;
import service.cli.boot.StoreTransport;
import service.cli.client.GraphClient;
import service.cli.command.CommandLines;
import service.core.json.Json;
import service.core.schema.SchemaCompiler;

/** Asks what the recipes have made: the function in a read, and the route by the command. */
public final class Made {
    private Made() {}

    public static void main(String[] arguments) throws IOException {
        Path store = Path.of(arguments[0]);
        GraphAddress.createStore(store, SchemaCompiler.compile("node Person { name: String @key }"), null);
        try (GraphClient graph = StoreTransport.writing(GraphAddress.ofStore(store), null)) {
            graph.mutate(
                    Json.readObject("{\"query\":\"query q() { insert Person { name: \\\"queue\\\" } }\"}".getBytes(), "body"), null, null);
            String query = "{\"query\":\"query q() { match { $p: Person } return { vowels($p.name) as n } }\"}";
            Files.writeString(Path.of(arguments[1]), graph.query(Json.readObject(query.getBytes(), "body")).toString());
        }
        System.exit(CommandLines.run(new String[] {"types", "--store", store.toString()}));
    }
}
