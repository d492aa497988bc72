package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.value.PropertyType;
import service.core.value.Value;

final class SchemaCompilerTest {
    private static final String SOURCE = """
            interface Named { name: String }
            node Person @description("who") implements Named {
              name: String @key
              born: Date?
              age: I32 @default(7) @index
              mood: enum(sad, glad, sad)?
              @range(age, 0..150)
              @check(name, "[A-Z].*")
              @unique(born, age)
            }
            node City implements Named { }
            edge LivesIn: Person -> City @card(0..1) { since: I32?  @unique(src, dst) }
            """;

    @Test
    void identitiesFollowTheSource() {
        Catalog catalog = SchemaCompiler.compile(SOURCE);
        EntityType.NodeType person = catalog.node("Person");
        assertThat(person.identity()).isLessThan(catalog.node("City").identity());
        assertThat(person.properties()).extracting(Property::name).containsExactly("name", "born", "age", "mood");
        assertThat(person.properties()).extracting(Property::identity).isSorted();
        assertThat(person.key()).containsExactly(person.property("name").identity());
        assertThat(catalog.nextIdentity()).isGreaterThan(catalog.edge("livesin").identity());
    }

    @Test
    void constraintsAndIndexesAreCompiled() {
        Catalog catalog = SchemaCompiler.compile(SOURCE);
        EntityType.NodeType person = catalog.node("Person");
        int age = person.property("age").identity();
        assertThat(person.constraints())
                .contains(new Constraint.Range(age, new Value.Int(0), new Value.Int(150)))
                .contains(new Constraint.Check(person.property("name").identity(), "[A-Z].*"))
                .contains(new Constraint.Unique(List.of(person.property("born").identity(), age)));
        assertThat(person.indexes())
                .extracting(IndexDefinition::identity)
                .doesNotHaveDuplicates()
                .hasSize(3);
        assertThat(person.property("age").defaultValue()).isEqualTo(new Value.Int(7));
        assertThat(person.property("mood").type()).isEqualTo(new PropertyType.EnumOf(List.of("glad", "sad")));
        EntityType.EdgeType livesIn = catalog.edge("LivesIn");
        assertThat(livesIn.cardinality().max()).isEqualTo(1);
        assertThat(livesIn.constraints())
                .containsExactly(new Constraint.Unique(List.of(Constraint.SRC, Constraint.DST)));
    }

    @Test
    void anInterfaceAddsItsProperties() {
        Catalog catalog = SchemaCompiler.compile(SOURCE);
        assertThat(catalog.node("City").property("name")).isNotNull();
        assertThat(catalog.interfaceType("Named").implementers())
                .containsExactly(
                        catalog.node("Person").identity(), catalog.node("City").identity());
    }

