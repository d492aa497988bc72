package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lmdbjava.Cursor;
import service.core.testkit.Seed;
import service.core.value.Ulid;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;

/** The tables {@code ids} and {@code ordinals} against maps of the same ids. */
final class IdRunsTest {
    private static final int TYPES = 2;
    private static final int ROUNDS = 10;

    @TempDir
    Path directory;

    private final List<NavigableMap<Integer, String>> ids = new ArrayList<>();
    private final List<Map<String, Integer>> ordinals = new ArrayList<>();
    private final List<TreeSet<Integer>> free = new ArrayList<>();
    private final KeyBuffer key = new KeyBuffer();
    private Ulid[] clocks = {};

    private static ProjectionEnvironment open(Path into) {
        return ProjectionEnvironment.open(
                into, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE);
    }

    /** @param servers whose clocks give ids: those of several come out of order */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void tablesHoldWhatWasGivenAndNotGivenBack(int servers, @Seed long seed) {
        Random random = new Random(seed + servers);
        clocks = random.ints(servers)
                .mapToObj(low -> Ulid.of(1_000, random.nextInt(), low))
                .toArray(Ulid[]::new);
        for (int type = 0; type < TYPES; type++) {
            ids.add(new TreeMap<>());
            ordinals.add(new HashMap<>());
            free.add(new TreeSet<>());
        }
        try (ProjectionEnvironment tables = open(directory)) {
            for (int round = 0; round < ROUNDS; round++) {
                try (WriteTransaction write = tables.environment().write()) {
                    TableAccess access = tables.access(write);
                    if (random.nextInt(3) == 0) {
                        giveBack(access, random);
                    } else {
                        give(access, random);
                    }
                    if (random.nextInt(5) == 0) {
                        assertHolds(access, random);
                    }
                    access.end();
                    write.commit();
                }
                try (ReadTransaction read = tables.environment().read()) {
                    TableAccess access = tables.access(read);
                    assertHolds(access, random);
                    if (round % 5 == 4) {
                        assertIsCopied(access, directory.resolve("copy" + round));
                    }
                    access.end();
                }
            }
        }
    }

    /** As a checkpoint of an earlier version is unpacked: the ids come before their ordinals, in several batches. */
    private void assertIsCopied(TableAccess access, Path into) {
        try (ProjectionEnvironment tables = open(into)) {
            for (ProjectionTable table : List.of(ProjectionTable.IDS, ProjectionTable.ORDINALS)) {
                try (EntryCursor entries = access.entryCursor(table)) {
                    boolean found = entries.first();
                    while (found) {
                        found = copyBatch(entries, tables, table);
                    }
                }
            }
            try (ReadTransaction read = tables.environment().read()) {
                TableAccess copied = tables.access(read);
                assertThat(rows(copied, ProjectionTable.IDS)).isEqualTo(expectedIds());
                assertThat(rows(copied, ProjectionTable.ORDINALS)).isEqualTo(expectedOrdinals());
                copied.end();
            }
        }
    }

    private static boolean copyBatch(EntryCursor entries, ProjectionEnvironment tables, ProjectionTable table) {
        boolean found = true;
        try (WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            try (TableWriter writer = access.writer(table, true)) {
                for (int i = 0; found && (i < 100 || !writer.mayEnd()); i++) {
                    writer.put(entries.key(), entries.value());
                    found = entries.next();
                }
            }
            access.end();
            write.commit();
        }
        return found;
    }

    private void give(TableAccess access, Random random) {
        Map<byte[], Integer> newIds = new TreeMap<>(Arrays::compareUnsigned);
        Map<byte[], String> newOrdinals = new TreeMap<>(Arrays::compareUnsigned);
        boolean single = random.nextInt(3) == 0;
        int count = single ? random.nextInt(60) : random.nextInt(700);
        int type = random.nextInt(TYPES);
        int users = random.nextInt(3) == 0 ? 2 : 40;
        for (int i = 0; i < count; i++) {
            type = random.nextInt(50) == 0 ? random.nextInt(TYPES) : type;
            String id = random.nextInt(users) == 0 ? ofUser(random, type) : ofServer(random);
            if (ordinals.get(type).containsKey(id)) {
                continue;
            }
            int ordinal = nextOrdinal(type);
            ids.get(type).put(ordinal, id);
            ordinals.get(type).put(id, ordinal);
            if (single) {
                access.putEntry(ProjectionTable.ORDINALS, offHeap(ordinalKey(type, ordinal)), offHeap(utf8(id)));
                access.putEntry(ProjectionTable.IDS, offHeap(idKey(type, id)), offHeap(value(ordinal)));
            } else {
                newOrdinals.put(ordinalKey(type, ordinal), id);
                newIds.put(idKey(type, id), ordinal);
            }
        }
        put(access, ProjectionTable.ORDINALS, newOrdinals, IdRunsTest::utf8);
        put(access, ProjectionTable.IDS, newIds, IdRunsTest::value);
    }

