package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
import org.lmdbjava.Dbi;
import service.core.testkit.Seed;

class PageCursorTest {
    private static final Table TABLE = Table.of("entries");

    @TempDir
    Path directory;

    private final UnsafeBuffer scratch = new UnsafeBuffer(ByteBuffer.allocateDirect(20_000));

    private final KeyBuffer key = new KeyBuffer();

    private LmdbEnvironment open() {
        return LmdbEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(256 << 20, 256 << 20), List.of(TABLE), CommitHook.NONE);
    }

    private KeyBuffer key(String text) {
        return key.clear().putBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void put(Dbi<DirectBuffer> table, WriteTransaction write, String newKey, int length) {
        scratch.setMemory(0, length, (byte) newKey.hashCode());
        table.put(write.txn(), key(newKey).key(), new UnsafeBuffer(scratch, 0, length));
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
        try (LmdbEnvironment environment = open()) {
            for (int round = 0; round < 3; round++) {
                try (WriteTransaction write = environment.write()) {
                    Dbi<DirectBuffer> table = environment.table(TABLE.name());
                    for (int i = 0; i < entries; i++) {
                        String key = "k".repeat(1 + random.nextInt(random.nextInt(8) == 0 ? 300 : 12))
                                + random.nextInt(2 * entries);
                        if (random.nextInt(4) == 0 && model.remove(key) != null) {
                            table.delete(write.txn(), key(key).key());
                        } else {
                            int length = random.nextInt(random.nextInt(20) == 0 ? 9_000 : 40) + 1;
                            put(table, write, key, length);
                            model.put(key, length);
                        }
                    }
                    write.commit();
                }
                walk(environment, model, random);
            }
        }
    }

    private void walk(LmdbEnvironment environment, SortedMap<String, Integer> model, Random random) {
        try (ReadTransaction read = environment.read()) {
            Dbi<DirectBuffer> table = environment.table(TABLE.name());
            Cursor<DirectBuffer> owned = read.cursor(table);
            PageCursor cursor = new PageCursor(owned, environment.pageBytes());
            for (int walk = 0; walk < 60; walk++) {
                String from = walk == 0 ? "" : "k".repeat(random.nextInt(12)) + random.nextInt(10_000);
                int steps = walk == 0 ? Integer.MAX_VALUE : random.nextInt(300);
                boolean found = cursor.seek(key(from.isEmpty() ? "a" : from));
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
            read.release(table, owned);
        }
    }

    /** The cursor of LMDB stands still while the entries of a page are walked. */
    @Test
    void thePagesOfAReadAreWalkedWithoutTheLibrary() {
        try (LmdbEnvironment environment = open()) {
            try (WriteTransaction write = environment.write()) {
                Dbi<DirectBuffer> table = environment.table(TABLE.name());
                for (int i = 0; i < 20; i++) {
                    put(table, write, "k" + (char) ('a' + i), 8);
                }
                PageCursor cursor = new PageCursor(table.openCursor(write.txn()), 0);
                assertThat(cursor.seek(key("ka"))).isTrue();
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.cursor().key().addressOffset())
                        .as("a write leaves each step to LMDB")
                        .isEqualTo(cursor.keyAddress());
                cursor.cursor().close();
                write.commit();
            }
            try (ReadTransaction read = environment.read()) {
                Dbi<DirectBuffer> table = environment.table(TABLE.name());
                Cursor<DirectBuffer> owned = read.cursor(table);
                PageCursor cursor = new PageCursor(owned, environment.pageBytes());
                assertThat(cursor.seek(key("ka"))).isTrue();
                long first = owned.key().addressOffset();
                for (int i = 1; i < 20; i++) {
                    assertThat(cursor.next()).isTrue();
                    check(cursor, Map.entry("k" + (char) ('a' + i), 8));
                    assertThat(owned.key().addressOffset()).isEqualTo(first);
                }
                assertThat(cursor.next()).isFalse();
                read.release(table, owned);
            }
        }
    }
}
