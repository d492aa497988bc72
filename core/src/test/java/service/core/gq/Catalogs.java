package service.core.gq;

import java.util.List;
import service.core.schema.Catalog;
import service.core.schema.EdgeEnd;
import service.core.schema.EntityType;
import service.core.schema.EntityType.Cardinality;
import service.core.schema.EntityType.EdgeType;
import service.core.schema.EntityType.NodeType;
import service.core.schema.IndexDefinition;
import service.core.schema.InterfaceType;
import service.core.schema.Property;
import service.core.value.PropertyType;
import service.core.value.ScalarType;

/**
 * The schema of the tests, built by hand so that they do not rest on the schema compiler:
 *
 * <pre>
 * interface Named { name: String }
 * node Person implements Named { name: String @key  age: I32?  born: Date?  seen: DateTime?  tags: [String]?
 *     mood: enum(calm, glad, sad)?  photo: Blob?  weight: F64?  big: U64?  active: Bool?  face: Vector(3)? }
 * node Company implements Named { name: String  size: I64? }
 * edge Knows: Person -> Person { since: Date?  weight: F64? }
 * edge Likes: Person -> Person { since: Date? }
 * edge WorksAt: Person -> Company { role: String }
 * </pre>
 */
public final class Catalogs {
    public static final int PERSON = 1;
    public static final int COMPANY = 2;
    public static final int KNOWS = 3;
    public static final int LIKES = 4;
    public static final int WORKS_AT = 5;
    public static final int NAME = 10;
    public static final int AGE = 11;

    private Catalogs() {}

    public static Catalog people() {
        List<Property> person = List.of(
                property(NAME, "name", PropertyType.STRING, false),
                property(AGE, "age", new PropertyType.Scalar(ScalarType.I32), true),
                property(12, "born", PropertyType.DATE, true),
                property(13, "seen", PropertyType.DATETIME, true),
                property(14, "tags", new PropertyType.ListOf(ScalarType.STRING), true),
                property(15, "mood", new PropertyType.EnumOf(List.of("calm", "glad", "sad")), true),
                property(16, "photo", new PropertyType.Scalar(ScalarType.BLOB), true),
                property(17, "weight", PropertyType.F64, true),
                property(18, "big", new PropertyType.Scalar(ScalarType.U64), true),
                property(19, "active", PropertyType.BOOL, true),
                property(20, "face", new PropertyType.VectorOf(3), true));
        List<Property> company =
                List.of(property(30, "name", PropertyType.STRING, false), property(31, "size", PropertyType.I64, true));
        List<NodeType> nodes = List.of(
                new NodeType(
                        PERSON,
                        "Person",
                        person,
                        List.of(),
                        List.of(new IndexDefinition(0, PERSON, List.of(NAME), true)),
                        List.of(),
                        List.of("Named"),
                        List.of(NAME)),
                new NodeType(
                        COMPANY, "Company", company, List.of(), List.of(), List.of(), List.of("Named"), List.of()));
        List<EdgeType> edges = List.of(
                edge(
                        KNOWS,
                        "Knows",
                        PERSON,
                        PERSON,
                        property(40, "since", PropertyType.DATE, true),
                        property(41, "weight", PropertyType.F64, true)),
                edge(LIKES, "Likes", PERSON, PERSON, property(42, "since", PropertyType.DATE, true)),
                edge(WORKS_AT, "WorksAt", PERSON, COMPANY, property(43, "role", PropertyType.STRING, false)));
        List<InterfaceType> interfaces = List.of(new InterfaceType(
                6, "Named", List.of(property(50, "name", PropertyType.STRING, false)), List.of(PERSON, COMPANY)));
        return new Catalog("(test)", "sha256:test", 60, nodes, edges, interfaces);
    }

    private static Property property(int identity, String name, PropertyType type, boolean nullable) {
        return new Property(identity, name, type, nullable, null, List.of());
    }

    private static EdgeEnd end(int type) {
        return EdgeEnd.of(type, type == PERSON ? "Person" : "Company");
    }

    private static EdgeType edge(int identity, String name, int source, int destination, Property... properties) {
        return new EdgeType(
                identity,
                name,
                List.of(properties),
                List.of(),
                List.of(),
                List.of(),
                new EntityType.Ends(end(source), end(destination), 0, Cardinality.ANY),
                List.of());
    }
}
