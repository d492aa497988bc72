package service.projection;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.port.BranchStep;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.testkit.ViewShows;
import service.log.lmdb.CommitHook;
import service.projection.apply.CatchUp;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.TablesCompared;
import service.projection.table.ProjectionEnvironment;

class HistoryTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void everyViewEqualsTheFoldAndAReplayMakesTheSameTables(long seed) {
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("graph"), TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            GeneratedHistory history = new GeneratedHistory(seed, storage, 12);
            history.run(400, 20);
            assertThat(history.fastForwards).isPositive();
            check(storage, history);
            long last = storage.events().tail().offset();
            try (ProjectionEnvironment again = ProjectionEnvironment.open(
                    directory.resolve("again"), TestGraph.options().projection(), CommitHook.NONE)) {
                new CatchUp(storage.events(), again, TestGraph.CATALOGS).run(last, offset -> {});
                assertThat(TablesCompared.difference(storage.environment(), again))
                        .isNull();
            }
        }
    }

    /** After every 50th commit compares scan, lookup, seek and expand of the view with an in-memory replay. */
    @Test
    void viewsOfTwentyBranchesAgreeWithAReplayOfTwoThousandCommits(@Seed long seed) {
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("graph"), TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            GeneratedHistory history = new GeneratedHistory(seed, storage, 20);
            history.runCommits(2000, 50);
            assertThat(history.branchesSeen).isEqualTo(20);
            assertThat(history.depthMax).isGreaterThanOrEqualTo(3);
            assertThat(history.deletions).isPositive();
            assertThat(history.reusedNames).isPositive();
            assertThat(history.copies).hasSizeGreaterThan(30);
            check(storage, history);
        }
    }

    @Test
    void aReopenedGraphShowsTheStateOfItsClosing() {
        GeneratedHistory history;
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(directory.resolve("graph"), TestGraph.options(), SmallGraph.SCHEMA, "tester")) {
            history = new GeneratedHistory(7, storage, 12);
            history.run(120, 10);
        }
        try (LmdbGraphStorage storage = LmdbGraphStorage.open(directory.resolve("graph"), TestGraph.options())) {
            check(storage, history);
        }
    }

    private static void check(LmdbGraphStorage storage, GeneratedHistory history) {
        try (GraphSession session = storage.session()) {
            history.copies.forEach((point, state) -> {
                try (GraphView view = session.view(point)) {
                    ViewShows.exactly(view, state);
                } catch (AssertionError e) {
                    throw new AssertionError("at " + point + ": " + e.getMessage(), e);
                }
            });
            for (var branch : session.branches()) {
                try (GraphView view = session.view(branch.headPoint())) {
                    ViewShows.exactly(view, history.fold.state(branch.incarnation()));
                }
                List<BranchStep> steps = session.steps(branch.incarnation(), Long.MAX_VALUE, Integer.MAX_VALUE);
                assertThat(steps.reversed())
                        .extracting(BranchStep::event)
                        .isEqualTo(history.fold.moves(branch.incarnation()));
                long place = branch.historyLength() - 1;
                for (BranchStep step : steps) {
                    assertThat(step.last()).isEqualTo(place);
                    place = step.first() - 1;
                }
            }
        }
    }
}
