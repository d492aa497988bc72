package service.projection.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
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
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

class PageCursorTest {
    private static final ProjectionTable TABLE = ProjectionTable.COUNTS;

    @TempDir
    Path directory;

    private final UnsafeBuffer scratch = new UnsafeBuffer(ByteBuffer.allocateDirect(20_000));

    private ProjectionEnvironment open() {
        return ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(256 << 20, 256 << 20), CommitHook.NONE);
    }

    private KeyBuffer key(TableAccess access, String text) {
        return access.key().putBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void put(TableAccess access, String key, int length) {
        scratch.setMemory(0, length, (byte) key.hashCode());
        access.put(TABLE, key(access, key).key(), new UnsafeBuffer(scratch, 0, length));
    }

    /** The entry on which the cursor stands is the wanted one, byte for byte. */
    private static void check(PageCursor cursor, Map.Entry<String, Integer> wanted) {
        String key = wanted.getKey();
        byte[] found = MappedBytes.copy(cursor.keyAddress(), cursor.keyLength());
        assertThat(new String(found, StandardCharsets.US_ASCII)).isEqualTo(key);
        byte[] value = MappedBytes.copy(cursor.valueAddress(), cursor.valueLength());
        assertThat(value).hasSize(wanted.getValue()).containsOnly((byte) key.hashCode());
    }

    /** Keys and values of all lengths, some values on pages of their own; entries come and go before they are read. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 40, 3_000})
    void aWalkMeetsTheEntriesOfTheTable(int entries, @Seed long seed) {
        Random random = new Random(seed + entries);
        SortedMap<String, Integer> model = new TreeMap<>();
        try (ProjectionEnvironment tables = open()) {
            for (int round = 0; round < 3; round++) {
                try (WriteTransaction write = tables.environment().write()) {
                    TableAccess access = tables.access(write);
                    for (int i = 0; i < entries; i++) {
                        String key = "k".repeat(1 + random.nextInt(random.nextInt(8) == 0 ? 300 : 12))
                                + random.nextInt(2 * entries);
                        if (random.nextInt(4) == 0 && model.remove(key) != null) {
                            access.delete(TABLE, key(access, key));
                        } else {
                            int length = random.nextInt(random.nextInt(20) == 0 ? 9_000 : 40) + 1;
                            put(access, key, length);
                            model.put(key, length);
                        }
                    }
                    access.end();
                    write.commit();
                }
                walk(tables, model, random);
            }
        }
    }

    private void walk(ProjectionEnvironment tables, SortedMap<String, Integer> model, Random random) {
        try (ReadTransaction read = tables.environment().read()) {
            TableAccess access = tables.access(read);
            Cursor<DirectBuffer> owned = access.cursor(TABLE);
            PageCursor cursor = new PageCursor(owned, tables.environment().pageBytes());
            for (int walk = 0; walk < 60; walk++) {
                String from = walk == 0 ? "" : "k".repeat(random.nextInt(12)) + random.nextInt(10_000);
                int steps = walk == 0 ? Integer.MAX_VALUE : random.nextInt(300);
                boolean found = cursor.seek(key(access, from.isEmpty() ? "a" : from));
                for (Map.Entry<String, Integer> wanted : model.tailMap(from).entrySet()) {
                    assertThat(found).as(wanted.getKey()).isTrue();
                    check(cursor, wanted);
                    if (--steps < 0) {
                        break;
                    }
                    found = cursor.next();
                }
                if (steps >= 0) {
                    assertThat(found).as("after the last entry").isFalse();
                }
            }
            access.release(TABLE, owned);
            access.end();
        }
    }

    /** The cursor of LMDB stands still while the entries of a page are walked. */
    @Test
    void thePagesOfAReadAreWalkedWithoutTheLibrary() {
        try (ProjectionEnvironment tables = open()) {
            try (WriteTransaction write = tables.environment().write()) {
                TableAccess access = tables.access(write);
                for (int i = 0; i < 20; i++) {
                    put(access, "k" + (char) ('a' + i), 8);
                }
                PageCursor cursor = new PageCursor(access.cursor(TABLE), 0);
                assertThat(cursor.seek(key(access, "ka"))).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.cursor().key().addressOffset())
                        .as("a write leaves each step to LMDB")
                        .isEqualTo(cursor.keyAddress());
                cursor.cursor().close();
                access.end();
                write.commit();
            }
            try (ReadTransaction read = tables.environment().read()) {
                TableAccess access = tables.access(read);
                Cursor<DirectBuffer> owned = access.cursor(TABLE);
                PageCursor cursor = new PageCursor(owned, tables.environment().pageBytes());
                assertThat(cursor.seek(key(access, "ka"))).isTrue();
                long first = owned.key().addressOffset();
                for (int i = 1; i < 20; i++) {
                    assertThat(cursor.next()).isTrue();
                    check(cursor, Map.entry("k" + (char) ('a' + i), 8));
                    assertThat(owned.key().addressOffset()).isEqualTo(first);
                }
                assertThat(cursor.next()).isFalse();
                access.release(TABLE, owned);
                access.end();
            }
        }
    }
}
