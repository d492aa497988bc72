package service.core.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Ulid;
import service.core.value.Value;

final class EventCodecTest {
    private final Random random;

    EventCodecTest(@Seed long seed) {
        random = new Random(seed);
    }

    /** The number of types of events. */
    private static final int TYPES = 8;

    private final EventCodec codec = new EventCodec();
    private final EventCodec other = new EventCodec();

    @Test
    void decodeReturnsTheEncodedEvent() {
        for (int i = 0; i < 500; i++) {
            Event event = event(i, i % TYPES, 30);
            byte[] previous = hash();
            DirectBuffer bytes = encode(event, previous);
            assertSame(other.decode(bytes, i), event);
            assertSame(other.decodeHeader(bytes, i), withoutChanges(event));
            assertThat(other.verify(bytes, i, previous)).isEqualTo(EventCodec.hashOf(bytes));
            assertThat(EventCodec.previousHashOf(bytes)).isEqualTo(previous);
        }
    }

    @Test
    void equalEventsHaveEqualBytesWhereverTheyLie() {
        Event event = event(3, 0, 30);
        byte[] previous = hash();
        DirectBuffer first = encode(event, previous);
        DirectBuffer second = encode(other.decode(first, 3), previous);
        assertThat(second.compareTo(first)).isZero();
        UnsafeBuffer heap = new UnsafeBuffer(new byte[first.capacity() + 7], 7, first.capacity());
        heap.putBytes(0, first, 0, first.capacity());
        assertThat(other.verify(heap, 3, previous)).isEqualTo(EventCodec.hashOf(first));
    }

    @Test
    void everyFlippedBitIsDetected() {
        for (int type = 0; type < TYPES; type++) {
            byte[] previous = hash();
            UnsafeBuffer bytes = encode(event(9, type, 4), previous);
            int header = bytes.getInt(EventLayout.AT_HEADER_LENGTH);
            for (int at = 0; at < bytes.capacity(); at++) {
                byte good = bytes.getByte(at);
                bytes.putByte(at, (byte) (good ^ 1 << random.nextInt(8)));
                assertRefused(() -> other.decode(bytes, 9), at);
                assertRefused(() -> other.verify(bytes, 9, previous), at);
                if (at < header) {
                    assertRefused(() -> other.decodeHeader(bytes, 9), at);
                }
                bytes.putByte(at, good);
            }
            other.verify(bytes, 9, previous);
        }
    }

    @Test
    void truncatedBytesAreDamaged() {
        UnsafeBuffer bytes = encode(event(9, 0, 4), hash());
        for (int length = 0; length < bytes.capacity(); length++) {
            DirectBuffer cut = new UnsafeBuffer(bytes, 0, length);
            assertRefused(() -> other.decode(cut, 9), length);
            assertRefused(() -> other.decodeHeader(cut, 9), length);
        }
    }

    @Test
    void aStrippedEventKeepsItsHeaderAndItsPlaceInTheChain() {
        Event event = event(9, 0, 4);
        while (((Event.Commit) event).changes().isEmpty()) {
            event = event(9, 0, 4);
        }
        byte[] previous = hash();
        UnsafeBuffer bytes = encode(event, previous);
        byte[] whole = EventCodec.hashOf(bytes);
        UnsafeBuffer stripped = new UnsafeBuffer(new byte[EventCodec.strippedLengthOf(bytes)]);
        assertThat(other.strip(bytes, 9, stripped)).isEqualTo(stripped.capacity());
        assertThat(EventCodec.isStripped(bytes)).isFalse();
        assertThat(EventCodec.isStripped(stripped)).isTrue();
        assertThat(EventCodec.changeCountOf(stripped)).isEqualTo(EventCodec.changeCountOf(bytes));
        assertSame(other.decodeHeader(stripped, 9), withoutChanges(event));
        assertThat(other.verify(stripped, 9, previous)).isEqualTo(whole);
        assertThatThrownBy(() -> other.decode(stripped, 9))
                .isInstanceOfSatisfying(
                        EventFormatException.class,
                        e -> assertThat(e.kind()).isEqualTo(EventFormatException.Kind.RECLAIMED));
        for (int at = 0; at < stripped.capacity(); at++) {
            byte good = stripped.getByte(at);
            stripped.putByte(at, (byte) (good ^ 1 << random.nextInt(8)));
            assertRefused(() -> other.verify(stripped, 9, previous), at);
            stripped.putByte(at, good);
        }
    }

