package service.core.graph.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.budget.NoWaiting;
import service.core.gq.Catalogs;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

final class BriefCallsTest {
    private final Catalog catalog = Catalogs.people();
    private final BriefCalls brief = new BriefCalls();

    private void compile(String source) {
        CompiledSource compiled = GqCompiler.compile(source, null, catalog);
        brief.compiled(source, null, ((CompiledSource.Request.Query) compiled.request()).plan(), catalog);
    }

    @Test
    void aSourceIsBriefUnderTheSchemasThatItWasCompiledUnder() {
        String source = "query q($n: String) { match { $p: Person { name: $n } } return { $p.age } }";
        Catalog scans = SchemaCompiler.compile("node Person { name: String age: I32? }");
        assertThatThrownBy(() -> stay(source, catalog)).isInstanceOf(NoWaiting.WouldWaitException.class);
        compile(source);
        assertThatCode(() -> stay(source, catalog)).doesNotThrowAnyException();
        assertThat(brief.isBrief(source, null)).isTrue();
        assertThatThrownBy(() -> stay(source, scans)).isInstanceOf(NoWaiting.WouldWaitException.class);
        assertThatCode(() -> brief.stay(source, null, scans))
                .as("a thread that may wait")
                .doesNotThrowAnyException();
    }

    private void stay(String source, Catalog under) throws Exception {
        NoWaiting.call(() -> {
            brief.stay(source, null, under);
            return true;
        });
    }

    @Test
    void itsSizeHasABound() {
        Plan plan = ((CompiledSource.Request.Query)
                        GqCompiler.compile("query m() { insert Person { name: \"a\" } }", null, catalog)
                                .request())
                .plan();
        for (int i = 0; i < 30_000; i++) {
            brief.compiled("source " + i, null, plan, catalog);
        }
        assertThat(brief.size()).isBetween(1L, 10_000L);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{ match { $p: Person { name: $n } } return { $p.age } } | true",
                "{ match { $p: Person  $p.name = $n  $p.age > 3 } return { $p.age } } | true",
                "{ match { $p: Person  $p.name != $n } return { $p.age } } | false",
                "{ match { $p: Person  $p.name = $n or $p.age = 3 } return { $p.age } } | false",
                "{ match { $p: Person { age: 3 } } return { $p.age } } | false",
                "{ match { $p: Company { name: $n } } return { $p.size } } | false",
                "{ match { $p: Named { name: $n } } return { $p.name } } | false",
                "{ match { $p: Person { name: $n }  $p knows $f } return { $f.age } } | false",
                "{ match { $p: Person { name: $n } } return { bm25($p.name, $n) } } | false",
                "{ match { $p: Person { name: $n }  not { $p knows $f } } return { $p.age } } | false",
            })
    void onlyAReadOfOneEntityIsBrief(String body, boolean expected) {
        String source = "query q($n: String) " + body;
        assertThat(brief.isBrief(source, null)).as("not seen yet").isFalse();
        compile(source);
        assertThat(brief.isBrief(source, null)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "insert Person { name: $n }|true",
                "update Person set { age: 3 } where name = $n|true",
                "delete Person where @id = $n|true",
                "update Person set { age: 3 } where age > 3 and name = $n|true",
                "delete Person where age > 3|false",
                "update Person set { age: 3 } where name = $n or age > 3|false"
            })
    void onlyAMutationOfFewEntitiesIsBrief(String body, boolean expected) {
        String source = "query m($n: String) { " + body + " }";
        assertThat(brief.isBrief(source, null)).as("not seen yet").isFalse();
        compile(source);
        assertThat(brief.isBrief(source, null)).isEqualTo(expected);
        assertThat(brief.isBrief(source, "m")).isFalse();
    }
}
