package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TableBytesTest {
    @TempDir
    Path directory;

    @Test
    void dividesPagesIntoKindsOfBytes() {
        UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(9_000));
        try (LmdbEnvironment environment = LmdbEnvironment.open(
                directory,
                LmdbOptions.unsynced().withMapBytes(16 << 20, 16 << 20),
                List.of(Table.of("small"), Table.of("large"), Table.of("none")),
                CommitHook.NONE)) {
            try (WriteTransaction write = environment.write()) {
                KeyBuffer key = new KeyBuffer();
                for (int i = 0; i < 5_000; i++) {
                    key.clear().putLong(i);
                    environment.table("small").put(write.txn(), key.key(), new UnsafeBuffer(value, 0, i % 40));
                }
                environment
                        .table("large")
                        .put(write.txn(), key.clear().putByte(0).key(), value);
                write.commit();
            }
            long[] progress = new long[1];
            List<TableBytes> read = TableBytes.read(environment, more -> progress[0] += more);
            assertThat(read).extracting(TableBytes::table).containsExactly("small", "large", "none");
            assertThat(read).extracting(TableBytes::entries).containsExactly(5_000L, 1L, 0L);
            TableBytes.Kinds small = read.get(0).kinds();
            TableBytes.Kinds large = read.get(1).kinds();
            assertThat(small.keys()).isEqualTo(40_000);
            assertThat(small.values()).isEqualTo(97_500);
            assertThat(large.keys()).isEqualTo(1);
            assertThat(large.values()).isEqualTo(9_000);
            assertThat(large.slack()).isBetween(0L, 2L * environment.pageBytes());
            assertThat(progress[0]).isEqualTo(40_000 + 97_500 + 9_001);
            for (TableBytes table : read) {
                TableBytes.Kinds kinds = table.kinds();
                assertThat(kinds.keys() + kinds.values() + kinds.structure() + kinds.slack())
                        .isEqualTo(table.bytes());
            }
            assertThat(read.get(2).bytes()).isZero();
            assertThat(TableBytes.of(environment))
                    .allSatisfy(table -> assertThat(table.kinds()).isNull())
                    .extracting(TableBytes::bytes)
                    .containsExactlyElementsOf(
                            read.stream().map(TableBytes::bytes).toList());
        }
    }
}
