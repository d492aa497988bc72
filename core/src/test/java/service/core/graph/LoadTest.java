package service.core.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.graph.load.LoadMode;
import service.core.graph.load.LoadResult;

class LoadTest {
    private static final String ADA = "{\"type\":\"Person\",\"data\":{\"name\":\"ada\",\"age\":36}}";
    private static final String BOB = "{\"type\":\"Person\",\"data\":{\"id\":\"bob\",\"name\":\"bob\"}}";
    private static final String KNOWS =
            "{\"edge\":\"Knows\",\"from\":\"ada\",\"to\":\"bob\",\"data\":{\"id\":\"k1\",\"since\":\"2020-01-02\"}}";

    private final TestGraph test = new TestGraph();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void anEdgeMayPrecedeItsNodes() {
        LoadResult result = test.load(LoadMode.MERGE, KNOWS, "", "  ", ADA, BOB);
        assertThat(result.totalEntities()).isEqualTo(3);
        assertThat(result.nodes()).containsExactly(new LoadResult.TypeLoad("Person", 2));
        assertThat(result.edges()).containsExactly(new LoadResult.TypeLoad("Knows", 1));
        assertThat(result.commit().counts().nodesInserted()).isEqualTo(2);
        assertThat(test.export()).isEqualTo("""
                        {"type":"Person","data":{"id":"ada","name":"ada","age":36,"level":1}}
                        {"type":"Person","data":{"id":"bob","name":"bob","level":1}}
                        {"edge":"Knows","from":"ada","to":"bob","data":{"id":"k1","since":"2020-01-02"}}
                        """);
    }