    @Test
    void damagedTooOldAndTooNewAreDifferent() {
        assertThat(kindWithVersion(1)).isEqualTo(EventFormatException.Kind.TOO_OLD);
        assertThat(kindWithVersion(3)).isEqualTo(EventFormatException.Kind.TOO_NEW);
        assertThat(kindWithVersion(-1)).isEqualTo(EventFormatException.Kind.TOO_NEW);
        UnsafeBuffer bytes = encode(event(7, 1, 0), hash());
        bytes.putShort(EventLayout.AT_VERSION, (short) 7);
        assertThatThrownBy(() -> other.decode(bytes, 7)).isInstanceOfSatisfying(EventFormatException.class, e -> {
            assertThat(e.kind()).isEqualTo(EventFormatException.Kind.DAMAGED);
            assertThat(e.offset()).isEqualTo(7);
            assertThat(e).hasMessageStartingWith("the event at offset 7 is damaged");
        });
    }

    /** A program that knows only branches from heads must refuse any other, and read these as before. */
    @Test
    void onlyABranchFromThePastHasTheNewerVersion() {
        for (boolean past : List.of(false, true)) {
            Event.BranchCreated event =
                    new Event.BranchCreated(new Stamp(7, 1, null), "b", 1, new Fork(0, "main", 3, ulid()), past);
            UnsafeBuffer bytes = encode(event, hash());
            assertThat(bytes.getShort(EventLayout.AT_VERSION)).isEqualTo((short) (past ? 3 : 2));
            assertThat(other.decode(bytes, 7)).isEqualTo(event);
        }
    }

    /** Events without a note keep the bytes, and so the hashes, that they had before there were notes. */
    @Test
    void aNoteIsTheLastPartOfAHeader() {
        for (int i = 0; i < 200; i++) {
            Event noted = event(i, i % 4, 0);
            if (noted.stamp().note() == null) {
                continue;
            }
            Event plain = withStamp(noted, new Stamp(i, noted.timeMicros(), noted.actor()));
            byte[] previous = hash();
            UnsafeBuffer with = encode(noted, previous);
            UnsafeBuffer without = encode(plain, previous);
            int end = without.capacity() - EventLayout.TRAILER_BYTES;
            assertThat(with.getByte(EventLayout.AT_FLAGS) ^ without.getByte(EventLayout.AT_FLAGS))
                    .isEqualTo((byte) EventLayout.FLAG_NOTE);
            assertThat(with.getShort(EventLayout.AT_VERSION)).isEqualTo(without.getShort(EventLayout.AT_VERSION));
            byte[] head = new byte[end - EventLayout.AT_BODY];
            byte[] same = new byte[end - EventLayout.AT_BODY];
            with.getBytes(EventLayout.AT_BODY, head);
            without.getBytes(EventLayout.AT_BODY, same);
            assertThat(head).isEqualTo(same);
            assertThat(EventCodec.hashOf(with)).isNotEqualTo(EventCodec.hashOf(without));
        }
    }

    /** A header whose checksum is right and whose parts disagree is damaged, however it is read. */
    @Test
    void aKindWithoutItsCommitIsDamaged() {
        Event.Commit revert = new Event.Commit(
                new CommitHeader(
                        new Stamp(7, 1, null),
                        ulid(),
                        CommitKind.REVERT,
                        new CommitHeader.Lineage("main", 0, ulid(), null, ulid()),
                        null,
                        ChangeCounts.NONE,
                        null),
                ChangeBlock.EMPTY);
        UnsafeBuffer bytes = encode(revert, hash());
        int merge = 3;
        bytes.putInt(EventLayout.AT_BODY, merge);
        seal(bytes);
        assertRefused(() -> other.decode(bytes, 7), 7);
        CommitReader reader = new CommitReader(other);
        other.commit(bytes, 7, 0, reader);
        assertRefused(reader::header, 7);
    }

    @Test
    void anEventInTheWrongPlaceIsDetected() {
        DirectBuffer bytes = encode(event(7, 0, 3), hash());
        assertThatThrownBy(() -> other.decode(bytes, 8)).hasMessageContaining("it is event 7");
        assertThatThrownBy(() -> other.verify(bytes, 7, hash())).hasMessageContaining("does not follow");
    }

