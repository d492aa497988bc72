package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import service.cli.client.CommandFailure;
import service.cli.client.GraphClient;

/** What {@code schema plan} and {@code schema apply} have in common. */
abstract class SchemaChangeCommand extends GraphCommand {
    @Option(names = "--schema", required = true, paramLabel = "FILE", description = "The desired schema, a .pg file.")
    private Path schema = Path.of(".");

    @Option(
            names = "--allow-drop",
            paramLabel = "TYPE",
            description = "Allow a type to be dropped although it has entities. May be given several times.")
    private List<String> allowedDrops = new ArrayList<>();

    /** Shows what would change. */
    @Command(
            name = "plan",
            description = {
                "Shows how a store's schema would change. Writes nothing.",
                "Exits with 1 when the change is refused."
            },
            footer = {"", "Example:", "  service schema plan --store people --schema people.pg"})
    static final class Plan extends SchemaChangeCommand {
        @Option(names = "--exit-code", description = "Exit with 3 when something would change.")
        private boolean exitCode;

        @Override
        Answer ask(GraphClient graph) {
            Answer answer = answer(Progress.during(output, "planning", () -> graph.planSchema(source(), drops())));
            if (exitCode && !answer.failed() && !answer.json().path("converged").asBoolean()) {
                output.print(answer);
                throw CommandFailure.changes();
            }
            return answer;
        }
    }

    /** Changes the schema. */
    @Command(
            name = "apply",
            description = "Changes a store's schema in one commit; the data is kept.",
            footer = {"", "Example:", "  service schema apply --store people --schema people.pg"})
    static final class Apply extends SchemaChangeCommand {
        @Override
        GraphClient open() {
            return address.writer();
        }

        @Override
        Answer ask(GraphClient graph) {
            return answer(Progress.during(output, "migrating", () -> graph.applySchema(source(), drops())));
        }
    }

    String source() {
        return RequestOptions.read(schema);
    }

    List<String> drops() {
        return allowedDrops;
    }

    /** The answer has failed when the migration is refused. */
    static Answer answer(ObjectNode plan) {
        boolean refused = !plan.path("refusals").isEmpty();
        return new Answer(plan, null, SchemaChangeCommand::print, refused);
    }

    private static void print(ObjectNode plan, PrintWriter out) {
        if (plan.path("converged").asBoolean()) {
            out.println(
                    "No changes. The schema is " + plan.path("schema_digest").asText() + ".");
            return;
        }
        int added = 0;
        int changed = 0;
        int dropped = 0;
        for (JsonNode step : plan.path("steps")) {
            char mark = mark(step.path("step").asText());
            out.println("  " + mark + " " + text(step));
            added += mark == '+' ? 1 : 0;
            changed += mark == '~' ? 1 : 0;
            dropped += mark == '-' ? 1 : 0;
        }
        if (plan.path("steps").isEmpty()) {
            out.println("  ~ the text alone");
        }
        for (JsonNode drop : plan.path("drops")) {
            out.printf(
                    "%s type %s is dropped with %d entities; older snapshots keep them.%n",
                    drop.path("kind").asText(),
                    drop.path("type_name").asText(),
                    drop.path("entity_count").asLong());
        }
        for (JsonNode refusal : plan.path("refusals")) {
            out.println("refused  " + refusal.path("code").asText() + "  "
                    + refusal.path("message").asText());
        }
        boolean applied = plan.has("commit");
        out.printf("%s: %d to add, %d to change, %d to drop.%n", applied ? "Applied" : "Plan", added, changed, dropped);
        if (applied) {
            out.println("commit   " + plan.at("/commit/graph_commit_id").asText());
        }
    }

    private static char mark(String step) {
        if (step.startsWith("add_")) {
            return '+';
        }
        return step.startsWith("drop_") ? '-' : step.equals("unsupported") ? '!' : '~';
    }

    private static String text(JsonNode step) {
        String name = step.path("kind").asText() + " " + step.path("type_name").asText()
                + (step.has("property") ? "." + step.path("property").asText() : "");
        if (step.has("from")) {
            return name + " (was " + step.path("from").asText() + ")";
        }
        if (step.has("constraint")) {
            return name + " " + step.path("constraint").asText();
        }
        String before = step.path("before").asText();
        String after = step.path("after").asText();
        if (before.isEmpty() || after.isEmpty()) {
            String only = before.isEmpty() ? after : before;
            return name + (only.isEmpty() ? "" : ": " + only);
        }
        return name + ": " + before + " -> " + after;
    }
}