    private static <V> void put(
            TableAccess access,
            ProjectionTable table,
            Map<byte[], V> entries,
            java.util.function.Function<V, byte[]> bytes) {
        if (entries.isEmpty()) {
            return;
        }
        byte[] first = entries.keySet().iterator().next();
        Cursor<DirectBuffer> cursor = access.cursor(table);
        boolean append = !cursor.last() || Arrays.compareUnsigned(copy(cursor.key()), first) < 0;
        access.release(table, cursor);
        try (TableWriter writer = access.writer(table, append)) {
            entries.forEach((key, value) -> writer.put(offHeap(key), offHeap(bytes.apply(value))));
        }
    }

    private int nextOrdinal(int type) {
        Integer freed = free.get(type).pollFirst();
        NavigableMap<Integer, String> ofType = ids.get(type);
        return freed != null ? freed : ofType.isEmpty() ? 0 : ofType.lastKey() + 1;
    }

    private String ofServer(Random random) {
        int server = random.nextInt(20) == 0 ? random.nextInt(clocks.length) : 0;
        Ulid next = clocks[server];
        clocks[server] = random.nextInt(30) == 0
                ? Ulid.of(next.epochMillis() + random.nextInt(3), random.nextInt(), random.nextLong())
                                        .compareTo(next)
                                > 0
                        ? Ulid.of(next.epochMillis() + 1 + random.nextInt(3), random.nextInt(), random.nextLong())
                        : new Ulid(next.high(), -3).next()
                : next.next();
        Ulid id = clocks[server];
        clocks[server] = id.next();
        return (random.nextInt(4) == 0 ? id.next() : id).toString();
    }

    /** Often beside one that there is, or the same, or equal to it at the beginning. */
    private String ofUser(Random random, int type) {
        String near = ids.get(type).isEmpty()
                ? clocks[0].toString()
                : ids.get(type)
                        .ceilingEntry(random.nextInt(ids.get(type).lastKey() + 1))
                        .getValue();
        return switch (random.nextInt(8)) {
            case 0 -> near + random.nextInt(3);
            case 1 -> near.substring(0, 1 + random.nextInt(near.length())) + (random.nextBoolean() ? "" : "é");
            case 2 -> near.toLowerCase(java.util.Locale.ROOT);
            case 3 -> near.substring(0, near.length() - 1) + "0123456789ABCXYZz~".charAt(random.nextInt(18));
            case 4 -> "u" + random.nextInt(1_000);
            case 5 -> random.nextInt(10_000) + "";
            case 6 -> new Ulid(random.nextLong() >>> random.nextInt(64), random.nextInt()).toString();
            default -> near.charAt(0) + "x".repeat(IdTable.ID_BYTES_WHOLE) + random.nextInt(9);
        };
    }

    private void giveBack(TableAccess access, Random random) {
        int type = random.nextInt(TYPES);
        NavigableMap<Integer, String> ofType = ids.get(type);
        if (ofType.isEmpty()) {
            return;
        }
        boolean all = random.nextInt(10) == 0;
        int from = random.nextInt(ofType.lastKey() + 1);
        TreeSet<Integer> gone = new TreeSet<>(ofType.keySet());
        gone.removeIf(ordinal -> !all && (random.nextInt(3) == 0 || ordinal < from || ordinal > from + 400));
        TreeSet<Integer> kept = new TreeSet<>(ofType.keySet());
        kept.removeAll(gone);
        int bound = kept.isEmpty() ? 0 : kept.last() + 1;
        for (int ordinal : gone) {
            IdTable.giveBack(access, type, ordinal, ordinal < bound);
            ordinals.get(type).remove(ofType.remove(ordinal));
        }
        free.get(type).addAll(gone);
        free.get(type).removeIf(ordinal -> ordinal >= bound);
    }

    private void assertHolds(TableAccess access, Random random) {
        for (int type = 0; type < TYPES; type++) {
            assertThat(IdTable.ordinalBound(access, type))
                    .isEqualTo(ids.get(type).isEmpty() ? 0 : ids.get(type).lastKey() + 1);
            IdReader reader = new IdReader(access);
            for (int i = 0; i < 300; i++) {
                int ordinal = random.nextInt(ids.get(type).size() + 20);
                String id = ids.get(type).get(ordinal);
                assertThat(text(IdTable.id(access, type, ordinal))).isEqualTo(id);
                assertThat(text(reader.id(type, ordinal))).isEqualTo(id);
            }
            int ofType = type;
            ids.get(type)
                    .forEach((ordinal, id) ->
                            assertThat(text(reader.id(ofType, ordinal))).isEqualTo(id));
            assertFinds(access, random, type);
        }
        assertWalks(access, random);
        assertThat(rows(access, ProjectionTable.IDS)).isEqualTo(expectedIds());
        assertThat(rows(access, ProjectionTable.ORDINALS)).isEqualTo(expectedOrdinals());
    }

