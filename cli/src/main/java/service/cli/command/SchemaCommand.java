package service.cli.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import service.cli.client.GraphClient;
import service.cli.render.VisibleWriter;

/** Shows and changes the schema. */
@Command(
        name = "schema",
        description = "Shows and changes schemas.",
        footer = {"", "Example:", "  service schema show --store people"},
        subcommands = {
            SchemaCommand.Show.class,
            SchemaInferCommand.class,
            SchemaChangeCommand.Plan.class,
            SchemaChangeCommand.Apply.class
        })
final class SchemaCommand {
    private SchemaCommand() {}

    /** {@code schema show}. */
    @Command(
            name = "show",
            description = "Prints the schema in force at a point.",
            footer = {"", "Example:", "  service schema show --store people > people.pg"})
    static final class Show extends GraphCommand {
        @Mixin
        private TargetOptions target = new TargetOptions();

        @Override
        Answer ask(GraphClient graph) {
            return Answer.of(
                    graph.schema(target.target()),
                    (schema, out) -> VisibleWriter.data(out)
                            .print(schema.path("schema_source").asText()));
        }
    }
}
