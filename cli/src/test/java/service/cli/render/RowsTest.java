package service.cli.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class RowsTest {
    private static final String RESULT = """
            {"query_name":"q","columns":["name","tags"],"row_count":2,
             "rows":[{"name":"Ada, Countess","tags":["a","b"]},{"name":null,"tags":[]}]}
            """;

    private static String print(Rows.Format format) throws JsonProcessingException {
        StringWriter text = new StringWriter();
        Rows.print((ObjectNode) new ObjectMapper().readTree(RESULT), format, new PrintWriter(text), Screen.NONE);
        return text.toString();
    }

    @Test
    void tableCountsItsRows() throws JsonProcessingException {
        assertThat(print(Rows.Format.table)).isEqualTo("""
                        name           tags
                        Ada, Countess  ["a","b"]
                        null           []
                        (2 rows)
                        """);
    }

    @Test
    void csvQuotesWhatNeedsIt() throws JsonProcessingException {
        assertThat(print(Rows.Format.csv)).isEqualTo("name,tags\n\"Ada, Countess\",\"[\"\"a\"\",\"\"b\"\"]\"\n,[]\n");
    }

    @Test
    void csvTellsNullFromATextWithoutCharacters() throws JsonProcessingException {
        StringWriter text = new StringWriter();
        ObjectNode result = (ObjectNode) new ObjectMapper()
                .readTree("{\"columns\":[\"a\",\"b\"],\"rows\":[{\"a\":null,\"b\":\"\"},{\"a\":\"\",\"b\":null}]}");
        Rows.print(result, Rows.Format.csv, new PrintWriter(text), Screen.NONE);
        assertThat(text).hasToString("a,b\n,\"\"\n\"\",\n");
    }

    @Test
    void jsonlStartsWithOneLineOfMetadata() throws JsonProcessingException {
        assertThat(print(Rows.Format.jsonl).lines())
                .containsExactly(
                        "{\"query_name\":\"q\",\"columns\":[\"name\",\"tags\"],\"row_count\":2}",
                        "{\"name\":\"Ada, Countess\",\"tags\":[\"a\",\"b\"]}",
                        "{\"name\":null,\"tags\":[]}");
    }

    @Test
    void pairsAreSeparatedByABlankLine() throws JsonProcessingException {
        assertThat(print(Rows.Format.kv))
                .isEqualTo("name: Ada, Countess\ntags: [\"a\",\"b\"]\n\nname: null\ntags: []\n");
    }
}
