package service.core.gq.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.text.Work;

final class LintTest {
    private static final String SCHEMA = """
            interface Named { name: String  alias: String? }
            node Person implements Named { name: String @key
              age: I32? }
            node Company implements Named { }
            node Island { }
            edge WorksAt: Person -> Company {
              role: String?
            }
            edge Knows: Person -> Person
            """;
    private final Catalog catalog = SchemaCompiler.compile(SCHEMA);

    private QueryFootprint footprint(String query) {
        Lint.Report report = Lint.of(Map.of("f", query), catalog);
        assertThat(report.queryFindings().get("f")).isEmpty();
        return report.queries().getFirst();
    }

    @Test
    void theFootprintOfAReadHasItsTypesAndColumns() {
        QueryFootprint found = footprint("""
                        query q($least: I32) {
                          match {
                            $p: Person
                            $p.age > $least
                            optional { $p $w:worksAt $_ }
                            not { $p knows{1,3} $q }
                          }
                          return { $p, $p.name, $w.role as role, count($w) as n, null as nothing }
                        }
                        """);
        assertThat(found.mutation()).isFalse();
        assertThat(found.reads()).containsExactly("Company", "Knows", "Person", "WorksAt");
        assertThat(found.writes()).isEmpty();
        assertThat(found.columns())
                .extracting(QueryFootprint.Column::name, QueryFootprint.Column::type)
                .containsExactly(
                        tuple("p", "Person"),
                        tuple("p.name", "String"),
                        tuple("role", "String"),
                        tuple("n", "I64"),
                        tuple("nothing", "null"));
    }

    @Test
    void aSearchOverAPropertyWithoutSearchIsAWarning() {
        Catalog searched = SchemaCompiler.compile("node Doc { a: String @search  b: String  v: Vector(2)? @index }");
        String query = """
                query q($q: String, $v: Vector(2)) {
                  match { $d: Doc  search($d.a, $q) or search($d.b, $q) }
                  return { $d.a, nearest($d.v, $v) as near, rrf(bm25($d.a, $q), bm25($d.b, $q)) as score }
                  limit 1
                }
                """;
        List<Diagnostic> found =
                Lint.of(Map.of("f", query), searched).queryFindings().get("f");
        assertThat(found)
                .extracting(Diagnostic::code, Diagnostic::line, Diagnostic::column)
                .containsExactly(tuple("L202", 2, 40), tuple("L202", 3, 65));
        assertThat(found).allMatch(Lint::isWarning);
        assertThat(Lint.of(query, searched, Work.UNCOUNTED).findings())
                .as("of a request")
                .isEqualTo(found);
    }

    @Test
    void anInterfaceReadsEveryTypeThatImplementsIt() {
        QueryFootprint found = footprint("query q() { match { $n: Named } return { $n } }");
        assertThat(found.reads()).containsExactly("Company", "Person");
        assertThat(found.columns().getFirst().type()).isEqualTo("Person | Company");
    }

    @Test
    void theFootprintOfAMutationHasItsWritesAndCascades() {
        QueryFootprint insert =
                footprint("query q($a: String) { insert Person { name: $a } insert WorksAt { from: $a, to: $a } }");
        assertThat(insert.mutation()).isTrue();
        assertThat(insert.writes()).containsExactly("Person", "WorksAt");
        assertThat(insert.reads()).containsExactly("Company", "Person");
        assertThat(insert.columns()).isEmpty();
        QueryFootprint delete = footprint("query q() { delete Person where age > 3 }");
        assertThat(delete.writes()).containsExactly("Person");
        assertThat(delete.reads()).containsExactly("Person");
        assertThat(delete.cascades()).containsExactly("Knows", "WorksAt");
        assertThat(footprint("query q() { delete Island where true }").cascades())
                .isEmpty();
    }

    @Test
    void warnsOfANullablePropertyThatNoUpdateSets() {
        Lint.Report report = Lint.of(Map.of("f", """
                                query age($n: String) { update Person set { age: 3 } where name = $n }
                                query add($n: String) { insert Company { name: $n, alias: $n } }
                                """), catalog);
        assertThat(report.schemaFindings()).allMatch(Lint::isWarning);
        assertThat(SourceText.render(report.schemaFindings())).isEqualTo("""
                        L201 at 2:6: no update query sets `Person.alias`, which may be null
                          node Person implements Named { name: String @key
                               ^
                          hint: write `update Person set { alias: … } where …`, or make it required""");
    }

    @Test
    void aParameterOfASearchIsUsed() {
        Lint.Report report = Lint.of(Map.of("f", """
                                query q($s: String, $t: String, $unused: I32) {
                                  match { $p: Person search($p.name, $s) }
                                  return { $p.name } order { rrf(bm25($p.name, $t), bm25($p.name, lower($s))) } limit 3
                                }
                                """), catalog);
        assertThat(report.queryFindings().get("f"))
                .filteredOn(Lint::isWarning)
                .extracting(Diagnostic::message)
                .containsExactly("the parameter `$unused` is never used");
    }

    /** A syntax error in one query hides neither the footprints nor the findings of the others. */
    @Test
    void everyQueryOfAFileIsChecked() {
        Lint.Report report = Lint.of(Map.of("f", """
                                query broken() { match { $p: Person $p.age > } return { $p.nmae } }
                                query wrong() { match { $p: Person } return { $p.nmae } }
                                query worse( { match }
                                query fine($unused: I32) { match { $p: Person } return { $p.name } }
                                """), catalog);
        List<Diagnostic> found = report.queryFindings().get("f");
        assertThat(found)
                .extracting(Diagnostic::code, Diagnostic::line)
                .containsExactly(tuple("Q000", 1), tuple("T2", 2), tuple("Q000", 3), tuple("T27", 4));
        assertThat(report.queries()).extracting(QueryFootprint::name).containsExactly("fine");
        assertThat(found).filteredOn(Lint::isWarning).extracting("code").containsExactly("T27");
    }
}
