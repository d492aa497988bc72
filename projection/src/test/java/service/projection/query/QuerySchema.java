package service.projection.query;

import java.util.List;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.IndexDefinition;
import service.core.schema.InterfaceType;
import service.core.schema.Property;
import service.core.testkit.TestEnds;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/** The schema of the random and the hand-made graphs of the executor's tests. */
final class QuerySchema {
    static final int PERSON = 1;
    static final int NAME = 2;
    static final int AGE = 3;
    static final int SCORE = 4;
    static final int CITY = 5;
    static final int ACTIVE = 6;
    static final int BORN = 7;
    static final int BIG = 8;
    static final int TAGS = 9;
    static final int COMPANY = 10;
    static final int TITLE = 11;
    static final int SIZE = 12;
    static final int SEEN = 13;
    static final int RATIO = 14;
    static final int NAMED = 15;
    static final int KNOWS = 20;
    static final int SINCE = 21;
    static final int LIKES = 30;
    static final int WORKS_AT = 40;
    static final int ROLE = 41;
    static final int CITES = 50;
    static final int YEAR = 51;

    static final PropertyType F32 = new PropertyType.Scalar(ScalarType.F32);
    static final PropertyType DATE_TIME = new PropertyType.Scalar(ScalarType.DATETIME);
    static final PropertyType U64 = new PropertyType.Scalar(ScalarType.U64);
    static final PropertyType CITY_TYPE = new PropertyType.EnumOf(List.of("oslo", "rome", "bonn"));
    static final PropertyType TAGS_TYPE = new PropertyType.ListOf(ScalarType.STRING);

    static final Catalog CATALOG = new Catalog(
            "",
            "sha256:0",
            100,
            List.of(
                    new EntityType.NodeType(
                            PERSON,
                            "Person",
                            List.of(
                                    property(NAME, "name", PropertyType.STRING),
                                    property(AGE, "age", PropertyType.I64),
                                    property(SCORE, "score", PropertyType.F64),
                                    property(CITY, "city", CITY_TYPE),
                                    property(ACTIVE, "active", PropertyType.BOOL),
                                    property(BORN, "born", PropertyType.DATE),
                                    property(BIG, "big", U64),
                                    property(TAGS, "tags", TAGS_TYPE),
                                    property(SEEN, "seen", DATE_TIME),
                                    property(RATIO, "ratio", F32)),
                            List.of(),
                            List.of(
                                    new IndexDefinition(0, PERSON, List.of(NAME), false),
                                    new IndexDefinition(1, PERSON, List.of(CITY, AGE), false),
                                    new IndexDefinition(2, PERSON, List.of(BIG), false),
                                    new IndexDefinition(5, PERSON, List.of(BORN), false),
                                    new IndexDefinition(6, PERSON, List.of(SEEN), false)),
                            List.of(),
                            List.of(),
                            List.of()),
                    new EntityType.NodeType(
                            COMPANY,
                            "Company",
                            List.of(
                                    property(TITLE, "name", PropertyType.STRING),
                                    property(SIZE, "size", PropertyType.I64)),
                            List.of(),
                            List.of(new IndexDefinition(3, COMPANY, List.of(TITLE), true)),
                            List.of(),
                            List.of(),
                            List.of(TITLE))),
            List.of(
                    edge(KNOWS, "Knows", PERSON, property(SINCE, "since", PropertyType.I64)),
                    edge(LIKES, "Likes", PERSON),
                    edge(WORKS_AT, "WorksAt", COMPANY, property(ROLE, "role", PropertyType.STRING)),
                    new EntityType.EdgeType(
                            CITES,
                            "Cites",
                            List.of(property(YEAR, "year", PropertyType.I64)),
                            List.of(),
                            List.of(),
                            List.of(),
                            TestEnds.wide(0, List.of(PERSON, COMPANY), List.of(PERSON, COMPANY)),
                            List.of())),
            List.of(new InterfaceType(
                    NAMED, "Named", List.of(property(16, "name", PropertyType.STRING)), List.of(PERSON, COMPANY))));

    private QuerySchema() {}

    private static Property property(int identity, String name, PropertyType type) {
        return new Property(identity, name, type, true, null, List.of());
    }

    private static EntityType.EdgeType edge(int identity, String name, int to, Property... properties) {
        return new EntityType.EdgeType(
                identity,
                name,
                List.of(properties),
                List.of(),
                identity == KNOWS ? List.of(new IndexDefinition(4, KNOWS, List.of(SINCE), false)) : List.of(),
                List.of(),
                TestEnds.of(PERSON, to),
                List.of());
    }
}