    @Test
    void changesAreReadInPlace() {
        Event.Commit event = (Event.Commit) event(1, 0, 50);
        DirectBuffer bytes = encode(event, hash());
        ChangeReader reader = other.changes(bytes, 1);
        List<EntityChange> read = new ArrayList<>();
        while (reader.next()) {
            EntityChange change = reader.change();
            read.add(change);
            assertThat(text(reader, reader.idPosition(), reader.idLength())).isEqualTo(change.id());
            if (reader.hasAfter()) {
                Image after = change.after();
                assertThat(row(reader, reader.afterPosition(), reader.afterLength()))
                        .isEqualTo(after.properties());
                if (reader.isEdge()) {
                    assertThat(text(reader, reader.afterFromPosition(), reader.afterFromLength()))
                            .isEqualTo(after.from());
                    assertThat(text(reader, reader.afterToPosition(), reader.afterToLength()))
                            .isEqualTo(after.to());
                }
            }
            if (reader.hasBefore()) {
                Image before = change.before();
                assertThat(row(reader, reader.beforePosition(), reader.beforeLength()))
                        .isEqualTo(before.properties());
                if (reader.isEdge()) {
                    assertThat(text(reader, reader.beforeFromPosition(), reader.beforeFromLength()))
                            .isEqualTo(before.from());
                    assertThat(text(reader, reader.beforeToPosition(), reader.beforeToLength()))
                            .isEqualTo(before.to());
                }
            }
        }
        assertThat(read).isEqualTo(event.changes().changes());
        assertThat(reader.next()).isFalse();
    }

    private EventFormatException.Kind kindWithVersion(int version) {
        UnsafeBuffer bytes = encode(event(7, 0, 3), hash());
        bytes.putShort(EventLayout.AT_VERSION, (short) version);
        seal(bytes);
        try {
            other.decodeHeader(bytes, 7);
        } catch (EventFormatException e) {
            return e.kind();
        }
        return fail("version %d was read", version);
    }

    /** Gives a changed header its right checksum. */
    private static void seal(UnsafeBuffer bytes) {
        CRC32C crc = new CRC32C();
        byte[] all = new byte[bytes.getInt(EventLayout.AT_HEADER_LENGTH) - 4];
        bytes.getBytes(0, all);
        crc.update(all);
        bytes.putInt(all.length, (int) crc.getValue());
    }

    private static Event withStamp(Event event, Stamp stamp) {
        return switch (event) {
            case Event.Commit(CommitHeader header, ChangeBlock changes) ->
                new Event.Commit(
                        new CommitHeader(
                                stamp,
                                header.id(),
                                header.kind(),
                                header.lineage(),
                                header.idempotency(),
                                header.counts(),
                                header.schema(),
                                header.sides()),
                        changes);
            case Event.BranchCreated e -> new Event.BranchCreated(stamp, e.name(), e.incarnation(), e.fork(), e.past());
            case Event.BranchDeleted e -> new Event.BranchDeleted(stamp, e.name(), e.incarnation());
            case Event.BranchFastForwarded e ->
                new Event.BranchFastForwarded(
                        stamp,
                        e.targetIncarnation(),
                        e.sourceIncarnation(),
                        e.newHead(),
                        e.newHeadOffset(),
                        e.idempotency(),
                        e.changes());
            case Event.WriteRemembered e -> new Event.WriteRemembered(stamp, e.incarnation(), e.idempotency());
            case Event.TagCreated e ->
                new Event.TagCreated(stamp, e.name(), e.commit(), e.incarnation(), e.idempotency());
            case Event.TagDeleted e ->
                new Event.TagDeleted(stamp, e.name(), e.commit(), e.incarnation(), e.idempotency());
            case Event.HistoryReclaimed e -> new Event.HistoryReclaimed(stamp, e.marks());
        };
    }

    private void assertRefused(Runnable read, int at) {
        assertThatThrownBy(read::run).as("at %d", at).isInstanceOf(EventFormatException.class);
    }

    private void assertSame(Event actual, Event expected) {
        assertThat(actual)
                .usingRecursiveComparison(RecursiveComparisonConfiguration.builder()
                        .withStrictTypeChecking(false)
                        .build())
                .isEqualTo(expected);
    }

    private static Event withoutChanges(Event event) {
        return switch (event) {
            case Event.Commit commit -> new Event.Commit(commit.header(), ChangeBlock.EMPTY);
            case Event.BranchFastForwarded e ->
                new Event.BranchFastForwarded(
                        e.stamp(),
                        e.targetIncarnation(),
                        e.sourceIncarnation(),
                        e.newHead(),
                        e.newHeadOffset(),
                        e.idempotency(),
                        ChangeBlock.EMPTY);
            case Event.BranchCreated e -> e;
            case Event.BranchDeleted e -> e;
            case Event.WriteRemembered e -> e;
            case Event.TagCreated e -> e;
            case Event.TagDeleted e -> e;
            case Event.HistoryReclaimed e -> e;
        };
    }