    private void assertFinds(TableAccess access, Random random, int type) {
        List<String> sought = new ArrayList<>(ordinals.get(type).keySet());
        for (int i = 0; i < 200; i++) {
            sought.add(ofUser(random, type));
            sought.add(new Ulid(clocks[0].high(), clocks[0].low() - random.nextInt(2_000)).toString());
        }
        if (random.nextBoolean()) {
            Collections.sort(sought);
        } else {
            Collections.shuffle(sought, random);
        }
        int[] found = new int[sought.size()];
        IdTable.ordinals(access, type, sought.toArray(String[]::new), found.length, found);
        for (int i = 0; i < found.length; i++) {
            String id = sought.get(i);
            int expected = ordinals.get(type).getOrDefault(id, -1);
            if (found[i] != expected) {
                fail("%s has %d, not %d", id, expected, found[i]);
            }
            if (random.nextInt(4) == 0) {
                assertThat(IdTable.ordinal(access, type, id)).as(id).isEqualTo(expected);
            }
        }
    }

    /** The entries one by one, from the first on and from any other. */
    private void assertWalks(TableAccess access, Random random) {
        NavigableMap<byte[], Integer> sorted = sortedIds();
        try (EntryCursor walk = access.entryCursor(ProjectionTable.IDS)) {
            boolean found = walk.first();
            for (Map.Entry<byte[], Integer> entry : sorted.entrySet()) {
                assertThat(found
                                && walk.value().getInt(0) == entry.getValue()
                                && Arrays.equals(copy(walk.key()), entry.getKey()))
                        .isTrue();
                found = walk.next();
            }
            assertThat(found).isFalse();
            for (int i = 0; i < 60; i++) {
                int type = random.nextInt(TYPES);
                byte[] from = idKey(type, ofUser(random, type));
                KeyBuffer start = access.key().putBytes(from);
                assertThat(walk.seek(start) ? copy(walk.key()) : null).isEqualTo(sorted.ceilingKey(from));
                byte[] next = sorted.ceilingKey(from) == null ? null : sorted.higherKey(sorted.ceilingKey(from));
                assertThat(next == null || walk.next()).isTrue();
                assertThat(next == null ? null : copy(walk.key())).isEqualTo(next);
            }
        }
        try (OrdinalCursor walk = new OrdinalCursor(access)) {
            boolean found = walk.first();
            for (int type = 0; type < TYPES; type++) {
                for (Map.Entry<Integer, String> entry : ids.get(type).entrySet()) {
                    assertThat(found
                                    && walk.type() == type
                                    && walk.ordinal() == entry.getKey()
                                    && entry.getValue().equals(text(walk.value())))
                            .isTrue();
                    found = walk.next();
                }
            }
            assertThat(found).isFalse();
            for (int i = 0; i < 30 && !ids.get(0).isEmpty(); i++) {
                int from = random.nextInt(ids.get(0).lastKey() + 1);
                assertThat(walk.seek(0, from)).isTrue();
                assertThat(walk.ordinal()).isEqualTo(ids.get(0).ceilingKey(from));
            }
        }
    }

    private NavigableMap<byte[], Integer> sortedIds() {
        NavigableMap<byte[], Integer> sorted = new TreeMap<>(Arrays::compareUnsigned);
        for (int type = 0; type < TYPES; type++) {
            int ofType = type;
            ids.get(type).forEach((ordinal, id) -> sorted.put(idKey(ofType, id), ordinal));
        }
        return sorted;
    }

    /** The rows of {@code ids} as {@link IdTable} describes them. */
    private List<String> expectedIds() {
        List<String> rows = new ArrayList<>();
        byte[] first = {};
        int firstOrdinal = -1;
        int count = 0;
        byte[] before = {};
        for (Map.Entry<byte[], Integer> entry : sortedIds().entrySet()) {
            boolean continues = count > 0
                    && entry.getValue() == firstOrdinal + count
                    && entry.getValue() % 256 != 0
                    && Arrays.equals(before, 0, 4, entry.getKey(), 0, 4)
                    && isUlid(before)
                    && isUlid(entry.getKey());
            if (!continues) {
                rows.add(row(first, firstOrdinal, count));
                first = entry.getKey();
                firstOrdinal = entry.getValue();
                count = 0;
            }
            count++;
            before = entry.getKey();
        }
        rows.add(row(first, firstOrdinal, count));
        return rows.subList(1, rows.size());
    }

