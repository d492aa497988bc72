package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.Seed;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;

final class IdReaderTest {
    private static final int TYPES = 3;
    private static final int ORDINALS = 3_000;

    @TempDir
    Path directory;

    /** Three types, ordinals that were freed, and ids too long for their leaf, in order and at random. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 700, 5_000})
    void readsTheIdOfEachOrdinal(int longest, @Seed long seed) {
        Random random = new Random(seed + longest);
        SortedMap<Long, String> ids = new TreeMap<>();
        try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE)) {
            try (WriteTransaction write = tables.environment().write()) {
                TableAccess access = tables.access(write);
                for (int type = 0; type < TYPES; type++) {
                    int gaps = random.nextInt(3);
                    for (int ordinal = 0; ordinal < ORDINALS; ordinal++) {
                        if (gaps == 0 || random.nextInt(1 << gaps) == 0) {
                            String id = "e" + ordinal + "x".repeat(random.nextInt(20) == 0 ? longest : 0);
                            KeyBuffer key = access.key();
                            IdTable.ordinalKey(key, type, ordinal);
                            access.put(ProjectionTable.ORDINALS, key.key(), offHeap(id));
                            ids.put(((long) type << 32) + ordinal, id);
                        }
                    }
                }
                check(new IdReader(access), random, ids);
                access.end();
                write.commit();
            }
            try (ReadTransaction read = tables.environment().read()) {
                TableAccess access = tables.access(read);
                IdReader reader = new IdReader(access);
                ids.forEach((key, id) -> assertThat(text(reader.id((int) (key >>> 32), key.intValue())))
                        .isEqualTo(id));
                check(reader, random, ids);
                check(new IdReader(access), random, ids);
                access.end();
            }
        }
    }

    private static void check(IdReader reader, Random random, SortedMap<Long, String> ids) {
        for (int i = 0; i < TYPES * ORDINALS; i++) {
            int type = random.nextInt(TYPES);
            int ordinal = random.nextInt(ORDINALS + 100);
            assertThat(text(reader.id(type, ordinal)))
                    .as("type %d ordinal %d", type, ordinal)
                    .isEqualTo(ids.get(((long) type << 32) + ordinal));
        }
    }

    private static DirectBuffer offHeap(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(utf8.length));
        buffer.putBytes(0, utf8);
        return buffer;
    }

    private static @Nullable String text(@Nullable DirectBuffer id) {
        return id == null ? null : id.getStringWithoutLengthUtf8(0, id.capacity());
    }
}
