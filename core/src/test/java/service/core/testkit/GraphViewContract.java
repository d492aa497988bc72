package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.KNOWS;
import static service.core.testkit.SmallGraph.PERSON;
import static service.core.testkit.SmallGraph.knows;
import static service.core.testkit.SmallGraph.person;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.event.EntityChange;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.value.Direction;

/** The contract of {@link GraphView}: every way of reading shows the fold of the log and nothing else. */
public abstract class GraphViewContract extends StorageContract {
    private static final int EVENTS = 200;

    @Test
    void everyViewShowsTheFoldOfItsLog(@Seed long seed) {
        GeneratedHistory history = new GeneratedHistory(seed, storage(), 8);
        history.run(EVENTS, 10);
        try (GraphSession session = storage().session()) {
            history.copies.forEach((point, state) -> {
                try (GraphView view = session.view(point)) {
                    ViewShows.exactly(view, state);
                }
            });
        }
    }

    /** Edges of a hub: enough for several batches of an expansion, with a second row after it. */
    @Test
    void skipRowLeavesOutTheRestOfTheRowThatWasGivenLast() {
        List<EntityChange> changes = new ArrayList<>(List.of(person("hub", 1), person("other", 1)));
        for (int i = 0; i < 3_000; i++) {
            changes.add(person("p" + i, 1));
            changes.add(knows("k" + i, "hub", "p" + i));
        }
        changes.add(knows("last", "other", "hub"));
        commit("main", changes.toArray(EntityChange[]::new));
        try (GraphSession session = storage().session();
                GraphView view = session.view(branch("main").headPoint())) {
            EntityColumn rows = new EntityColumn();
            rows.reset(3);
            rows.set(0, PERSON, view.lookup(PERSON, "hub"), EntityColumn.NO_RECORD);
            rows.setNull(1);
            rows.set(2, PERSON, view.lookup(PERSON, "other"), EntityColumn.NO_RECORD);
            ExpandBatch batch = new ExpandBatch();
            int ofHub = 0;
            int ofOther = 0;
            try (GraphView.Expansion expansion = view.expand(KNOWS, Direction.OUT, rows, 3)) {
                while (expansion.next(batch)) {
                    for (int i = 0; i < batch.size; i++) {
                        ofHub += batch.inputRows[i] == 0 ? 1 : 0;
                        ofOther += batch.inputRows[i] == 2 ? 1 : 0;
                    }
                    if (batch.inputRows[batch.size - 1] == 0) {
                        expansion.skipRow();
                    }
                }
            }
            assertThat(ofHub).isBetween(1, Column.CAPACITY);
            assertThat(ofOther).isEqualTo(1);
        }
    }

    @Test
    void aDeletedEntityHasAnIdAndNoImage() {
        commit("main", person("a", 1));
        EntityChange insert = person("a", 1);
        commit("main", new EntityChange(insert.kind(), PERSON, "a", insert.after(), null));
        try (GraphSession session = storage().session();
                GraphView view = session.view(branch("main").headPoint())) {
            assertThat(view.id(PERSON, 0)).isEqualTo("a");
            assertThat(view.isLive(PERSON, 0)).isFalse();
            assertThat(view.find(PERSON, "a")).isNull();
            assertThat(view.ordinalBound(PERSON)).isGreaterThanOrEqualTo(1);
            assertThatThrownBy(() -> view.image(PERSON, 0)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
