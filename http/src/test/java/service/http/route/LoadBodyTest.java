package service.http.route;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.Seed;

class LoadBodyTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String[] TEXTS = {
        "", "a", "\"", "\\", "\\\"", "\n", "\r\n", "\t\b\f/", "é", "\u2028", "漢", "😀", "{}[],:"
    };

    private final SplittableRandom random;

    LoadBodyTest(@Seed long seed) {
        random = new SplittableRandom(seed);
    }

    private static LoadBody read(String json) {
        byte[] bytes = (json + "after the body").getBytes(UTF_8);
        return LoadBody.read(bytes, json.getBytes(UTF_8).length);
    }

    private static String lines(LoadBody body) throws IOException {
        return new String(body.lines().readAllBytes(), UTF_8);
    }

    /** Compares with Jackson's tree, with the members in any order. */
    @Test
    void recordsOfAJsonLoadBecomeOneLineEach() throws IOException {
        for (int round = 0; round < 300; round++) {
            ArrayNode records = JsonNodeFactory.instance.arrayNode();
            for (int i = random.nextInt(4); i > 0; i--) {
                records.add(record(3));
            }
            String text = random.nextBoolean() ? records.toString() : records.toPrettyString();
            LoadBody body = read(around("records", text));
            assertThat(body.text("branch")).isEqualTo("b");
            List<String> expected = new ArrayList<>();
            records.forEach(record -> expected.add(record.toString()));
            List<String> given = new ArrayList<>();
            for (String line : lines(body).split("\n", -1)) {
                if (!line.isBlank()) {
                    given.add(MAPPER.readTree(line).toString());
                }
            }
            assertThat(given).isEqualTo(expected);
        }
    }

    @Test
    void theDataMemberOfAJsonLoadIsDecoded() throws IOException {
        for (int round = 0; round < 300; round++) {
            String text = text(20);
            String spelled = MAPPER.writeValueAsString(text);
            if (random.nextBoolean()) {
                spelled = inEscapes(text);
            }
            assertThat(lines(read(around("data", spelled)))).isEqualTo(text);
        }
    }

    /** The reader of the lines refuses it and names the line. */
    @Test
    void anUnpairedSurrogateIsRefused() throws IOException {
        for (String alone : List.of("\\ud800", "\\udc00x", "\\ud800\\ud800", "\\ud800\\u0041")) {
            byte[] given = read("{\"data\":\"a" + alone + "\"}").lines().readAllBytes();
            assertThatThrownBy(() -> StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(given)))
                    .isInstanceOf(java.nio.charset.CharacterCodingException.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|must be a JSON object",
                "{'records':[],'records':[]}|the key `records` occurs twice",
                "{'records':[],'data':''}|either as NDJSON text",
                "{'records':null}|either as NDJSON text",
                "{'records':[}|is not valid JSON",
                "{'records':[{]}|is not valid JSON",
                "{'records':[]|is not valid JSON",
                "{'records':[]} {}|the object is followed by more",
                "{'recods':[1,[2]]}|field `recods` is unknown here; known: branch",
                "{'records':{}}|field `records` must be an array",
                "{'data':[]}|field `data` must be a string",
                "{'records':[],'mode':{}}|field `mode` must be a string",
                "{'data':'\\x'}|is not valid JSON",
            })
    void refuses(String json, String message) {
        assertThatThrownBy(() -> read(json.replace('\'', '"')).text("mode"))
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                .hasMessageContaining(message);
    }

    @Test
    void aLoadThatIsNotUtf8IsRefused() {
        for (byte[] body : List.of(
                "{\"data\":\"\"}".getBytes(StandardCharsets.UTF_16BE),
                "{\"data\":\"\"}".getBytes(StandardCharsets.UTF_16),
                "\uFEFF{\"data\":\"\"}".getBytes(UTF_8),
                "{\"data\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1))) {
            assertThatThrownBy(() -> LoadBody.read(body, body.length)).hasMessage("the request body is not UTF-8 text");
        }
    }

    private String around(String name, String value) {
        String member = "\"" + name + "\": " + value;
        String branch = "\"branch\":\"b\"";
        return random.nextBoolean() ? "{" + member + " , " + branch + "}" : "\n{" + branch + ",\n" + member + "}\n";
    }

    private ObjectNode record(int depth) {
        ObjectNode record = JsonNodeFactory.instance.objectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = text(2) + i;
            switch (random.nextInt(depth > 0 ? 5 : 3)) {
                case 0 -> record.put(name, random.nextInt());
                case 1 -> record.put(name, text(4));
                case 2 -> record.putNull(name);
                case 3 -> record.set(name, record(depth - 1));
                default -> record.putArray(name).add(text(3)).add(record(depth - 1));
            }
        }
        return record;
    }

    private String text(int pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(pieces); i > 0; i--) {
            text.append(TEXTS[random.nextInt(TEXTS.length)]);
        }
        return text.toString();
    }

    private static String inEscapes(String text) {
        StringBuilder spelled = new StringBuilder("\"");
        text.chars().forEach(c -> spelled.append("\\u%04X".formatted(c)));
        return spelled.append('"').toString();
    }
}
