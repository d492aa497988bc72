package service.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.Seed;

/** Bodies in gzip: of several members, in pieces of any size, cut at any byte, and changed at any byte. */
final class GunzipStreamTest {
    private static final long MAX = 1 << 20;

    /** Bytes of the head of a member that is not named, and where its flags lie. */
    private static final int HEAD_BYTES = 10;

    private static final int FLAGS = 3;

    private static byte[] random(Random random, int bound) {
        byte[] bytes = new byte[random.nextInt(bound)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ('a' + random.nextInt(random.nextBoolean() ? 3 : 26));
        }
        return bytes;
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** A body that arrives in pieces. */
    private static InputStream pieces(byte[] body, Random random) {
        return new ByteArrayInputStream(body) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 1 + random.nextInt(9)));
            }
        };
    }

    private static byte[] read(InputStream body, long max) throws IOException {
        try (GunzipStream stream = new GunzipStream(body, max)) {
            return stream.readAllBytes();
        }
    }

    private static byte[] read(byte[] body) throws IOException {
        return read(new ByteArrayInputStream(body), MAX);
    }

    private static void assertRefused(byte[] body, String what) {
        assertThatThrownBy(() -> read(body))
                .as(what)
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
                .hasMessageContaining("is not gzip");
    }

    @Test
    void membersAreReadOneAfterTheOther(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            ByteArrayOutputStream plain = new ByteArrayOutputStream();
            ByteArrayOutputStream packed = new ByteArrayOutputStream();
            for (int members = 1 + random.nextInt(4); members > 0; members--) {
                byte[] bytes = random(random, random.nextBoolean() ? 20 : 20_000);
                plain.write(bytes);
                packed.write(gzip(bytes));
            }
            byte[] body = packed.toByteArray();
            InputStream arriving = random.nextBoolean() ? pieces(body, random) : new ByteArrayInputStream(body);
            assertThat(read(arriving, MAX)).isEqualTo(plain.toByteArray());
        }
    }

    @Test
    void whatIsCutIsRefused(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        byte[] first = gzip(random(random, 300));
        byte[] body = joined(first, gzip(random(random, 300)));
        for (int length = 0; length < body.length; length++) {
            if (length != first.length) {
                assertRefused(Arrays.copyOf(body, length), "cut to " + length);
            }
        }
        assertRefused(Arrays.copyOf(body, body.length + 3), "zeros behind the end");
        assertRefused("{\"type\":\"Doc\"}\n".getBytes(UTF_8), "plain");
    }

    /** A changed bit is noticed, or is one that says nothing of the data: in a head, or behind the last code. */
    @Test
    void whatIsChangedIsNeverReadAsSomethingElse(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        byte[] first = gzip(random(random, 300));
        byte[] body = joined(first, gzip(random(random, 300)));
        byte[] plain = read(body);
        int refused = 0;
        for (int i = 0; i < body.length; i++) {
            byte[] changed = body.clone();
            changed[i] ^= (byte) (1 << random.nextInt(8));
            try {
                assertThat(read(changed)).as("changed at " + i).isEqualTo(plain);
            } catch (ServiceException e) {
                assertThat(e).as("changed at " + i).hasMessageContaining("is not gzip");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(body.length - 2 * HEAD_BYTES);
    }

    /** The name, the comment, the extra field and the checksum of the head. */
    @Test
    void optionalPartsOfTheHeadAreSkipped() throws IOException {
        byte[] plain = "hello".getBytes(UTF_8);
        byte[] body = gzip(plain);
        ByteArrayOutputStream with = new ByteArrayOutputStream();
        with.write(body, 0, FLAGS);
        with.write(2 | 4 | 8 | 16);
        with.write(body, FLAGS + 1, HEAD_BYTES - FLAGS - 1);
        with.write(new byte[] {3, 0, 'x', 'y', 'z'});
        with.write("name\0comment\0".getBytes(UTF_8));
        with.write(new byte[] {1, 2});
        with.write(body, HEAD_BYTES, body.length - HEAD_BYTES);
        assertThat(read(with.toByteArray())).isEqualTo(plain);
    }

    @Test
    void aSmallBodyBecomesNoLargeOne() throws IOException {
        byte[] packed = gzip(new byte[(int) MAX + 1]);
        assertThat(packed.length).isLessThan(2_000);
        assertThatThrownBy(() -> read(packed))
                .isInstanceOfSatisfying(
                        ServiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
        assertThat(read(new ByteArrayInputStream(packed), MAX + 1)).hasSize((int) MAX + 1);
    }
}
