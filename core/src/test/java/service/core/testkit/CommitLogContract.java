package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static service.core.testkit.SmallGraph.appending;
import static service.core.testkit.SmallGraph.draft;
import static service.core.testkit.SmallGraph.person;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.Event;
import service.core.event.Origin;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.WriteCommand;
import service.core.port.WriteCommand.Decision;
import service.core.value.Ulid;

/** The contract of {@link CommitLog} and of the commands it takes. */
public abstract class CommitLogContract extends StorageContract {
    @Test
    void commandsRunInOrderAndSeeThoseBeforeThem() {
        List<CompletableFuture<Boolean>> seen = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String id = "p" + i;
            String before = "p" + (i - 1);
            seen.add(storage().log().submit(session -> {
                boolean there = has(session, before);
                var main = Objects.requireNonNull(session.branch("main"));
                return new Decision.Append<>(draft(main, List.of(person(id, 1))), event -> there);
            }));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(seen.get(i).join()).isEqualTo(i > 0);
        }
    }

    @Test
    void aRefusalIsThrownAndLeavesNothing() {
        WriteCommand<Event> refusing = session -> {
            throw ServiceException.conflict("no");
        };
        assertRefused(ErrorCode.CONFLICT, () -> CommitLog.await(storage().log().submit(refusing)));
        assertThat(commit("main", person("a", 1)).offset()).isEqualTo(1);
    }

    @Test
    void aCommandThatWritesNothingIsAnsweredAndAppendsNothing() {
        long applied = CommitLog.await(
                storage().log().<Long>submit(session -> new Decision.Nothing<>(session.appliedOffset())));
        assertThat(applied).isZero();
        try (GraphSession session = storage().session()) {
            assertThat(session.appliedOffset()).isZero();
        }
    }

    @Test
    void aPairIsAppendedWholeAndItsSecondDraftSeesTheFirstEvent() {
        WriteCommand<Event> pair = session -> new Decision.AppendPair<>(
                new WriteCommand.Draft.CreateBranch(
                        "side", Objects.requireNonNull(session.branch("main")), Origin.NONE),
                inside -> draft(Objects.requireNonNull(inside.branch("side")), List.of(person("a", 1))),
                event -> event);
        Event second = CommitLog.await(storage().log().submit(pair));
        assertThat(second.offset()).isEqualTo(2);
        assertThat(second.incarnation()).isEqualTo(1);
        assertThat(branch("side").historyLength()).isEqualTo(2);
        assertThat(branch("main").historyLength()).isEqualTo(1);
    }

    @Test
    void idsAndTimesAscend() {
        Event.Commit first = (Event.Commit) commit("main", person("a", 1));
        Ulid given = CommitLog.await(storage().log().<Ulid>submit(session -> new Decision.Nothing<>(session.nextId())));
        Event.Commit second = (Event.Commit) commit("main", person("b", 1));
        assertThat(given).isGreaterThan(first.header().id());
        assertThat(second.header().id()).isGreaterThan(first.header().id());
        assertThat(second.timeMicros()).isGreaterThanOrEqualTo(first.timeMicros());
        assertThat(second.header().parent()).isEqualTo(first.header().id());
    }

    @Test
    void theBlockOfADraftMayBeClosedOnceTheWriteIsOver() {
        var draft = draft(branch("main"), List.of(person("a", 1)));
        Event event = CommitLog.await(storage().log().submit(appending(draft)));
        draft.changes().close();
        try (GraphSession session = storage().session()) {
            assertThat(((Event.Commit) session.event(event.offset())).changes().changes())
                    .containsExactly(person("a", 1));
        }
    }
}
