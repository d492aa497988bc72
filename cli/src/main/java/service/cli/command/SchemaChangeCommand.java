package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import service.cli.boot.StoreSchema;
import service.cli.client.CommandFailure;
import service.core.event.Note;

/** What {@code schema plan} and {@code schema apply} have in common. */
abstract class SchemaChangeCommand extends AnswerCommand implements Narrowed {
    @Mixin
    private AddressOptions address = new AddressOptions();

    @Option(names = "--schema", required = true, paramLabel = "FILE", description = "The desired schema, a .pg file.")
    private Path schema = Path.of(".");

    @Option(
            names = "--allow-drop",
            paramLabel = "TYPE",
            description = "Allow a type to be dropped although it has entities. May be given several times.")
    private List<String> allowedDrops = new ArrayList<>();

    @Override
    public Set<String> unusable() {
        return Set.of("--server", "--cluster", "--graph");
    }

    @Override
    public String instead(String option) {
        return "the schema of a cluster's graph is in the cluster's files; `service cluster plan` and `service cluster"
                + " apply` change it";
    }

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
        Answer answer() {
            return answer(
                    false,
                    exitCode ? CommandFailure.CHANGES : 0,
                    of -> Progress.during(output, "planning", () -> of.plan(source(), allowedDrops())));
        }
    }

    /** Changes the schema. */
    @Command(
            name = "apply",
            description = "Changes a store's schema in one commit; the data is kept.",
            footer = {"", "Example:", "  service schema apply --store people --schema people.pg"})
    static final class Apply extends SchemaChangeCommand {
        @Mixin
        private NoteOptions note = new NoteOptions();

        @Override
        Answer answer() {
            Note why = note.note();
            return answer(
                    true, 0, of -> Progress.during(output, "migrating", () -> of.apply(source(), allowedDrops(), why)));
        }
    }

    /**
     * Plans or applies.
     *
     * @param changesCode the exit code of a migration that has changes
     */
    final Answer answer(boolean apply, int changesCode, Function<StoreSchema, ObjectNode> outcome) {
        try (StoreSchema of = address.schema(apply)) {
            return answer(outcome.apply(of), changesCode);
        }
    }

    final List<String> allowedDrops() {
        return allowedDrops;
    }

    final String source() {
        String source = RequestOptions.read(schema);
        Findings.ofSchema(schema.toString(), source).note(output);
        return source;
    }

    /**
     * The answer has failed when the migration is refused.
     *
     * @param changesCode the exit code of a migration that has changes
     */
    static Answer answer(ObjectNode plan, int changesCode) {
        int accepted = plan.path("converged").asBoolean() ? 0 : changesCode;
        boolean refused = !plan.path("refusals").isEmpty();
        return new Answer(plan, null, SchemaChangeCommand::print, refused ? CommandFailure.FAILED : accepted);
    }

    private static void print(ObjectNode plan, PrintWriter out) {
        if (plan.path("converged").asBoolean()) {
            out.println(
                    "No changes. The schema is " + plan.path("schema_digest").asText() + ".");
            return;
        }
        SchemaSteps.lines(plan.path("steps")).forEach(line -> out.println("  " + line));
        int added = 0;
        int changed = 0;
        int dropped = 0;
        for (JsonNode step : plan.path("steps")) {
            switch (SchemaSteps.sign(step)) {
                case '+' -> added++;
                case '-' -> dropped++;
                case '~' -> changed++;
                default -> {}
            }
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
        boolean applied = plan.path("commit").isObject();
        out.printf("%s: %d to add, %d to change, %d to drop.%n", applied ? "Applied" : "Plan", added, changed, dropped);
        if (applied) {
            out.println("commit   " + plan.at("/commit/graph_commit_id").asText());
        }
    }
}