    @Test
    void anExportLoadsAsItself() {
        test.load(
                LoadMode.MERGE,
                KNOWS,
                ADA,
                BOB,
                "{\"type\":\"Note\",\"data\":{\"id\":\"n\\\"é😀\",\"text\":\"x\\ny\",\"score\":0.1}}",
                "{\"type\":\"Person\",\"data\":{\"name\":\"eve\",\"tags\":[\"a\",\"b\"],\"mood\":\"sad\",\"level\":\"-9223372036854775808\"}}");
        String exported = test.export();
        try (TestGraph other = new TestGraph()) {
            other.load("main", null, LoadMode.APPEND, exported);
            assertThat(other.export()).isEqualTo(exported).contains("0.1}", "\"level\":-9223372036854775808");
        }
        assertThat(test.load("main", null, LoadMode.MERGE, exported).commit()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"name\":\"y\"}}|`name` occurs twice",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"age\":null,\"age\":1}}|`age` occurs twice",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\"},\"data\":{}}|`data` occurs twice",
                "{\"type\":\"Person\",\"type\":\"Person\",\"data\":{\"name\":\"x\"}}|one `type`",
                "{\"type\":\"Person\",\"extra\":1}|unknown member `extra`",
                "{\"type\":\"Persn\",\"data\":{}}|did you mean `Person`",
                "{\"edge\":\"Nows\",\"from\":\"ada\",\"to\":\"bob\"}|did you mean `Knows`",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"agee\":1}}|did you mean `age`",
                "{\"type\":\"Person\",\"data\":{}}|key property `name`",
                "{\"type\":\"Note\",\"data\":{}}|required property `text`",
                "{\"type\":\"Note\",\"data\":{\"text\":null}}|required and cannot be null",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"age\":\"36\"}}|`age` of Person must be an integer",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"age\":2147483648}}|no I32",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"age\":151}}|@range(age, 0..150)",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"mood\":\"grim\"}}|one of happy, sad",
                "{\"type\":\"Person\",\"data\":{\"name\":\"x\",\"tags\":[\"a\",null]}}|null at index 1",
                "{\"type\":\"Note\",\"data\":{\"text\":\"x\",\"code\":\"abc\"}}|@check(code",
                "{\"type\":\"Note\",\"data\":{\"text\":\"x\",\"score\":1e39}}|is no F32",
                "{\"type\":\"Note\",\"data\":{\"text\":\"\\ud800\"}}|half a surrogate pair",
                "{\"type\":\"Note\",\"data\":{\"id\":\"\",\"text\":\"x\"}}|is empty",
                "{\"type\":\"Person\",\"data\":{\"id\":\"y\",\"name\":\"x\"}}|gives `x`",
                "{\"edge\":\"Knows\",\"from\":\"ada\",\"to\":\"nobody\"}|Person `nobody`, does not exist",
                "{\"edge\":\"Knows\",\"from\":\"ada\"}|needs `from` and `to`",
                "{\"type\":\"Note\",\"from\":\"ada\",\"data\":{\"text\":\"x\"}}|belong to edges",
                "[1]|must be a JSON object",
                "{\"type\":\"Note\",\"data\":{\"text\":\"x\"}}{\"type\":\"Note\",\"data\":{\"text\":\"x\"}}|one record a line",
                "{\"type\":\"Note\",\"data\":{\"text\":\"x\"}|not valid JSON",
                "{\"data\":{\"text\":\"x\"}}|needs `type`"
            })
    void refusesWithTheLineAndWritesNothing(String line, String message) {
        test.load(LoadMode.MERGE, ADA);
        int events = test.storage.eventCount();
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, BOB, "", line))
                .isInstanceOf(ServiceException.class)
                .hasMessageStartingWith("line 3: ")
                .hasMessageContaining(message);
        assertThat(test.storage.eventCount()).isEqualTo(events);
    }

    @Test
    void theFirstOfManyEdgesWithoutAnEndIsNamed() {
        int count = 40_000;
        String[] people = new String[count];
        String[] edges = new String[count];
        for (int i = 0; i < count; i++) {
            people[i] = "{\"type\":\"Person\",\"data\":{\"name\":\"p%d\"}}".formatted(i);
            edges[i] = "{\"edge\":\"Knows\",\"from\":\"p%d\",\"to\":\"p%d\",\"data\":{\"id\":\"k%06d\"}}"
                    .formatted(i, (7 * i) % count, i);
        }
        test.load(LoadMode.APPEND, people);
        for (int missing : List.of(30, 33_000)) {
            String[] some = edges.clone();
            some[missing] = some[missing].replace("\"from\":\"p", "\"from\":\"q");
            some[count - 1] = some[count - 1].replace("\"to\":\"p", "\"to\":\"q");
            assertThatThrownBy(() -> test.load(LoadMode.APPEND, some))
                    .hasMessage("line %d: edge Knows `k%06d`: its source, Person `q%d`, does not exist"
                            .formatted(missing + 1, missing, missing));
        }
        assertThat(test.load(LoadMode.APPEND, edges).totalEntities()).isEqualTo(count);
    }

    @Test
    void mergesIntoTheEntityOfItsIdWithoutItsKey() {
        test.load(LoadMode.MERGE, ADA);
        String record = "{\"type\":\"Person\",\"data\":{\"id\":\"%s\",\"level\":5}}";
        test.load(LoadMode.MERGE, record.formatted("ada"));
        assertThat(test.export()).isEqualTo("""
                        {"type":"Person","data":{"id":"ada","name":"ada","age":36,"level":5}}
                        """);
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, record.formatted("nobody")))
                .hasMessageStartingWith("line 1: ")
                .hasMessageContaining("`name`");
        for (LoadMode mode : List.of(LoadMode.APPEND, LoadMode.OVERWRITE)) {
            assertThatThrownBy(() -> test.load(mode, record.formatted("ada")))
                    .hasMessageContaining("key property `name`");
        }
    }

    @Test
    void refusesARecordOverSeveralLines() {
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, "", "{\"type\":\"Note\",", "\"data\":{\"text\":\"x\"}}"))
                .hasMessageContaining("line 2")
                .hasMessageContaining("continues");
    }

    @Test
    void refusesWhatIsNotUtf8AtItsLine() {
        byte[] text = (ADA + "\n" + BOB.replace("\"bob\"}", "\"b?b\"}")).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < text.length; i++) {
            text[i] = text[i] == '?' ? (byte) 0xC0 : text[i];
        }
        assertThatThrownBy(() -> test.load("main", null, LoadMode.MERGE, text))
                .hasMessage("line 2: the text is not UTF-8");
    }

    @Test
    void saysWhatTheTextSeemsToBeInstead() {
        assertThatThrownBy(() -> test.load("main", null, LoadMode.MERGE, bytes(ADA + "\n{\0}")))
                .hasMessage("line 2: the text holds the character NUL");
        assertThatThrownBy(() -> test.load("main", null, LoadMode.MERGE, new byte[] {0x1F, (byte) 0x8B, 8, 0, 0}))
                .hasMessage("line 1: the text is not UTF-8; it looks like gzip: unpack it first");
        for (Charset charset : List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
            assertThatThrownBy(() -> test.load("main", null, LoadMode.MERGE, ADA.getBytes(charset)))
                    .hasMessage("line 1: the text is not UTF-8; it looks like UTF-16: save it as UTF-8");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A number must be finite, and a type is named as what it is. */
    @Test
    void saysWhatIsMeantInstead() {
        for (String number : List.of("NaN", "Infinity", "-Infinity")) {
            assertThatThrownBy(() -> test.load(
                            LoadMode.MERGE, "{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"age\":" + number + "}}"))
                    .hasMessageContaining("a number must be finite, not " + number);
        }
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, "{\"type\":\"Knows\",\"from\":\"a\",\"to\":\"b\"}"))
                .hasMessageContaining("Knows is an edge type: write `edge`, `from` and `to`");
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, "{\"edge\":\"Person\",\"from\":\"a\",\"to\":\"b\"}"))
                .hasMessageContaining("Person is a node type: write `type`");
    }

    @Test
    void dataMayPrecedeTheType() {
        test.load(LoadMode.MERGE, "{\"data\":{\"name\":\"ada\",\"age\":36},\"type\":\"Person\"}");
        assertThat(test.export()).contains("\"age\":36");
    }

    @Test
    void mergeReplacesTheGivenAndKeepsTheRest() {
        test.load(LoadMode.MERGE, ADA, BOB, KNOWS);
        LoadResult result = test.load(
                LoadMode.MERGE,
                "{\"type\":\"Person\",\"data\":{\"name\":\"ada\",\"mood\":\"sad\"}}",
                "{\"type\":\"Person\",\"data\":{\"name\":\"bob\",\"level\":7}}",
                "{\"edge\":\"Knows\",\"from\":\"bob\",\"to\":\"ada\",\"data\":{\"id\":\"k1\"}}");
        assertThat(result.commit().counts().nodesUpdated()).isEqualTo(2);
        assertThat(test.export())
                .contains("\"age\":36,\"mood\":\"sad\",\"level\":1", "\"level\":7")
                .contains("\"from\":\"bob\",\"to\":\"ada\",\"data\":{\"id\":\"k1\",\"since\":\"2020-01-02\"}");
        test.load(LoadMode.MERGE, "{\"type\":\"Person\",\"data\":{\"name\":\"ada\",\"age\":null}}");
        assertThat(test.export()).doesNotContain("age");
    }

    @Test
    void onlyTheLastOfTwoRecordsCounts() {
        LoadResult result =
                test.load(LoadMode.MERGE, "{\"type\":\"Person\",\"data\":{\"name\":\"ada\",\"mood\":\"sad\"}}", ADA);
        assertThat(result.totalEntities()).isEqualTo(1);
        assertThat(test.export()).doesNotContain("mood");
    }

    @Test
    void appendRefusesKnownIds() {
        test.load(LoadMode.APPEND, ADA);
        ServiceException known =
                catchThrowableOfType(ServiceException.class, () -> test.load(LoadMode.APPEND, BOB, ADA));
        assertThat(known.code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(known.detail()).isEqualTo(new ErrorDetail.KeyConflict("node", "Person", "ada"));
        assertThat(known).hasMessageStartingWith("line 2: ");
        assertThatThrownBy(() -> test.load(LoadMode.APPEND, BOB, BOB)).hasMessageContaining("twice in the batch");
        assertThat(test.export()).doesNotContain("bob");
    }

    @Test
    void overwriteLeavesExactlyTheBatch() {
        test.load(LoadMode.MERGE, ADA, BOB, "{\"type\":\"Note\",\"data\":{\"text\":\"stays\"}}");
        test.load(LoadMode.OVERWRITE, "{\"type\":\"Person\",\"data\":{\"name\":\"ada\"}}");
        assertThat(test.export()).doesNotContain("bob").doesNotContain("age").contains("stays");
        test.load(LoadMode.MERGE, BOB, KNOWS);
        assertThatThrownBy(() -> test.load(LoadMode.OVERWRITE, ADA)).hasMessageContaining("without its end");
    }

    @Test
    void constraintsAreCheckedOverTheWholeBatch() {
        ServiceException twice = catchThrowableOfType(
                ServiceException.class,
                () -> test.load(
                        LoadMode.MERGE,
                        "{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"email\":\"e\"}}",
                        "{\"type\":\"Person\",\"data\":{\"name\":\"b\",\"email\":\"e\"}}"));
        assertThat(twice.code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(twice.detail())
                .isEqualTo(new ErrorDetail.ConstraintViolation("unique_violation", "node", "Person", "b"));
        assertThat(twice).hasMessageStartingWith("line 2: ");
        test.load(LoadMode.MERGE, "{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"email\":\"e\"}}");
        // The holder releases the value in the same batch.
        test.load(
                LoadMode.MERGE,
                "{\"type\":\"Person\",\"data\":{\"name\":\"b\",\"email\":\"e\"}}",
                "{\"type\":\"Person\",\"data\":{\"name\":\"a\",\"email\":null}}");
        test.load(LoadMode.MERGE, "{\"edge\":\"Knows\",\"from\":\"a\",\"to\":\"b\"}");
        assertThatThrownBy(() -> test.load(LoadMode.MERGE, "{\"edge\":\"Knows\",\"from\":\"a\",\"to\":\"b\"}"))
                .hasMessageStartingWith("line 1: ")
                .hasMessageContaining("same src, dst");
    }

    @Test
    void aBranchIsMadeOnlyByALoadThatSucceeds() {
        assertThatThrownBy(() -> test.load("fresh", null, LoadMode.MERGE, ADA))
                .hasMessageContaining("branch `fresh` does not exist");
        assertThatThrownBy(() -> test.load("fresh", "main", LoadMode.MERGE, KNOWS))
                .hasMessageStartingWith("line 1: ");
        assertThat(test.graph.branches()).hasSize(1);
        LoadResult result = test.load("fresh", "main", LoadMode.MERGE, ADA);
        assertThat(result.target().created()).isTrue();
        assertThat(result.commit().lineage().branch()).isEqualTo("fresh");
        assertThat(test.load("fresh", "main", LoadMode.MERGE, BOB).target().created())
                .isFalse();
        assertThat(test.export()).isEmpty();
    }
}
