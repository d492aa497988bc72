package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.WritableGraphStorage;
import service.core.port.WriteCommand.Draft;

/**
 * The base of the contracts of {@link WritableGraphStorage} and of its parts: a new graph for each test. A contract is
 * extended by a nested class of a {@link StorageFixture}.
 */
@ExtendWith(StorageResolver.class)
abstract class StorageContract {
    private StorageUnderTest under;

    @BeforeEach
    final void open(StorageUnderTest created) {
        under = created;
    }

    @AfterEach
    final void close() {
        under.close();
    }

    final StorageUnderTest under() {
        return under;
    }

    final WritableGraphStorage storage() {
        return under.storage();
    }

    final Branch branch(String name) {
        return branch(storage(), name);
    }

    static Branch branch(WritableGraphStorage storage, String name) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch(name));
        }
    }

    final Event commit(String branch, EntityChange... changes) {
        return SmallGraph.commit(storage().log(), branch(branch), List.of(changes));
    }

    final Event write(Draft draft) {
        return SmallGraph.write(storage().log(), draft);
    }

    /** Whether the head of main has a person. */
    static boolean has(WritableGraphStorage storage, String person) {
        try (GraphSession session = storage.session()) {
            return has(session, person);
        }
    }

    static boolean has(GraphSession session, String person) {
        try (GraphView view =
                session.view(Objects.requireNonNull(session.branch("main")).headPoint())) {
            return view.lookup(SmallGraph.PERSON, person) >= 0;
        }
    }

    static void assertRefused(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
