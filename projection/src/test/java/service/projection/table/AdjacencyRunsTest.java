package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lmdbjava.Cursor;
import service.core.testkit.Seed;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.projection.temporal.Chain;

/** Runs of neighbours against a sorted map of the same entries. */
class AdjacencyRunsTest {
    private static final ProjectionTable TABLE = ProjectionTable.OUT;
    private static final int[] LANES = {1, 2, 1 << 30 | 3 << 16 | 1};

    /** An edge at a node. */
    private record Member(int lane, int node, int neighbour, int edge) {}

    @TempDir
    Path directory;

    /** What the table should hold: the bytes of keys, and whether they are live. */
    private final TreeMap<byte[], Boolean> model = new TreeMap<>(Arrays::compareUnsigned);

    private final UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(1));
    private final KeyBuffer key = new KeyBuffer();

    /** @param space nodes, neighbours and edges that occur: few are many versions in a run, many are far apart */
    @ParameterizedTest
    @ValueSource(ints = {3, 40, 1 << 30})
    void runsHoldWhatWasPutAndShowWhatAViewSees(int space, @Seed long seed) {
        Random random = new Random(seed + space);
        try (ProjectionEnvironment tables = open()) {
            for (int round = 0; round < 12; round++) {
                try (WriteTransaction write = tables.environment().write()) {
                    TableAccess access = tables.access(write);
                    change(access, random, space);
                    access.end();
                    write.commit();
                }
                try (ReadTransaction read = tables.environment().read()) {
                    TableAccess access = tables.access(read);
                    assertHoldsModel(access);
                    assertSeeks(access, random, space);
                    for (int i = 0; i < 3; i++) {
                        assertShows(access, random, chain(random), space);
                    }
                    access.end();
                }
            }
            removeAll(tables);
        }
    }

    private void change(TableAccess access, Random random, int space) {
        switch (random.nextInt(3)) {
            case 0 -> {
                for (int i = random.nextInt(200); i >= 0; i--) {
                    byte[] bytes = random(random, space);
                    boolean live = random.nextBoolean();
                    model.put(bytes, live);
                    access.putEntry(TABLE, key(bytes), flag(live));
                }
            }
            case 1 -> {
                for (int i = random.nextInt(100); i >= 0; i--) {
                    byte[] bytes =
                            model.isEmpty() || random.nextInt(5) == 0 ? random(random, space) : any(random, space);
                    model.remove(bytes);
                    key(bytes);
                    access.removeEntry(TABLE, key);
                }
            }
            default -> {
                TreeMap<byte[], Boolean> sorted = new TreeMap<>(Arrays::compareUnsigned);
                for (int i = random.nextInt(2_000); i >= 0; i--) {
                    sorted.put(random(random, space), random.nextBoolean());
                }
                model.putAll(sorted);
                try (TableWriter runs = access.writer(TABLE, false)) {
                    sorted.forEach((bytes, live) -> {
                        // Of equal keys the last one is kept.
                        runs.put(key(bytes), flag(!live));
                        runs.put(key(bytes), flag(live));
                    });
                }
            }
        }
    }

    private byte[] any(Random random, int space) {
        byte[] found = model.ceilingKey(random(random, space));
        return found == null ? model.firstKey() : found;
    }

    private DirectBuffer key(byte[] bytes) {
        return key.clear().putBytes(bytes).key();
    }

    private UnsafeBuffer flag(boolean live) {
        value.putByte(0, (byte) (live ? 1 : 0));
        return value;
    }

    private static byte[] random(Random random, int space) {
        return bytes(
                new Member(
                        LANES[random.nextInt(LANES.length)],
                        random.nextInt(space),
                        random.nextInt(space),
                        random.nextInt(space)),
                random.nextInt(4) == 0 ? random.nextInt(space) : random.nextInt(3),
                random.nextInt(4) == 0 ? random.nextLong(1L << 50) : random.nextInt(40));
    }

    private static byte[] bytes(Member member, int incarnation, long offset) {
        return ByteBuffer.allocate(AdjacencyTable.KEY_BYTES)
                .putInt(member.lane)
                .putInt(member.node)
                .putInt(member.neighbour)
                .putInt(member.edge)
                .putInt(~incarnation)
                .putLong(~offset)
                .array();
    }

    private void assertHoldsModel(TableAccess access) {
        Map<byte[], Boolean> found = new TreeMap<>(Arrays::compareUnsigned);
        byte[] before = {};
        try (EntryCursor entries = access.entryCursor(TABLE)) {
            for (boolean more = entries.first(); more; more = entries.next()) {
                byte[] bytes = copy(entries.key());
                assertThat(Arrays.compareUnsigned(bytes, before)).isPositive();
                found.put(bytes, entries.value().getByte(0) == 1);
                before = bytes;
            }
        }
        assertThat(found.size()).isEqualTo(model.size());
        assertThat(found).isEqualTo(model);
        Cursor<DirectBuffer> runs = access.cursor(TABLE);
        for (boolean more = runs.first(); more; more = runs.next()) {
            assertThat(runs.val().capacity()).isBetween(1, AdjacencyTable.RUN_BYTES_MAX);
        }
        access.release(TABLE, runs);
    }

    private static byte[] copy(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private void assertSeeks(TableAccess access, Random random, int space) {
        try (EntryCursor entries = access.entryCursor(TABLE)) {
            for (int i = 0; i < 30; i++) {
                byte[] from = Arrays.copyOf(
                        model.isEmpty() || random.nextBoolean() ? random(random, space) : any(random, space),
                        random.nextBoolean() ? AdjacencyTable.KEY_BYTES : 4 + random.nextInt(20));
                byte[] wanted = model.ceilingKey(from);
                KeyBuffer start = access.key().putBytes(from);
                assertThat(entries.seek(start) ? copy(entries.key()) : null).isEqualTo(wanted);
            }
        }
    }

    private static Chain chain(Random random) {
        List<Integer> incarnations = new ArrayList<>();
        for (int incarnation : new int[] {2, 1}) {
            if (random.nextBoolean()) {
                incarnations.add(incarnation);
            }
        }
        incarnations.add(0);
        return new Chain(
                incarnations.stream().mapToInt(Integer::intValue).toArray(),
                random.longs(incarnations.size(), 0, 45).toArray());
    }

    /** Nodes and pairs in random and in ascending order, some left before their end, as a view sees them. */
    private void assertShows(TableAccess access, Random random, Chain chain, int space) {
        Map<Member, Boolean> seen = new TreeMap<>(java.util.Comparator.comparingInt(Member::lane)
                .thenComparingInt(Member::node)
                .thenComparingInt(Member::neighbour)
                .thenComparingInt(Member::edge));
        for (Member member : members()) {
            Boolean live = shown(member, chain);
            if (live != null) {
                seen.put(member, live);
            }
        }
        List<Member> asked = new ArrayList<>(seen.keySet().stream().limit(50).toList());
        for (int i = 0; i < 20; i++) {
            asked.add(member(random(random, space)));
        }
        if (random.nextBoolean()) {
            asked.sort(java.util.Comparator.comparingInt(Member::lane).thenComparingInt(Member::node));
        }
        NeighbourCursor cursor = access.neighbours(TABLE, chain);
        for (Member ask : asked) {
            boolean ofPair = random.nextBoolean();
            if (ofPair) {
                cursor.seek(ask.lane, ask.node, ask.neighbour);
            } else {
                cursor.seek(ask.lane, ask.node);
            }
            List<Member> wanted = seen.keySet().stream()
                    .filter(each -> each.lane == ask.lane
                            && each.node == ask.node
                            && (!ofPair || each.neighbour == ask.neighbour))
                    .toList();
            int most = random.nextInt(4) == 0 ? random.nextInt(3) : Integer.MAX_VALUE;
            List<Member> found = new ArrayList<>();
            while (found.size() < most && cursor.next()) {
                Member member = new Member(ask.lane, ask.node, cursor.neighbour(), cursor.edge());
                assertThat(cursor.live()).isEqualTo(seen.get(member));
                found.add(member);
            }
            assertThat(found).isEqualTo(wanted.subList(0, Math.min(most, wanted.size())));
        }
        access.release(cursor);
    }

    private static Member member(byte[] bytes) {
        ByteBuffer parts = ByteBuffer.wrap(bytes);
        return new Member(parts.getInt(), parts.getInt(), parts.getInt(), parts.getInt());
    }

    private java.util.Set<Member> members() {
        return new java.util.HashSet<>(
                model.keySet().stream().map(AdjacencyRunsTest::member).toList());
    }

    private @org.jspecify.annotations.Nullable Boolean shown(Member member, Chain chain) {
        for (int link = 0; link < chain.length(); link++) {
            byte[] newest = model.ceilingKey(bytes(member, chain.incarnation(link), chain.offset(link)));
            if (newest != null && Arrays.equals(newest, 0, 20, bytes(member, chain.incarnation(link), 0), 0, 20)) {
                return model.get(newest);
            }
        }
        return null;
    }

    private void removeAll(ProjectionEnvironment tables) {
        try (WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            for (byte[] bytes : model.keySet()) {
                key(bytes);
                access.removeEntry(TABLE, key);
            }
            assertThat(access.entries(TABLE)).isZero();
            access.end();
            write.commit();
        }
    }

    /** The example of docs/formats/tables.md. */
    @Test
    void anEntryIsTheDifferenceFromTheOneBefore() {
        try (ProjectionEnvironment tables = open();
                WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            for (Member member :
                    List.of(new Member(7, 20, 31, 4), new Member(7, 20, 33, 5), new Member(7, 21, 20, 6))) {
                access.putEntry(TABLE, key(bytes(member, 0, 9)), flag(true));
            }
            Cursor<DirectBuffer> runs = access.cursor(TABLE);
            assertThat(runs.first()).isTrue();
            assertThat(copy(runs.key())).asHexString().isEqualTo("FF");
            assertThat(copy(runs.val())).asHexString().isEqualTo("0711071416081012" + "0D0202" + "0E0102");
            access.release(TABLE, runs);
            access.end();
        }
    }

    /** Ascending entries fill runs and pages, whether they come at once or one by one. */
    @Test
    void entriesThatAscendTakeFewBytes() {
        int edges = 20_000;
        try (ProjectionEnvironment tables = open();
                WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            try (TableWriter runs = access.writer(TABLE, true)) {
                for (int i = 0; i < edges; i++) {
                    runs.put(key(ofLoad(i)), flag(true));
                }
            }
            for (int i = 0; i < edges; i++) {
                access.putEntry(ProjectionTable.IN, key(ofLoad(i)), flag(true));
            }
            assertThat(access.entries(TABLE)).isBetween(1L, edges * 6L / AdjacencyTable.RUN_BYTES_MAX);
            assertThat(access.entries(ProjectionTable.IN)).isEqualTo(access.entries(TABLE));
            access.end();
        }
    }

    private static byte[] ofLoad(int i) {
        int neighbour = (i / 2 * 48_271 & 0x7_FFFF) * 2 + i % 2;
        return bytes(new Member(1, i / 2, neighbour, i), 0, 7);
    }

    private ProjectionEnvironment open() {
        return ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE);
    }
}
