package service.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import service.core.budget.TestBudgets;
import service.core.testkit.Seed;
import service.core.value.Ulid;

/** Compares the optimised writer with the methods of the library. */
final class JsonWriterTest {
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final SplittableRandom random;

    JsonWriterTest(@Seed long seed) {
        random = new SplittableRandom(seed);
    }

    private static String text(Consumer<JsonWriter> body) {
        return new String(JsonWriter.bytes(body), StandardCharsets.UTF_8);
    }

    @Test
    void writesDoublesAsJavaDoes() {
        double[] edges = {
            0.0,
            -0.0,
            1e-3,
            9.99e-4,
            1e7,
            9_999_999.999999,
            1e-6,
            0.1 + 0.2,
            1.0000005,
            100,
            1e22,
            -7.25,
            Double.MIN_NORMAL,
            Double.MAX_VALUE,
            Math.nextDown(1e7),
            Math.nextUp(1e-3),
            0.001001,
            5e-7
        };
        for (double value : edges) {
            assertThat(text(json -> json.value(value))).isEqualTo(Double.toString(value));
        }
        for (int i = 0; i < 200_000; i++) {
            double decimals = random.nextLong(10_000_000_000_000L) / Math.pow(10, random.nextInt(9));
            double any = Double.longBitsToDouble(random.nextLong());
            double value = i % 2 == 0 ? decimals : Double.isFinite(any) ? any : 0;
            assertThat(text(json -> json.value(-value))).isEqualTo(Double.toString(-value));
        }
    }

    @Test
    void writesWholeNumbersAsJavaDoes() {
        for (int i = 0; i < 100_000; i++) {
            long value = random.nextLong() >> random.nextInt(64);
            assertThat(text(json -> json.value(value))).isEqualTo(Long.toString(value));
        }
        assertThat(text(json -> json.value(Long.MIN_VALUE))).isEqualTo("-9223372036854775808");
    }

    /** The bytes have every distance from a word boundary and from the end of the buffer. */
    @Test
    void writesStringsOfAnyLengthThatJacksonReadsBack() throws IOException {
        int[] points = "ab\"\\\u0000\u001f \u007f\u0080\u009b\u009f\u00a0\u00bfé\u07ff€\uffff\ud83d\ude00\n"
                .codePoints()
                .toArray();
        ObjectMapper jackson = new ObjectMapper();
        for (int i = 0; i < 2_000; i++) {
            StringBuilder made = new StringBuilder();
            int rare = 1 + random.nextInt(200);
            for (int n = random.nextInt(1_500); n > 0; n--) {
                made.appendCodePoint(random.nextInt(rare) > 0 ? 'a' + n % 26 : points[random.nextInt(points.length)]);
            }
            ByteArrayOutputStream drained = new ByteArrayOutputStream();
            JsonWriter writer = new JsonWriter(new byte[64 + random.nextInt(200)], (buffer, length) -> {
                drained.write(buffer, 0, length);
                return buffer;
            });
            writer.string(made.toString()).finish();
            assertThat(jackson.readValue(drained.toByteArray(), String.class)).isEqualTo(made.toString());
            assertThat(drained.toString(StandardCharsets.UTF_8).chars().filter(Character::isISOControl))
                    .isEmpty();
        }
    }

    @Test
    void escapesBytesLikeCharacters() {
        String some = "ab\"\\\u0000\u001f \u007f\u0080\u009b\u009f\u00a0\u00bfé\u07ff€\uffff\ud83d\ude00\n\r\tz{}";
        int[] points = some.codePoints().toArray();
        for (int i = 0; i < 50_000; i++) {
            StringBuilder made = new StringBuilder();
            boolean plain = random.nextInt(3) > 0;
            for (int n = random.nextInt(40); n > 0; n--) {
                made.appendCodePoint(plain ? 'a' + n % 26 : points[random.nextInt(points.length)]);
            }
            String string = made.toString();
            byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
            int before = random.nextInt(12);
            byte[] within = new byte[before + utf8.length + random.nextInt(12)];
            System.arraycopy(utf8, 0, within, before, utf8.length);
            String expected = text(json -> json.string(string));
            assertThat(expected.chars().filter(Character::isISOControl)).isEmpty();
            assertThat(text(json -> json.utf8(new UnsafeBuffer(within), before, utf8.length)))
                    .isEqualTo(expected);
            assertThat(text(json -> json.utf8(within, before, utf8.length))).isEqualTo(expected);
        }
    }

    @Test
    void stampsTimesAndIdsAsTheLibraryDoes() {
        long first = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond() * 1_000_000;
        long last = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond() * 1_000_000;
        for (int i = 0; i < 100_000; i++) {
            long micros = i == 0 ? first : i == 1 ? last : random.nextLong(first, last);
            Instant instant = Instant.ofEpochSecond(
                    Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
            assertThat(text(json -> json.micros(micros))).isEqualTo('"' + MICROS.format(instant) + '"');
            Ulid id = new Ulid(random.nextLong(), random.nextLong());
            String ulid = text(json -> json.ulid(id.high(), id.low()));
            assertThat(ulid).isEqualTo('"' + id.toString() + '"');
            assertThat(Ulid.parse(id.toString())).isEqualTo(id);
        }
    }

    /** Truncates to any earlier size, across its pieces, and returns each byte once. */
    @Test
    void truncatesABuffer() throws IOException {
        for (int round = 0; round < 3; round++) {
            JsonBuffer buffer = new JsonBuffer(256, TestBudgets.ample(), Int64Form.NUMBER);
            StringBuilder model = new StringBuilder();
            for (int i = 0; i < 3_000; i++) {
                int back = buffer.size();
                String line = "x".repeat(random.nextInt(200));
                buffer.writer().string(line).newline();
                if (random.nextInt(3) == 0) {
                    buffer.truncate(back);
                } else {
                    model.append('"').append(line).append("\"\n");
                }
                if (random.nextInt(900) == 0) {
                    int to = random.nextInt(model.length() + 1);
                    buffer.truncate(to);
                    model.setLength(to);
                }
                assertThat(buffer.size()).isEqualTo(model.length());
            }
            assertThat(new String(buffer.toByteArray(), StandardCharsets.US_ASCII))
                    .isEqualTo(model.toString());
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            buffer.writeTo(all, 0, buffer.size());
            buffer.truncate(0);
            assertThat(all.toString(StandardCharsets.US_ASCII)).isEqualTo(model.toString());
            assertThat(buffer.size()).isZero();
        }
    }
}
