package service.core.graph.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.budget.RequestBudget;
import service.core.budget.TestBudgets;
import service.core.error.ServiceException;
import service.core.graph.TestGraph;
import service.core.port.GraphSession;
import service.core.port.WriteCommand;
import service.core.port.WriteSession;

/** The order of the steps of a write that is prepared ahead, and what is released. */
class PreparedWriteTest {
    private final TestGraph test = new TestGraph();
    private final RequestBudget budget = TestBudgets.ample();
    private final List<String> steps = new ArrayList<>();

    @AfterEach
    void close() {
        budget.close();
        test.close();
    }

    /** Gives itself back a number of times. */
    private final class Write extends PreparedWrite<Integer, String> {
        private final int again;
        private int prepared;

        Write(int again) {
            super(test.storage, test.storage, null, budget);
            this.again = again;
        }

        @Override
        protected Integer prepare(GraphSession session) {
            steps.add("prepare " + ++prepared);
            return prepared;
        }

        @Override
        protected @Nullable String answered(Integer ahead) {
            return again < 0 ? "answered" : null;
        }

        @Override
        protected Decided<String> decide(WriteSession session, Integer ahead, boolean last) {
            steps.add((last ? "last " : "decide ") + ahead);
            if (ahead == 9) {
                throw ServiceException.badRequest("no");
            }
            return ahead <= again
                    ? new Decided.Again<>()
                    : new Decided.Done<>(new WriteCommand.Decision.Nothing<>("written " + ahead));
        }

        @Override
        protected void release(Integer ahead) {
            steps.add("release " + ahead);
        }
    }

    @Test
    void whatDoesNotHoldIsReleasedAndPreparedAgain() {
        assertThat(new Write(1).run()).isEqualTo("written 2");
        assertThat(steps).containsExactly("prepare 1", "decide 1", "release 1", "prepare 2", "decide 2", "release 2");
    }

    @Test
    void theFourthAttemptIsTheLast() {
        assertThat(new Write(4).run()).isEqualTo("written 5");
        assertThat(steps)
                .filteredOn(step -> step.startsWith("decide") || step.startsWith("last"))
                .containsExactly("decide 1", "decide 2", "decide 3", "last 4", "last 5");
    }

    @Test
    void aRefusalReleasesWhatWasPrepared() {
        assertThatThrownBy(new Write(9)::run).hasMessageContaining("no");
        assertThat(steps).endsWith("last 9", "release 9");
        steps.clear();
        assertThat(new Write(-1).run()).isEqualTo("answered");
        assertThat(steps).containsExactly("prepare 1", "release 1");
    }

    @Test
    void aWriteThatTheWriterGivesBackIsPrepared() {
        Write write = new Write(0);
        assertThat(write.runOnWriter(session -> new PreparedWrite.Decided.Again<>())
                        .join())
                .isEqualTo("written 1");
        assertThat(write.runOnWriter(session ->
                                new PreparedWrite.Decided.Done<>(new WriteCommand.Decision.Nothing<>("here")))
                        .join())
                .isEqualTo("here");
    }
}
