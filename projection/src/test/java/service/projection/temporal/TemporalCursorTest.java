package service.projection.temporal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.Seed;
import service.log.lmdb.CommitHook;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.LmdbOptions;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.ReadTransaction;
import service.log.lmdb.WriteTransaction;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.ProjectionTable;
import service.projection.table.TableAccess;

class TemporalCursorTest {
    private record Version(int incarnation, long offset, byte value) {}

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void aCursorShowsTheNewestEntryThatItsChainCovers(long nth, @Seed long seed) {
        Random random = new Random(seed + nth);
        Map<Integer, List<Version>> members = new TreeMap<>();
        try (ProjectionEnvironment tables = ProjectionEnvironment.open(
                directory, LmdbOptions.unsynced().withMapBytes(64 << 20, 64 << 20), CommitHook.NONE)) {
            try (WriteTransaction write = tables.environment().write()) {
                TableAccess access = tables.access(write);
                UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(1));
                for (int member = 0; member < 200; member++) {
                    List<Version> versions = new ArrayList<>();
                    int n = random.nextInt(4) == 0 ? random.nextInt(60) : random.nextInt(4);
                    for (int i = 0; i < n; i++) {
                        Version version =
                                new Version(random.nextInt(8), random.nextInt(100), (byte) random.nextInt(100));
                        boolean twice = versions.stream()
                                .anyMatch(other ->
                                        other.incarnation == version.incarnation && other.offset == version.offset);
                        if (!twice) {
                            versions.add(version);
                            value.putByte(0, version.value);
                            KeyBuffer key = access.key().putInt(member / 50).putInt(member);
                            key.putInt(~version.incarnation).putLong(~version.offset);
                            access.put(ProjectionTable.COUNTS, key.key(), value);
                        }
                    }
                    members.put(member, versions);
                }
                access.end();
                write.commit();
            }
            for (int round = 0; round < 40; round++) {
                check(tables, members, chain(random));
            }
        }
    }

    private static Chain chain(Random random) {
        List<Integer> incarnations = new ArrayList<>();
        for (int incarnation = 7; incarnation >= 0; incarnation--) {
            if (random.nextInt(3) == 0 || incarnation == 0) {
                incarnations.add(incarnation);
            }
        }
        return new Chain(
                incarnations.stream().mapToInt(Integer::intValue).toArray(),
                random.longs(incarnations.size(), 0, 100).toArray());
    }

    private static void check(ProjectionEnvironment tables, Map<Integer, List<Version>> members, Chain chain) {
        try (ReadTransaction read = tables.environment().read()) {
            TableAccess access = tables.access(read);
            TemporalCursor cursor = access.temporal(ProjectionTable.COUNTS, chain);
            for (int scope = 0; scope < 5; scope++) {
                Map<Integer, Byte> seen = new TreeMap<>();
                cursor.seek(access.key().putInt(scope), Integer.BYTES);
                while (cursor.next()) {
                    int member = MappedBytes.keyIntAt(cursor.memberAddress() + 4);
                    assertThat(cursor.memberLength()).isEqualTo(8);
                    assertThat(seen.put(member, MappedBytes.byteAt(cursor.valueAddress())))
                            .isNull();
                }
                Map<Integer, Byte> wanted = new TreeMap<>();
                for (int member = scope * 50; member < Math.min(200, scope * 50 + 50); member++) {
                    Byte value = decided(members.getOrDefault(member, List.of()), chain);
                    if (value != null) {
                        wanted.put(member, value);
                    }
                    boolean found = cursor.find(access.key().putInt(scope).putInt(member));
                    assertThat(found).isEqualTo(value != null);
                    if (value != null) {
                        assertThat(MappedBytes.byteAt(cursor.valueAddress())).isEqualTo(value);
                    }
                }
                assertThat(seen).isEqualTo(wanted);
            }
            access.release(ProjectionTable.COUNTS, cursor);
            access.end();
        }
    }

    private static @org.jspecify.annotations.Nullable Byte decided(List<Version> versions, Chain chain) {
        for (int link = 0; link < chain.length(); link++) {
            Version newest = null;
            for (Version version : versions) {
                if (version.incarnation == chain.incarnation(link)
                        && version.offset <= chain.offset(link)
                        && (newest == null || version.offset > newest.offset)) {
                    newest = version;
                }
            }
            if (newest != null) {
                return newest.value;
            }
        }
        return null;
    }

    @Test
    void aChainWithAParentBelowItsChildIsRefused() {
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> new Chain(new int[] {1, 2}, new long[] {5, 5}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("below its parent");
    }
}
