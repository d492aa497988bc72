package service.core.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import service.core.event.ChangeBlock;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Image;
import service.core.event.Origin;
import service.core.event.SchemaChange;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.WriteCommand;
import service.core.schema.Catalog;
import service.core.schema.Constraint;
import service.core.schema.EntityType.EdgeType;
import service.core.schema.EntityType.NodeType;
import service.core.schema.IndexDefinition;
import service.core.schema.Property;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Value;

/** A small schema, drafts over it, and writes that wait for their outcome. */
public final class SmallGraph {
    public static final int PERSON = 1;
    public static final int CITY = 2;
    public static final int KNOWS = 3;
    public static final int LIVES = 4;
    public static final int NAME = 10;
    public static final int AGE = 11;
    public static final int SCORE = 12;
    public static final int ACTIVE = 13;
    public static final int CITY_NAME = 20;
    public static final int SINCE = 30;
    public static final int BY_NAME_AGE = 0;
    public static final int BY_AGE = 1;
    public static final int BY_CITY_NAME = 2;
    public static final int BY_SOURCE_SINCE = 3;

    public static final Catalog CATALOG = new Catalog(
            "schema",
            "sha256:00",
            100,
            List.of(
                    new NodeType(
                            PERSON,
                            "Person",
                            List.of(
                                    property(NAME, "name", PropertyType.STRING),
                                    property(AGE, "age", PropertyType.I64),
                                    property(SCORE, "score", PropertyType.F64),
                                    property(ACTIVE, "active", PropertyType.BOOL)),
                            List.of(),
                            List.of(
                                    new IndexDefinition(BY_NAME_AGE, PERSON, List.of(NAME, AGE), false),
                                    new IndexDefinition(BY_AGE, PERSON, List.of(AGE), false)),
                            List.of(),
                            List.of(),
                            List.of()),
                    new NodeType(
                            CITY,
                            "City",
                            List.of(property(CITY_NAME, "name", PropertyType.STRING)),
                            List.of(),
                            List.of(new IndexDefinition(BY_CITY_NAME, CITY, List.of(CITY_NAME), true)),
                            List.of(),
                            List.of(),
                            List.of())),
            List.of(
                    new EdgeType(
                            KNOWS,
                            "Knows",
                            List.of(property(SINCE, "since", PropertyType.DATE)),
                            List.of(),
                            List.of(new IndexDefinition(BY_SOURCE_SINCE, KNOWS, List.of(Constraint.SRC, SINCE), false)),
                            List.of(),
                            TestEnds.of(PERSON, PERSON),
                            List.of()),
                    new EdgeType(
                            LIVES,
                            "Lives",
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            TestEnds.of(PERSON, CITY),
                            List.of(Constraint.SRC, Constraint.DST))),
            List.of());

    public static final SchemaChange SCHEMA = new SchemaChange("schema", "sha256:00", new byte[0], List.of());
    public static final List<Integer> TYPES = List.of(PERSON, CITY, KNOWS, LIVES);

    private SmallGraph() {}

    private static Property property(int identity, String name, PropertyType type) {
        return new Property(identity, name, type, true, null, List.of());
    }

    /** A branch as the storage has it. */
    public static Branch branch(GraphStorage storage, String name) {
        try (GraphSession session = storage.session()) {
            return Objects.requireNonNull(session.branch(name));
        }
    }

    /** Appends a draft and waits for its event. */
    public static Event write(CommitLog log, WriteCommand.Draft draft) {
        return CommitLog.await(log.submit(appending(draft)));
    }

    /** A command that appends a draft and answers with its event. */
    public static WriteCommand<Event> appending(WriteCommand.Draft draft) {
        return session -> new WriteCommand.Decision.Append<>(draft, appended -> appended);
    }

    /** Commits changes on a branch, whose head must be the given one. */
    public static Event commit(CommitLog log, Branch branch, List<EntityChange> changes) {
        return write(log, draft(branch, changes));
    }

    /** A commit of changes in any order. */
    public static WriteCommand.Draft.Commit draft(Branch branch, List<EntityChange> changes) {
        return new WriteCommand.Draft.Commit(
                CommitKind.MUTATION,
                branch,
                null,
                Origin.of("tester"),
                null,
                null,
                ChangeBlock.sorting(new ArrayList<>(changes)));
    }

    /** The insert of a person. */
    public static EntityChange person(String id, long age) {
        Image after = Image.ofNode(PropertyRow.of(Map.of(NAME, new Value.Text(id), AGE, new Value.Int(age))));
        return new EntityChange(EntityKind.NODE, PERSON, id, null, after);
    }

    /** The insert of a KNOWS edge between two persons. */
    public static EntityChange knows(String id, String from, String to) {
        return new EntityChange(EntityKind.EDGE, KNOWS, id, null, Image.ofEdge(PropertyRow.EMPTY, from, to));
    }

    /** The inserts of so many persons {@code p0}, {@code p1} and so on, each of whom knows another one. */
    public static List<EntityChange> circle(int persons) {
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < persons; i++) {
            changes.add(person("p" + i, i % 50));
            changes.add(knows("k" + i, "p" + i, "p" + i * 7 % persons));
        }
        return changes;
    }
}
