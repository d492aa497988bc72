package service.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.gq.Catalogs;
import service.core.gq.CompiledSource;
import service.core.gq.GqCompiler;
import service.core.graph.request.StoredQuery;
import service.core.json.JsonWriter;
import service.core.schema.Catalog;

final class ColumnJsonTest {
    private static final Catalog CATALOG = Catalogs.people();

    /** Where nothing follows the expression, a mutation returns nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "$p.name # {'name':'c','type':'String','kind':'string'}",
                "$p.age # {'name':'c','type':'I32','kind':'int'}",
                "count(*) # {'name':'c','type':'I64','kind':'bigint'}",
                "$p.mood # {'name':'c','type':'enum(calm, glad, sad)','kind':'string','values':['calm','glad','sad']}",
                "$p.tags # {'name':'c','type':'[String]','kind':'list','item_kind':'string'}",
                "null # {'name':'c','type':'null','kind':'null'}",
                "$p # {'name':'c','type':'Person','kind':'node','types':['Person']}",
                "$w # {'name':'c','type':'Knows | Likes','kind':'edge','types':['Knows','Likes']}",
                "collect($p) # {'name':'c','type':'[Person]','kind':'list','item_kind':'node','types':['Person']}",
                "{who: $p, old: [$p.age, 1]} # {'name':'c','type':'{who: Person, old: [I64]}','kind':'record','fields':[{'name':'who','kind':'node',"
                        + "'types':['Person']},{'name':'old','kind':'list','item_kind':'bigint'}]}",
                "collect({n: $p.name}) # {'name':'c','type':'[{n: String}]','kind':'list','item_kind':'record',"
                        + "'fields':[{'name':'n','kind':'string'}]}",
                "$way # {'name':'c','type':'path','kind':'path'}"
            })
    void aColumnHasTheKindOfItsValues(String expression, String column) {
        String source = "query q() { match { $p: Person  $p $w:(knows | likes) $_  $p $way:knows{1,2} $_ } return { "
                + expression + " as c } }";
        assertThat(columns(source)).isEqualTo("{\"columns\":[" + column.replace('\'', '"') + "]}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "insert Person { name: \"a\" } # {}",
                "insert Person { name: \"a\" } as $p return { $p.name } # {'columns':[{'name':'p.name','type':'String','kind':'string'}]}"
            })
    void aMutationHasTheColumnsThatItReturns(String statements, String json) {
        assertThat(columns("query q() { " + statements + " }")).isEqualTo(json.replace('\'', '"'));
    }

    private static String columns(String source) {
        CompiledSource.Request request =
                GqCompiler.compile(source, null, CATALOG).request();
        StoredQuery query =
                new StoredQuery("q", source, ((CompiledSource.Request.Query) request).plan(), CATALOG, true);
        return new String(
                JsonWriter.bytes(json -> {
                    json.beginObject();
                    ColumnJson.columns(json, query);
                    json.endObject();
                }),
                StandardCharsets.UTF_8);
    }
}
