package service.log.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.PERSON;
import static service.core.testkit.SmallGraph.person;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.Stamp;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.log.commit.Projector;
import service.log.commit.WriterClock;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;

/**
 * The contract of {@link Projector}: a group is applied completely or not at all, and lost groups are applied again
 * from the log.
 */
public abstract class ProjectorContract {
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final WriterClock CLOCK = new WriterClock() {
        @Override
        public long nowMicros() {
            return MICROS;
        }

        @Override
        public Ulid nextId() {
            throw new UnsupportedOperationException();
        }
    };

    @TempDir
    Path directory;

    private EventLog log;
    private Projector projector;
    private Ulid head;

    /**
     * A projector of a log from which nothing was projected yet.
     *
     * @param scratch an empty directory for its files
     */
    protected abstract Projector open(EventLog events, Path scratch);

    @BeforeEach
    final void open() {
        log = EventLog.create(
                directory.resolve("graph"),
                LmdbOptions.unsynced(),
                CommitHook.NONE,
                SmallGraph.SCHEMA,
                "tester",
                MICROS);
        projector = open(log, directory.resolve("scratch"));
        projector.catchUp(0);
        try (EventReader reader = log.read()) {
            head = ((Event.Commit) reader.event(0)).header().id();
        }
    }

    @AfterEach
    final void close() throws Exception {
        if (projector instanceof AutoCloseable closeable) {
            closeable.close();
        }
        log.close();
    }

    /** The next commit on main: the insert of one person. */
    private Event next(long offset, String id) {
        ChangeBlock changes = ChangeBlock.of(List.of(person(id, 1)));
        CommitHeader header = new CommitHeader(
                new Stamp(offset, MICROS, "tester"),
                head.next(),
                CommitKind.MUTATION,
                new CommitHeader.Lineage("main", 0, head, null),
                null,
                changes.counts(),
                null);
        head = header.id();
        return new Event.Commit(header, changes);
    }

    private static boolean has(GraphSession session, String id) {
        try (GraphView view =
                session.view(Objects.requireNonNull(session.branch("main")).headPoint())) {
            return view.lookup(PERSON, id) >= 0;
        }
    }

    @Test
    void theSessionOfAGroupSeesEachEventOnceItIsApplied() {
        GraphSession session = projector.begin(CLOCK);
        assertThat(has(session, "a")).isFalse();
        projector.apply(next(1, "a"));
        assertThat(has(session, "a")).isTrue();
        assertThat(session.appliedOffset()).isEqualTo(1);
        assertThat(projector.appliedOffset()).isZero();
        projector.commit();
        assertThat(projector.appliedOffset()).isEqualTo(1);
    }

    @Test
    void anAbortedGroupIsForgottenAndRunsAgain() {
        Event event = next(1, "a");
        projector.begin(CLOCK);
        projector.apply(event);
        projector.abort();
        assertThat(projector.appliedOffset()).isZero();
        projector.grow();
        GraphSession session = projector.begin(CLOCK);
        assertThat(has(session, "a")).isFalse();
        projector.apply(event);
        assertThat(has(session, "a")).isTrue();
        projector.commit();
        assertThat(projector.appliedOffset()).isEqualTo(1);
    }

    @Test
    void catchUpAppliesWhatTheLogHasBeyondTheLastCommit() {
        Event first = next(1, "a");
        Groups.append(log, List.of(first, next(2, "b")));
        projector.begin(CLOCK);
        projector.apply(first);
        projector.abort();
        projector.catchUp(2);
        assertThat(projector.appliedOffset()).isEqualTo(2);
        GraphSession session = projector.begin(CLOCK);
        assertThat(has(session, "a")).isTrue();
        assertThat(has(session, "b")).isTrue();
        projector.abort();
    }

    @Test
    void anEventAfterAGapIsRefused() {
        projector.begin(CLOCK);
        assertThatThrownBy(() -> projector.apply(next(2, "a"))).isInstanceOf(IllegalStateException.class);
        projector.abort();
        assertThat(projector.appliedOffset()).isZero();
    }
}
