package service.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.client.GraphClient;

/** Shows the schema. */
@Command(
        name = "schema",
        description = "Shows schemas.",
        footer = {"", "Example:", "  service schema show --store people"},
        subcommands = {SchemaCommand.Show.class})
final class SchemaCommand {
    private SchemaCommand() {}

    /** {@code schema show}. */
    @Command(
            name = "show",
            description = "Prints the schema in force at a point.",
            footer = {"", "Example:", "  service schema show --store people > people.pg"})
    static final class Show implements Callable<Integer> {
        @Mixin
        private AddressOptions address = new AddressOptions();

        @Mixin
        private OutputOptions output = new OutputOptions();

        @Mixin
        private TargetOptions target = new TargetOptions();

        @Override
        public Integer call() {
            try (GraphClient graph = address.reader()) {
                output.print(
                        graph.schema(target.target()),
                        (schema, out) -> out.print(schema.path("schema_source").asText()));
            }
            return 0;
        }
    }
}
