package service.core.gq;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.gq.plan.Plan;
import service.core.value.Value;

/**
 * A compiled source: its settings and one query or statement. Immutable; safe between threads.
 *
 * @param settings the {@code set} and {@code reset} lines, in order
 * @param warnings findings that do not stop it, such as T27
 */
public record CompiledSource(List<SettingChange> settings, Request request, List<Diagnostic> warnings) {
    /**
     * A settings line. The owner of the settings checks its name and value.
     *
     * @param name null for {@code reset all}
     * @param value null for a reset
     */
    public record SettingChange(
            @Nullable String name, @Nullable Value value) {}

    /** The query or statement that a source asks for. */
    public sealed interface Request {
        /** The chosen query. */
        record Query(Plan plan) implements Request {}

        /** {@code explain [analyze] query …}. */
        record Explain(Plan plan, boolean analyze) implements Request {}

        record BranchList() implements Request {}

        record BranchShow(String branch) implements Request {}

        /** {@code branch create … [from …]}; without {@code from} the facade applies its default. */
        record BranchCreate(String branch, @Nullable String from) implements Request {}

        record BranchDelete(String branch) implements Request {}

        /** {@code branch merge … [into …]}; without {@code into} the facade applies its default. */
        record BranchMerge(String source, @Nullable String target) implements Request {}

        /** {@code commit revert}, {@code commit pick} or {@code branch restore}. */
        record Undo(
                UndoStatement statement,
                String ref,
                @Nullable String branch) implements Request {}

        /** {@code show name} or {@code show all}, for which the name is null. */
        record ShowSettings(@Nullable String name) implements Request {}
    }
}
