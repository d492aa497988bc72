package service.projection.retain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.log.retain.Retention;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

/** Sweeps of random entries of {@code main}, which end after any deletion. */
class TableSweepTest {
    private static final int MEMBERS = 300;
    private static final int OFFSETS = 20;

    @TempDir
    Path directory;

    /** The entries of each member by offset: whether they are live. */
    private final Map<Integer, NavigableMap<Long, Boolean>> members = new HashMap<>();

    @Test
    void readableStatesLookTheSameAfterEachDeletion(@Seed long seed) {
        Random random = new Random(seed);
        long mark = 5L + random.nextInt(10);
        // No state before the pin is readable, nor between the pin and the mark.
        Retention retention = Retention.NONE.marked(new long[] {mark}, Map.of(0, new long[] {mark - 3}));
        try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE)) {
            write(tables, random);
            int deleted = 0;
            TableSweep sweep = new TableSweep(retention);
            for (TableSweep.Batch batch = next(tables, sweep); batch != null; batch = next(tables, sweep)) {
                int at = 0;
                while (at < batch.keys().size()) {
                    deleteAndCompare(batch.keys().get(at), retention);
                    at = deleteOne(tables, batch, at);
                    deleted++;
                }
            }
            assertThat(deleted).isPositive();
            assertThat(members.values().stream().anyMatch(NavigableMap::isEmpty))
                    .as("members of which nothing is left")
                    .isTrue();
            TableSweep again = new TableSweep(retention);
            for (TableSweep.Batch batch = next(tables, again); batch != null; batch = next(tables, again)) {
                assertThat(batch.keys()).isEmpty();
            }
        }
    }

    private void write(ProjectionEnvironment tables, Random random) {
        try (WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(1));
            for (int member = 0; member < MEMBERS; member++) {
                NavigableMap<Long, Boolean> entries = new TreeMap<>();
                for (int i = random.nextInt(6); i >= 0; i--) {
                    entries.put((long) random.nextInt(OFFSETS), random.nextBoolean());
                }
                for (Map.Entry<Long, Boolean> entry : entries.entrySet()) {
                    value.putByte(0, (byte) (entry.getValue() ? 1 : 0));
                    access.put(ProjectionTable.RECORDS, key(access.key(), member, entry.getKey()), value);
                }
                members.put(member, entries);
            }
            access.end();
            write.commit();
        }
    }

    private static DirectBuffer key(KeyBuffer key, int member, long offset) {
        return key.putInt(member).putInt(~0).putLong(~offset).key();
    }

    private static TableSweep.Batch next(ProjectionEnvironment tables, TableSweep sweep) {
        try (ReadTransaction read = tables.environment().read()) {
            TableAccess access = tables.access(read);
            try {
                return sweep.next(access);
            } finally {
                access.end();
            }
        }
    }

    private static int deleteOne(ProjectionEnvironment tables, TableSweep.Batch batch, int at) {
        try (WriteTransaction write = tables.environment().write()) {
            TableAccess access = tables.access(write);
            int next = TableSweep.delete(access, batch, at, 0);
            access.end();
            write.commit();
            assertThat(next).isEqualTo(at + 1);
            return next;
        }
    }

    /** Deletes an entry of the model. Each readable state shows its member as before. */
    private void deleteAndCompare(byte[] key, Retention retention) {
        ByteBuffer bytes = ByteBuffer.wrap(key);
        int member = bytes.getInt();
        assertThat(bytes.getInt()).isEqualTo(~0);
        long offset = ~bytes.getLong();
        NavigableMap<Long, Boolean> entries = members.get(member);
        List<Boolean> before = shown(entries, retention);
        assertThat(entries.remove(offset)).isNotNull();
        assertThat(shown(entries, retention))
                .as("member %d without its entry of offset %d", member, offset)
                .isEqualTo(before);
    }

    /** Whether each readable state shows a live entry. */
    private static List<Boolean> shown(NavigableMap<Long, Boolean> entries, Retention retention) {
        return LongStream.range(0, OFFSETS)
                .filter(state -> retention.isReadable(0, state))
                .mapToObj(state -> {
                    Map.Entry<Long, Boolean> newest = entries.floorEntry(state);
                    return newest != null && newest.getValue();
                })
                .toList();
    }
}
