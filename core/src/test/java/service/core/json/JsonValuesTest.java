package service.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.blob.BlobIntake;
import service.core.error.ServiceException;
import service.core.value.PropertyType;
import service.core.value.ScalarType;
import service.core.value.Value;

class JsonValuesTest {
    private static Value read(PropertyType type, String json) {
        return JsonValues.read(type, false, Json.read(json, "the text"), "parameter `p`", BlobIntake::described);
    }

    private static PropertyType scalar(ScalarType type) {
        return new PropertyType.Scalar(type);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "I32|2147483648",
                "I32|1.5",
                "I32|\"1\"",
                "U32|-1",
                "U32|4294967296",
                "I64|9223372036854775808",
                "I64|\"9223372036854775808\"",
                "I64|\"1e3\"",
                "I64|\"+1\"",
                "U64|-1",
                "U64|18446744073709551616",
                "F32|1e39",
                "F64|1e400",
                "F64|NaN",
                "F64|\"NaN\"",
                "F64|-Infinity",
                "BOOL|1",
                "STRING|1",
                "DATE|\"2024-02-30\"",
                "DATE|\"2024-01-01T00:00:00Z\"",
                "DATETIME|\"2024-01-01\"",
                "BLOB|\"base64:QQ\"",
                "BLOB|\"base64:QR==\"",
                "BLOB|\"relative/path\"",
                "I64|null",
                "STRING|\"\\ud800\""
            })
    void refusesAndNamesTheParameter(ScalarType type, String json) {
        assertThatThrownBy(() -> read(scalar(type), json))
                .isInstanceOf(ServiceException.class)
                .hasMessageStartingWith("parameter `p`");
    }

    @Test
    void readsNumbersExactly() {
        assertThat(read(PropertyType.I64, "9007199254740993")).isEqualTo(new Value.Int(9007199254740993L));
        assertThat(read(PropertyType.I64, "\"-9223372036854775808\"")).isEqualTo(new Value.Int(Long.MIN_VALUE));
        assertThat(read(scalar(ScalarType.U64), "18446744073709551615")).isEqualTo(new Value.UInt(-1));
        assertThat(read(scalar(ScalarType.F32), "0.1")).isEqualTo(new Value.Real((double) 0.1f));
        assertThat(read(PropertyType.F64, "3")).isEqualTo(new Value.Real(3));
    }

    @Test
    void readsTheOtherTypes() {
        assertThat(read(PropertyType.DATE, "\"1970-01-02\"")).isEqualTo(new Value.Date(1));
        assertThat(read(PropertyType.DATETIME, "\"1970-01-01T01:00:00.5+01:00\""))
                .isEqualTo(new Value.DateTime(500));
        assertThat(read(new PropertyType.VectorOf(2), "[1, 2.5]")).isEqualTo(new Value.Vector(new float[] {1, 2.5f}));
        assertThat(read(scalar(ScalarType.BLOB), "\"base64:QQ==\"")).isInstanceOf(Value.ManagedBlob.class);
        assertThat(read(scalar(ScalarType.BLOB), "\"https://x.example/y\""))
                .isEqualTo(new Value.ExternalBlob("https://x.example/y"));
        assertThatThrownBy(() -> read(new PropertyType.VectorOf(3), "[1,2]")).hasMessageContaining("3 numbers, not 2");
        assertThatThrownBy(() -> read(new PropertyType.EnumOf(List.of("a", "b")), "\"c\""))
                .hasMessageContaining("one of a, b");
    }

    @Test
    void onlyArgumentsMayHoldNullItems() throws IOException {
        PropertyType type = new PropertyType.ListOf(ScalarType.I64);
        assertThat(read(type, "[1,null]")).isEqualTo(new Value.ListOf(List.of(new Value.Int(1), Value.NULL)));
        JsonParser parser = Json.read("[1,null]", "x").traverse();
        parser.nextToken();
        assertThatThrownBy(() -> JsonValues.readStored(type, parser, "property `p`"))
                .hasMessageContaining("null at index 1");
    }

    @Test
    void treesAreStrict() {
        assertThatThrownBy(() -> Json.read("{\"a\":1,\"a\":2}", "the request body"))
                .hasMessageContaining("the key `a` occurs twice (line 1, column 11)");
        assertThatThrownBy(() -> Json.read("{} {}", "the request body")).hasMessageContaining("not valid JSON");
        assertThatThrownBy(() -> Json.read("", "the request body")).hasMessageContaining("empty");
        assertThatThrownBy(() -> Json.readObject(new byte[] {'{', '"', (byte) 0xC0, (byte) 0x80, '"', '}'}, "the body"))
                .hasMessageContaining("not UTF-8");
        assertThatThrownBy(() -> Json.readObject("[]".getBytes(java.nio.charset.StandardCharsets.UTF_8), "the body"))
                .hasMessageContaining("an array");
        assertThat(Json.read("123456789012345678901234567890.10", "x")
                        .decimalValue()
                        .toPlainString())
                .isEqualTo("123456789012345678901234567890.10");
    }

    @Test
    void writesJsonThatAnyParserReadsBack() {
        String nasty = "a\"\\\u0000\u001f\n é 😀 \ud800".repeat(40);
        byte[] json = JsonWriter.bytes(w -> {
            w.beginObject().field(nasty).string("é😀\"".repeat(100));
            w.field("l").beginArray().value(Long.MIN_VALUE).value(0).value(-10).value(Long.MAX_VALUE);
            w.unsigned(-1).value(0.1f).value(1e300).value(true).nullValue().endArray();
            w.field("o").beginObject().endObject().field("t").dateTime(0).endObject();
        });
        var tree = Json.readObject(json, "it");
        assertThat(tree.fieldNames().next()).isEqualTo(nasty.replace('\ud800', '\ufffd'));
        assertThat(tree.get(nasty.replace('\ud800', '\ufffd')).textValue()).isEqualTo("é😀\"".repeat(100));
        assertThat(tree.get("l").toString())
                .isEqualTo(
                        "[-9223372036854775808,0,-10,9223372036854775807,18446744073709551615,0.1,1.0E+300,true,null]");
        assertThat(tree.get("t").textValue()).isEqualTo("1970-01-01T00:00:00Z");
    }
}
