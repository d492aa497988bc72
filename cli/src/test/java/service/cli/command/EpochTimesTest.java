package service.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;

/** Numbers of dates become text, and nothing else changes. */
final class EpochTimesTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("""
            node Meeting {
              name: String @key
              day: Date?
              at: DateTime?
              days: [Date]?
              times: [DateTime]?
              seats: I64?
            }
            edge Follows: Meeting -> Meeting { since: DateTime? }
            """);

    private static String converted(String records) throws IOException {
        try (EpochTimes times =
                new EpochTimes(new ByteArrayInputStream(records.getBytes(StandardCharsets.UTF_8)), CATALOG)) {
            return new String(times.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void numbersOfDatesBecomeText() throws IOException {
        assertThat(converted("""
                        {"type":"Meeting","data":{"name":"a","day":19723,"at":1704067200123,"seats":7}}
                        {"type":"Meeting","data":{"name":"b","days":[0,-1,"2024-01-01"],"times":[0,null]}}
                        {"edge":"follows","from":"a","to":"b","data":{"since":-1}}
                        """)).isEqualTo("""
                        {"type":"Meeting","data":{"name":"a","day":"2024-01-01","at":"2024-01-01T00:00:00.123Z","seats":7}}
                        {"type":"Meeting","data":{"name":"b","days":["1970-01-01","1969-12-31","2024-01-01"],\
                        "times":["1970-01-01T00:00:00Z",null]}}
                        {"edge":"follows","from":"a","to":"b","data":{"since":"1969-12-31T23:59:59.999Z"}}
                        """);
    }

    @Test
    void otherLinesPassByteForByte() throws IOException {
        String records = """
                { "type" : "Meeting", "data": {"name":"a", "day": "2024-01-01", "seats": 1.50} }

                {"type":"Nothing","data":{"day":1}}
                {"type":"Meeting","data":{"name":"a","day":1.5,"at":1e3}}
                {"type":"Meeting","data":{"name":"a","day":99999999999,"at":-99999999999999999999}}
                {"type":"Meeting","data":{"name":"a","name":"b","day":1}}
                {"type":"Meeting","data":
                no record
                {"type":"Meeting","data":7}\
                """;
        assertThat(converted(records)).isEqualTo(records);
        assertThat(converted("")).isEmpty();
    }

    @Test
    void aLineLongerThanTheBufferIsOneRecord() throws IOException {
        String name = "x".repeat(200_000);
        assertThat(converted("{\"type\":\"Meeting\",\"data\":{\"name\":\"" + name + "\",\"day\":0}}"))
                .isEqualTo("{\"type\":\"Meeting\",\"data\":{\"name\":\"" + name + "\",\"day\":\"1970-01-01\"}}\n");
    }
}