    @Test
    void identitiesRestoreTheCatalog() {
        Catalog catalog = SchemaCompiler.compile(SOURCE);
        Catalog restored = CatalogCodec.decode(SOURCE, CatalogCodec.encode(catalog));
        assertThat(restored.nodes()).containsExactlyElementsOf(catalog.nodes());
        assertThat(restored.edges()).containsExactlyElementsOf(catalog.edges());
        assertThat(restored.interfaces()).containsExactlyElementsOf(catalog.interfaces());
        assertThat(restored.nextIdentity()).isEqualTo(catalog.nextIdentity());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    node A { id: String }                                  | PG-NA-004
                    node A { a: String a: String }                         | PG-NA-003
                    node A { } node A { }                                  | PG-NA-001
                    node A { } edge E: A -> A edge e: A -> A               | PG-SY-001
                    node A { } edge Knows: A -> A edge KNOWS: A -> A       | PG-NA-001
                    node A { } edge E: A -> B                              | PG-NA-002
                    node A { a: String? @key }                             | PG-CO-003
                    node A { a: [String] @index }                          | PG-CO-002
                    node A { a: Blob @index }                              | PG-CO-002
                    node A { a: String @check(a, "(") }                    | PG-CO-006
                    node A { a: I32 @default("x") }                        | PG-TY-002
                    node A { a: I32 @range(a, 5..1) }                      | PG-CO-004
                    node A { a: String @range(a, 1..2) }                   | PG-CO-002
                    node A { } edge E: A -> A @card(3..2)                  | PG-CO-004
                    node A implements B { }                                | PG-NA-002
                    node A { a: Text }                                     | PG-TY-003
                    node A { } edge E: A -> A { x: I32 @range(x, 0..1) }   | PG-CO-003
                    node A { } edge E: A -> A { x: String @check(x, "a") } | PG-CO-003
                    node A { } edge E: A -> A { x: String @key }           | PG-CO-003
                    node A { a: String @key b: String @key }               | PG-CO-003
                    node A { a: String @embed("a") }                       | PG-CO-005
                    node A { a: Vector(3) @embed("b") }                    | PG-CO-008
                    node A { t: String a: Vector(3) @embed("t", modl="x") } | PG-AN-001
                    node A { t: String a: Vector(3) @embed("t", model=x) } | PG-AN-001
                    interface I { t: String @search } interface J { t: String @search(english) } node A implements I, J { } | PG-CO-007
                    interface I { v: Vector(2) @search } interface J { v: Vector(2) @search(l2) } node A implements I, J { } | PG-CO-007
                    node A { a: Vector(3) @unique }                        | PG-CO-002
                    node A { a: Vector(3) b: I32 @index(a, b) }            | PG-CO-002
                    node A { a: Vector(0) }                                | PG-TY-003
                    node A { a: [Blob] }                                   | PG-TY-003
                    node A @key { a: String }                              | PG-AN-001
                    node A @rename_from { a: String }                      | PG-AN-001
                    node A { a: I32 @range }                               | PG-AN-001
                    node A { a: String @description(7) }                   | PG-AN-001
                    node A { a: Bool @default("true") }                    | PG-TY-002
                    node A { a: I32 @default(2147483648) }                 | PG-TY-002
                    node A { a: U32 @default(-1) }                         | PG-TY-002
                    node A { a: Date @default(date("2024-02-30")) }        | PG-TY-002
                    node A { a: enum(x, y) @default(z) }                   | PG-TY-002
                    node A { a: I32 @index(b) }                            | PG-NA-002
                    node A { a: I32 @index(a, a) }                         | PG-CO-001
                    node A { __a: I32 }                                    | PG-NA-004
                    interface I { a: I32 } node A implements I { a: I64 }  | PG-TY-001
                    interface I { a: I32 } edge E: I -> I                  | PG-NA-002
                    node A { a: String                                     | PG-SY-001
                    node A { a: String @description("x }                   | PG-SY-002
                    """)
    void mistakesAreNamed(String source, String code) {
        ServiceException refusal = catchThrowableOfType(ServiceException.class, () -> SchemaCompiler.compile(source));
        assertThat(refusal).as(source).isNotNull();
        assertThat(((ErrorDetail.Diagnostics) refusal.detail()).diagnostics())
                .anySatisfy(found -> assertThat(found.code()).isEqualTo(code));
    }

    @Test
    void severalMistakesAreReportedTogether() {
        ServiceException refusal = catchThrowableOfType(
                ServiceException.class, () -> SchemaCompiler.compile("node A { id: String }\nnode B { x: Strin }\n"));
        assertThat(((ErrorDetail.Diagnostics) refusal.detail()).diagnostics()).hasSize(2);
    }

    @Test
    void anInterfaceSharesItsKeyAndATypeMayAddAnnotations() {
        String source = """
                interface Named { name: String @key @description("given") @default("x") }
                node Person implements Named { name: String @description("own") }
                node City implements Named { }
                """;
        Catalog catalog = SchemaCompiler.compile(source);
        EntityType.NodeType person = catalog.node("Person");
        Property name = person.property("name");
        assertThat(person.key()).containsExactly(name.identity());
        assertThat(Annotation.argumentOf(name.annotations(), "description")).isEqualTo("own");
        assertThat(name.defaultValue()).isEqualTo(new Value.Text("x"));
        assertThat(catalog.nodes())
                .flatExtracting(EntityType.NodeType::indexes)
                .extracting(IndexDefinition::identity)
                .containsExactly(0, 1);
        Catalog restored = CatalogCodec.decode(source, CatalogCodec.encode(catalog));
        assertThat(restored.nodes()).containsExactlyElementsOf(catalog.nodes());
    }

    @Test
    void aVectorUnderIndexHasNoOrderedIndex() {
        Catalog catalog = SchemaCompiler.compile("node A { text: String v: Vector(3) @index @embed(\"text\") }");
        assertThat(catalog.node("A").indexes()).isEmpty();
    }

    @Test
    void aSearchOfAnyInterfaceHolds() {
        for (String interfaces : List.of("I, J", "J, I")) {
            Catalog catalog =
                    SchemaCompiler.compile("interface I { t: String @search(english) } interface J { t: String }"
                            + " node A implements " + interfaces + " { }");
            Property property = catalog.node("A").properties().getFirst();
            assertThat(property.analyzer()).as(interfaces).isEqualTo(AnalyzerName.ENGLISH);
        }
    }

    @Test
    void aMisspeltTypeIsOneMistake() {
        assertThat(findings("node A { a: Strin @key @unique(a) }")).hasSize(1);
    }

    @Test
    void aFindingNamesItsPositionAndASuggestion() {
        List<Diagnostic> found = findings("node Person { }\nedge Knows: Person -> Persn { }\n");
        assertThat(found).singleElement().satisfies(each -> {
            assertThat(each.message()).contains("`Persn`");
            assertThat(each.hint()).isEqualTo("did you mean `Person`?");
            assertThat(each.line()).isEqualTo(2);
            assertThat(each.column()).isEqualTo(23);
        });
    }

    private static List<Diagnostic> findings(String source) {
        ServiceException refusal = catchThrowableOfType(ServiceException.class, () -> SchemaCompiler.compile(source));
        assertThat(refusal).as(source).isNotNull();
        return ((ErrorDetail.Diagnostics) refusal.detail()).diagnostics();
    }
}
