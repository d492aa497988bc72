package service.core.graph.schema;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Receipt;
import service.core.schema.migrate.MigrationPlan;
import service.core.schema.migrate.SchemaRefusal;

/**
 * The answer to an upgrade of a branch, or to its dry run.
 *
 * @param refusals why it would be refused; only of a dry run
 * @param commit null where nothing was written
 * @param replayed whether this repeats the first answer to the same request
 */
public record UpgradeResult(
        String branch,
        Outcome outcome,
        @Nullable String actor,
        Steps steps,
        List<SchemaRefusal> refusals,
        @Nullable CommitRecord commit,
        boolean replayed)
        implements Receipt {
    /** What became, or would become, of the branch. */
    public enum Outcome {
        UPGRADED,
        ALREADY_UP_TO_DATE,
        /** Data of the branch does not fit; only of a dry run. */
        REFUSED;

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * From which schema to which one.
     *
     * @param before digest of the schema that the branch had
     * @param after digest of the schema of {@code main}
     * @param steps as JSON objects
     * @param drops dropped types that had entities
     */
    public record Steps(String before, String after, List<String> steps, List<MigrationPlan.Drop> drops) {
        public Steps {
            steps = List.copyOf(steps);
            drops = List.copyOf(drops);
        }

        /** What a plan would change. */
        public static Steps of(MigrationPlan plan) {
            return new Steps(
                    plan.accepted().digest(),
                    plan.desired().digest(),
                    plan.steps().stream().map(step -> step.toJson().toString()).toList(),
                    plan.drops());
        }
    }

    public UpgradeResult {
        refusals = List.copyOf(refusals);
    }

    static UpgradeResult of(String branch, @Nullable String actor, MigrationPlan plan, @Nullable CommitRecord commit) {
        return new UpgradeResult(
                branch,
                plan.isNothing() ? Outcome.ALREADY_UP_TO_DATE : plan.isRefused() ? Outcome.REFUSED : Outcome.UPGRADED,
                actor,
                Steps.of(plan),
                plan.refusals(),
                commit,
                false);
    }
}
