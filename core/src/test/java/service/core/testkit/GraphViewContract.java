package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.KNOWS;
import static service.core.testkit.SmallGraph.NAME;
import static service.core.testkit.SmallGraph.PERSON;
import static service.core.testkit.SmallGraph.knows;
import static service.core.testkit.SmallGraph.person;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.batch.ExpandBatch;
import service.core.batch.LongColumn;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.Catalog;
import service.core.schema.EntityType.EdgeType;
import service.core.schema.EntityType.NodeType;
import service.core.schema.Property;
import service.core.value.Direction;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Value;

/** The contract of {@link GraphView}: every way of reading shows the fold of the log and nothing else. */
public abstract class GraphViewContract extends StorageContract {
    private static final int EVENTS = 200;
    private static final int RANK = 50;

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

    /** A type with another name and two properties fewer, and a property with a value for old entities. */
    @Test
    void aViewAsALaterSchemaShowsOldRecordsInItsShape() {
        commit("main", person("a", 1), person("b", 2), knows("k", "a", "b"));
        ReadPoint old = branch("main").headPoint();
        commit("main", person("c", 3));
        Value seven = new Value.Int(7);
        Property rank = new Property(RANK, "rank", PropertyType.I64, false, seven, List.of(), seven);
        NodeType person = (NodeType) SmallGraph.CATALOG.requireType(PERSON);
        NodeType human = new NodeType(
                PERSON,
                "Human",
                List.of(person.properties().getFirst(), rank),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of());
        EdgeType knows = (EdgeType) SmallGraph.CATALOG.requireType(KNOWS);
        Catalog later = new Catalog("later", "sha256:01", 100, List.of(human), List.of(knows), List.of());
        PropertyRow shown = PropertyRow.of(Map.of(NAME, new Value.Text("b"), RANK, seven));
        try (GraphSession session = storage().session()) {
            try (GraphView view = session.viewAs(old, later)) {
                assertThat(view.catalog().requireType(PERSON).name()).isEqualTo("Human");
                assertThat(view.point()).isEqualTo(old);
                assertThat(view.count(PERSON)).isEqualTo(2);
                assertThat(view.image(PERSON, view.lookup(PERSON, "b"))).isEqualTo(Image.ofNode(shown));
                assertThat(view.find(PERSON, "c")).isNull();
                assertThat(view.image(KNOWS, 0)).isEqualTo(Image.ofEdge(PropertyRow.EMPTY, "a", "b"));
                EntityColumn rows = new EntityColumn();
                LongColumn ranks = new LongColumn(LongColumn.Kind.INT);
                try (GraphView.Scan scan = view.scan(PERSON)) {
                    int size = scan.next(rows);
                    assertThat(size).isPositive();
                    ranks.reset(size);
                    view.read(RANK, rows, size, ranks);
                }
                assertThat(ranks.isNull(0)).isFalse();
                assertThat(ranks.values[0]).isEqualTo(7);
            }
            try (GraphView view = session.view(old)) {
                assertThat(view.image(PERSON, view.lookup(PERSON, "b")))
                        .isEqualTo(person("b", 2).after());
            }
        }
    }
}