    /** A buffer off the heap, like those of LMDB. */
    private UnsafeBuffer encode(Event event, byte[] previous) {
        EncodedEvent encoded = codec.encode(event, previous);
        UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(encoded.length()));
        encoded.copyTo(bytes);
        return bytes;
    }

    private Event event(long offset, int type, int changesMax) {
        String actor = random.nextBoolean() ? null : text();
        IdempotencyKey key = random.nextBoolean() ? null : new IdempotencyKey(text(), hash(), text());
        Note note = type == 6 || random.nextBoolean() ? null : note();
        Stamp stamp = new Stamp(offset, random.nextLong(), actor, note);
        return switch (type) {
            case 0 -> {
                ChangeBlock changes = changes(changesMax);
                CommitKind kind = List.of(CommitKind.values())
                        .get(random.nextInt(random.nextInt(4) == 0 && offset != 7 ? CommitKind.values().length : 5));
                CommitHeader header = new CommitHeader(
                        stamp,
                        ulid(),
                        kind,
                        new CommitHeader.Lineage(
                                text(),
                                random.nextInt(),
                                random.nextBoolean() ? null : ulid(),
                                random.nextBoolean() ? null : ulid(),
                                kind.isOfCommit() ? ulid() : null),
                        key,
                        changes.counts(),
                        random.nextBoolean()
                                ? null
                                : new SchemaChange(text().repeat(40), text(), hash(), List.of(text(), text())),
                        random.nextBoolean() ? null : new TakenSides(random.nextInt(), random.nextInt(), text()));
                yield new Event.Commit(header, changes);
            }
            case 1 ->
                new Event.BranchCreated(
                        stamp,
                        text(),
                        random.nextInt(),
                        new Fork(3, text(), random.nextLong(), ulid()),
                        random.nextBoolean());
            case 2 -> new Event.BranchDeleted(stamp, text(), random.nextInt());
            case 3 -> new Event.BranchFastForwarded(stamp, 4, random.nextInt(), ulid(), 77, key, changes(changesMax));
            case 4 -> new Event.TagCreated(stamp, text(), ulid(), random.nextInt(), key);
            case 5 -> new Event.TagDeleted(stamp, text(), ulid(), random.nextInt(), key);
            case 7 -> new Event.HistoryReclaimed(stamp, hash());
            default -> new Event.WriteRemembered(stamp, 5, new IdempotencyKey(text(), hash(), text()));
        };
    }

    private Note note() {
        TreeMap<String, String> meta = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            meta.put(text(), text());
        }
        String message = text() + (meta.isEmpty() ? "m" : "");
        return new Note(message.isEmpty() ? null : message, meta);
    }

    private ChangeBlock changes(int max) {
        int n = max == 0 ? 0 : random.nextInt(max);
        List<EntityChange> changes = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            EntityKind kind = random.nextBoolean() ? EntityKind.NODE : EntityKind.EDGE;
            Image before = random.nextInt(3) == 0 ? null : image(kind);
            Image after = before == null || random.nextBoolean() ? image(kind) : null;
            if (before == null || !before.equals(after)) {
                changes.add(new EntityChange(kind, random.nextInt(), text() + i, before, after));
            }
        }
        return ChangeBlock.sorting(changes);
    }

    private Image image(EntityKind kind) {
        TreeMap<Integer, Value> values = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            values.put(
                    random.nextInt(1000),
                    switch (random.nextInt(4)) {
                        case 0 -> new Value.Text(text());
                        case 1 -> new Value.Int(random.nextLong());
                        case 2 -> new Value.Real(random.nextDouble());
                        default -> new Value.ListOf(List.of(new Value.Date(random.nextInt()), new Value.Bool(true)));
                    });
        }
        PropertyRow row = PropertyRow.of(values);
        return kind == EntityKind.NODE
                ? Image.ofNode(row)
                : new Image(row, text(), text(), random.nextInt(2), random.nextInt(3) == 0 ? 1 + random.nextInt(9) : 0);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(random.nextInt(10) == 0 ? 0x1F600 + random.nextInt(40) : 'a' + random.nextInt(26));
        }
        return text.toString();
    }

    private byte[] hash() {
        byte[] hash = new byte[EventCodec.HASH_LENGTH];
        random.nextBytes(hash);
        return hash;
    }

    private Ulid ulid() {
        return new Ulid(random.nextLong(), random.nextLong());
    }

    private static String text(ChangeReader reader, int at, int length) {
        return reader.buffer().getStringWithoutLengthUtf8(at, length);
    }

    private static PropertyRow row(ChangeReader reader, int at, int length) {
        byte[] bytes = new byte[length];
        reader.buffer().getBytes(at, bytes);
        return PropertyRow.wrap(bytes);
    }
}