    private static boolean isUlid(byte[] key) {
        return Ulid.isUlid(new String(key, 4, key.length - 4, StandardCharsets.UTF_8));
    }

    private static String row(byte[] key, int ordinal, int count) {
        ByteBuffer value = ByteBuffer.allocate(count > 1 ? 8 : 4).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        value.putInt(ordinal);
        if (count > 1) {
            value.putInt(count);
        }
        return Arrays.toString(key) + Arrays.toString(value.array());
    }

    /** The rows of {@code ordinals} as {@link IdTable} describes them. */
    private List<String> expectedOrdinals() {
        List<String> rows = new ArrayList<>();
        for (int type = 0; type < TYPES; type++) {
            NavigableMap<Integer, String> ofType = ids.get(type);
            for (Map.Entry<Integer, String> entry : ofType.entrySet()) {
                if (continues(ofType, entry.getKey())) {
                    continue;
                }
                int count = 1;
                while (continues(ofType, entry.getKey() + count)) {
                    count++;
                }
                byte[] value = utf8(entry.getValue());
                if (Ulid.isUlid(entry.getValue())) {
                    Ulid ulid = Ulid.parse(entry.getValue());
                    ByteBuffer packed = ByteBuffer.allocate(count > 1 ? 21 : 17).put((byte) 0);
                    packed.putLong(ulid.high()).putLong(ulid.low());
                    value = count > 1
                            ? packed.putInt(Integer.reverseBytes(count)).array()
                            : packed.array();
                }
                rows.add(Arrays.toString(ordinalKey(type, entry.getKey())) + Arrays.toString(value));
            }
        }
        return rows;
    }

    private static boolean continues(NavigableMap<Integer, String> ofType, int ordinal) {
        String before = ofType.get(ordinal - 1);
        String id = ofType.get(ordinal);
        return before != null
                && id != null
                && ordinal % 256 != 0
                && Ulid.isUlid(before)
                && Ulid.isUlid(id)
                && Ulid.parse(before).next().equals(Ulid.parse(id));
    }

    private static List<String> rows(TableAccess access, ProjectionTable table) {
        List<String> rows = new ArrayList<>();
        Cursor<DirectBuffer> cursor = access.cursor(table);
        for (boolean found = cursor.first(); found; found = cursor.next()) {
            rows.add(Arrays.toString(copy(cursor.key())) + Arrays.toString(copy(cursor.val())));
        }
        access.release(table, cursor);
        return rows;
    }

    @Test
    void anIdOrAnOrdinalIsNotPutTwice() {
        String first = new Ulid(1, 1).toString();
        try (ProjectionEnvironment tables = open(directory);
                WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            for (int i = 0; i < 3; i++) {
                access.putEntry(ProjectionTable.ORDINALS, offHeap(ordinalKey(1, i)), offHeap(utf8(ulid(i))));
                access.putEntry(ProjectionTable.IDS, offHeap(idKey(1, ulid(i))), offHeap(value(i)));
            }
            for (int i = 0; i < 3; i++) {
                int ordinal = i;
                assertThatThrownBy(() -> access.putEntry(
                                ProjectionTable.IDS, offHeap(idKey(1, ulid(ordinal))), offHeap(value(9))))
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> access.putEntry(
                                ProjectionTable.ORDINALS, offHeap(ordinalKey(1, ordinal)), offHeap(utf8(first))))
                        .isInstanceOf(IllegalStateException.class);
            }
            access.end();
        }
    }

    private static String ulid(int i) {
        return new Ulid(1, 10L + i).toString();
    }

    private byte[] idKey(int type, String id) {
        IdTable.idKey(key, type, utf8(id));
        return copy(key.key());
    }

    private byte[] ordinalKey(int type, int ordinal) {
        IdTable.ordinalKey(key, type, ordinal);
        return copy(key.key());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(int ordinal) {
        return ByteBuffer.allocate(Integer.BYTES)
                .putInt(Integer.reverseBytes(ordinal))
                .array();
    }

    private static byte[] copy(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private static DirectBuffer offHeap(byte[] bytes) {
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(Math.max(1, bytes.length)), 0, bytes.length);
        buffer.putBytes(0, bytes);
        return buffer;
    }

    private static @Nullable String text(@Nullable DirectBuffer id) {
        return id == null ? null : id.getStringWithoutLengthUtf8(0, id.capacity());
    }
}
