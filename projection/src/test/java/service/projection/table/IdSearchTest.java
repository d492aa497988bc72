package service.projection.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;

final class IdSearchTest {
    private static final int IDS = 2_000;
    private static final int TYPES = 3;

    @TempDir
    Path directory;

    private static String id(Random random) {
        String shared = random.nextBoolean() ? "" : "x".repeat(random.nextInt(2) * IdTable.ID_BYTES_WHOLE);
        return shared + random.nextInt(4 * IDS);
    }

    @Test
    void findsWhatIsThereInAnyOrder(@Seed long seed) {
        Random random = new Random(seed);
        List<Map<String, Integer>> ordinals = new ArrayList<>();
        try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE)) {
            try (WriteTransaction write = tables.environment().write()) {
                TableAccess access = tables.access(write);
                UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(Integer.BYTES));
                for (int type = 0; type < TYPES; type++) {
                    Map<String, Integer> ofType = new HashMap<>();
                    for (int i = 0; i < random.nextInt(IDS); i++) {
                        String id = id(random);
                        KeyBuffer key = access.key();
                        IdTable.idKey(key, type, id.getBytes(StandardCharsets.UTF_8));
                        value.putInt(0, i);
                        access.put(ProjectionTable.IDS, key.key(), value);
                        ofType.put(id, i);
                    }
                    ordinals.add(ofType);
                }
                access.end();
                write.commit();
            }
            try (ReadTransaction read = tables.environment().read()) {
                TableAccess access = tables.access(read);
                for (int type = 0; type < TYPES; type++) {
                    List<String> sought = new ArrayList<>(ordinals.get(type).keySet());
                    for (int i = 0; i < IDS; i++) {
                        sought.add(id(random));
                    }
                    Collections.sort(sought);
                    check(access, type, sought, ordinals.get(type));
                    Collections.reverse(sought);
                    check(access, type, sought, ordinals.get(type));
                    Collections.shuffle(sought, random);
                    check(access, type, sought, ordinals.get(type));
                }
                access.end();
            }
        }
    }

    private static void check(TableAccess access, int type, List<String> sought, Map<String, Integer> expected) {
        int[] found = new int[sought.size()];
        IdTable.ordinals(access, type, sought.toArray(String[]::new), found.length, found);
        for (int i = 0; i < found.length; i++) {
            String id = sought.get(i);
            assertThat(found[i]).as(id).isEqualTo(expected.getOrDefault(id, -1));
            assertThat(IdTable.ordinal(access, type, id)).as(id).isEqualTo(found[i]);
        }
    }
}
