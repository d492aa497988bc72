package service.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.cli.render.TextTable;

/** Prints plans for people: a sign for each change, the steps of migrations, what is blocked, and what to type next. */
final class PlanText {
    private final ClusterOptions options;
    private @Nullable Path saved;

    PlanText(ClusterOptions options) {
        this.options = options;
    }

    /** The text of a plan that was saved to a file, which the next apply takes; null where it was not saved. */
    PlanText of(@Nullable Path file) {
        saved = file;
        return this;
    }

    /** What {@code cluster plan} prints. */
    void plan(ObjectNode plan, PrintWriter out) {
        if (plan.path("changes").isEmpty()) {
            out.println(
                    plan.path("converged").asBoolean()
                            ? "Nothing to change: what is applied is what the files declare. " + revision(plan)
                            : "The files declare nothing yet. Next: " + options.command("apply"));
            return;
        }
        changes(plan, out);
        out.println();
        out.println("Plan: " + counts(plan, "to add", "to change", "to delete") + ". " + revision(plan));
        next(plan, out);
    }

    /** What {@code cluster apply} prints. */
    void applied(ObjectNode plan, PrintWriter out) {
        if (plan.path("changes").isEmpty()) {
            out.println("Nothing to do: what is applied is what the files declare. " + revision(plan));
            return;
        }
        changes(plan, out);
        out.println();
        boolean any = of(plan, "", false) > 0;
        out.println(
                (any ? "Applied: " + counts(plan, "added", "changed", "deleted") : "Nothing applied: " + blocked(plan))
                        + ". " + revision(plan));
        if (!plan.path("converged").asBoolean()) {
            next(plan, out);
        }
    }

    private static void changes(ObjectNode plan, PrintWriter out) {
        for (JsonNode change : plan.path("changes")) {
            String reason = change.path("reason").asText("");
            boolean blocked = isBlocked(change);
            out.println("  " + sign(change) + " " + change.path("resource").asText()
                    + (reason.isEmpty() || blocked ? "" : "  (" + reason + ")"));
            SchemaSteps.lines(change.path("migration")).forEach(line -> out.println("      " + line));
            if (blocked) {
                out.println("      blocked: " + reason);
            }
        }
    }

    private static boolean isBlocked(JsonNode change) {
        return change.path("disposition").asText().equals("blocked");
    }

    private static String sign(JsonNode change) {
        return switch (change.path("change").asText()) {
            case "create" -> "+";
            case "delete" -> "-";
            default -> "~";
        };
    }

    private static String counts(ObjectNode plan, String added, String changed, String deleted) {
        List<String> parts = new ArrayList<>(List.of(
                of(plan, "create", false) + " " + added,
                of(plan, "update", false) + " " + changed,
                of(plan, "delete", false) + " " + deleted));
        if (of(plan, "", true) > 0) {
            parts.add(blocked(plan));
        }
        return String.join(", ", parts);
    }

    private static String blocked(ObjectNode plan) {
        return of(plan, "", true) + " blocked";
    }

    private static long of(ObjectNode plan, String kind, boolean blocked) {
        long count = 0;
        for (JsonNode change : plan.path("changes")) {
            boolean fits = kind.isEmpty() || change.path("change").asText().equals(kind);
            count += fits && isBlocked(change) == blocked ? 1 : 0;
        }
        return count;
    }

    private static String revision(ObjectNode plan) {
        long revision = plan.path("ledger_revision").asLong();
        return revision == 0 ? "Nothing was applied before." : "Ledger revision " + revision + ".";
    }

    private void next(ObjectNode plan, PrintWriter out) {
        List<String> commands = new ArrayList<>();
        plan.path("approvals_required")
                .forEach(resource -> commands.add(options.command("approve " + resource.asText())));
        if (!commands.isEmpty() || of(plan, "", false) > 0) {
            // An approval changes the cluster, so that a plan saved before it is stale.
            boolean usable = saved != null && commands.isEmpty();
            commands.add(options.command(usable ? "apply --plan " + ProgramName.word(String.valueOf(saved)) : "apply"));
        }
        if (commands.isEmpty()) {
            out.println("Remove what blocks the " + TextTable.counted(of(plan, "", true), "change") + ", then: "
                    + options.command("apply"));
            return;
        }
        out.println("Next:");
        commands.forEach(command -> out.println("  " + command));
    }
}
