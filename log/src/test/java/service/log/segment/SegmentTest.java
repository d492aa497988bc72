package service.log.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static service.core.testkit.SmallGraph.person;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.blob.StagedBlobs;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.EventFormatException;
import service.core.event.Stamp;
import service.core.testkit.Seed;
import service.core.value.Ulid;
import service.log.group.EncodedGroup;
import service.log.group.LogTail;

/** The bytes of a segment, and that no damage to them goes unseen. */
final class SegmentTest {
    private static final Ulid GRAPH = new Ulid(0x0102030405060708L, 0x1112131415161718L);
    private static final LogTail BEFORE =
            new LogTail(41, filled(32), 1_000, new Ulid(1, 1), 3, LogTail.FIRST_GENERATION);

    @TempDir
    Path directory;

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 0xAB);
        return bytes;
    }

    private static EncodedGroup group(int commits) {
        EncodedGroup group = new EncodedGroup(new EventCodec(), GRAPH, BEFORE);
        for (int i = 0; i < commits; i++) {
            long offset = group.nextOffset();
            ChangeBlock block = ChangeBlock.of(List.of(person("000000", 0)));
            group.add(
                    new Event.Commit(
                            new CommitHeader(
                                    new Stamp(offset, 1_000 + offset, "tester"),
                                    group.tail().lastCommit().next(),
                                    CommitKind.MUTATION,
                                    new CommitHeader.Lineage(
                                            "main", 0, group.tail().lastCommit(), null),
                                    null,
                                    block.counts(),
                                    null),
                            block),
                    StagedBlobs.NONE);
        }
        return group;
    }

    private Segment segment(EncodedGroup group) throws IOException {
        return Segment.of(GRAPH, group, () -> directory.resolve("spill"));
    }

    private static byte[] bytes(Segment segment) throws IOException {
        try (InputStream in = segment.open()) {
            return in.readAllBytes();
        }
    }

    private static List<Event> read(InputStream object) throws IOException {
        List<Event> events = new ArrayList<>();
        EventCodec codec = new EventCodec();
        try (SegmentReader reader = new SegmentReader(object)) {
            SegmentHeader header = reader.header();
            assertThat(header.graph()).isEqualTo(GRAPH);
            long offset = header.first();
            byte[] hash = header.hashBefore();
            for (UnsafeBuffer event = reader.next(); event != null; event = reader.next()) {
                hash = codec.verify(event, offset, hash);
                events.add(codec.decode(event, offset++));
            }
            reader.finish();
            assertThat(offset - 1).isEqualTo(header.last());
            assertThat(hash).isEqualTo(header.hash());
        }
        return events;
    }

    private static List<Event> events(EncodedGroup group) {
        return group.parts().stream().map(part -> part.event().event()).toList();
    }

    /** The header is drawn in docs/formats/segment.md; the frame may change with the version of zstd. */
    @Test
    void theHeaderHasTheseBytes() throws IOException {
        EncodedGroup group = group(2);
        long eventBytes =
                group.parts().stream().mapToLong(part -> part.event().length()).sum();
        try (Segment segment = segment(group)) {
            byte[] bytes = bytes(segment);
            assertThat(segment.length()).isEqualTo(bytes.length);
            assertThat(HexFormat.of().formatHex(bytes, 0, 120))
                    .startsWith("53474d54" + "01000000" + "0807060504030201" + "1817161514131211"
                            + "2a00000000000000" + "2b00000000000000" + "ab".repeat(32)
                            + HexFormat.of().formatHex(group.tail().hash())
                            + HexFormat.of().toHexDigits(Long.reverseBytes(eventBytes))
                            + "00000000");
            assertThat(HexFormat.of().formatHex(bytes, 120, 124)).isEqualTo("28b52ffd");
        }
    }

    /** A segment that an earlier build wrote is read. */
    @Test
    void keptBytesAreRead() throws IOException {
        byte[] kept;
        try (InputStream in = SegmentTest.class.getResourceAsStream("segment-1.hex")) {
            kept = HexFormat.of().parseHex(new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip());
        }
        assertThat(read(new ByteArrayInputStream(kept))).isEqualTo(events(group(2)));
    }

    @Test
    void manyBytesAreKeptInAFileAndDropped() throws IOException {
        byte[] piece = new byte[100_000];
        new Random(1).nextBytes(piece);
        try (SpooledBytes bytes = new SpooledBytes(() -> directory.resolve("spill"))) {
            for (int count = 0; count < 90; count++) {
                bytes.write(piece);
            }
            assertThat(bytes.length()).isEqualTo(9_000_000);
            assertThat(directory.resolve("spill")).exists();
            for (int time = 0; time < 2; time++) {
                try (InputStream in = bytes.open()) {
                    for (int count = 0; count < 90; count++) {
                        assertThat(in.readNBytes(piece.length)).isEqualTo(piece);
                    }
                    assertThat(in.read()).isNegative();
                }
            }
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void otherBytesAreNotTheSame() throws IOException {
        try (Segment segment = segment(group(2))) {
            byte[] bytes = bytes(segment);
            assertThat(segment.isSame(new ByteArrayInputStream(bytes))).isTrue();
            assertThat(segment.isSame(new ByteArrayInputStream(bytes, 0, bytes.length - 1)))
                    .isFalse();
            assertThat(segment.isSame(new ByteArrayInputStream(Arrays.copyOf(bytes, bytes.length + 1))))
                    .isFalse();
        }
    }

    /** Every change of a bit, every cut and every extension is found; none is another kind of failure. */
    @Test
    void damageIsFound(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        byte[] whole;
        try (Segment segment = segment(group(3))) {
            whole = bytes(segment);
        }
        assertThat(read(new ByteArrayInputStream(whole))).hasSize(3);
        for (int at = 0; at < whole.length; at++) {
            byte[] flipped = whole.clone();
            flipped[at] ^= (byte) (1 << random.nextInt(8));
            isDamaged(flipped, "a bit at " + at);
            isDamaged(Arrays.copyOf(whole, at), "cut at " + at);
        }
        isDamaged(Arrays.copyOf(whole, whole.length + 1 + random.nextInt(9)), "longer");
    }

    private static void isDamaged(byte[] bytes, String what) {
        assertThatThrownBy(() -> read(new ByteArrayInputStream(bytes)))
                .as(what)
                .isInstanceOfAny(IOException.class, EventFormatException.class);
    }
}
