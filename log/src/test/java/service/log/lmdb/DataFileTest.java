package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;

/**
 * Which lengths of a data file are too short. The model walks the trees of all tables and collects the pages that they
 * use; the code under test reads the list of free pages instead.
 */
final class DataFileTest {
    private static final List<Table> TABLES = List.of(Table.of("a"), Table.of("b"), Table.of("c"));
    private static final int ROUNDS = Integer.getInteger("service.cuts", 12);

    @TempDir
    Path scratch;

    /** The pages in use, found by following every pointer of a file. */
    private static final class Reachable {
        private final ByteBuffer file;
        private final int page;
        private final BitSet pages = new BitSet();

        Reachable(byte[] bytes) {
            file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            page = file.getInt(40);
            int newest = file.getLong(page + 144) > file.getLong(144) ? page : 0;
            pages.set(0, 2);
            tree(file.getLong(newest + 40 + 40));
            tree(file.getLong(newest + 88 + 40));
        }

        private void tree(long root) {
            if (root < 0) {
                return;
            }
            pages.set((int) root);
            int at = (int) root * page;
            boolean branch = (file.getShort(at + 10) & 1) != 0;
            for (int i = 0; i < (file.getShort(at + 12) - 16) / 2; i++) {
                int node = at + file.getShort(at + 16 + 2 * i);
                if (branch) {
                    tree(Integer.toUnsignedLong(file.getInt(node)));
                    continue;
                }
                int flags = file.getShort(node + 4);
                int value = node + 8 + file.getShort(node + 6);
                if ((flags & 2) != 0) {
                    tree(file.getLong(value + 40));
                } else if ((flags & 1) != 0) {
                    int first = (int) file.getLong(value);
                    pages.set(first, first + file.getInt(first * page + 12));
                }
            }
        }

        /** The least length that has all of them. */
        long bytes() {
            return (long) pages.length() * page;
        }
    }

    @Test
    void aFileIsShortExactlyWhenAPageInUseIsMissing(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            String name = "round " + round;
            Path directory = scratch.resolve("round" + round);
            fill(directory, random);
            Path data = directory.resolve(DataFile.NAME);
            byte[] whole = Files.readAllBytes(data);
            Reachable model = new Reachable(whole);
            try (DataFile file = DataFile.open(directory)) {
                assertThat(file.shortage()).as(name).isNull();
            }
            for (int cut = 0; cut < 30; cut++) {
                long length =
                        cut == 0 ? model.bytes() : cut == 1 ? model.bytes() - 1 : random.nextLong(whole.length + 1L);
                try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
                    file.setLength(Math.min(length, whole.length));
                }
                try (DataFile file = DataFile.open(directory)) {
                    boolean isShort = file.shortage() != null;
                    assertThat(isShort).as(name + ", cut to " + length).isEqualTo(length < model.bytes());
                }
                if (length < model.bytes()) {
                    for (LmdbOptions options : List.of(LmdbOptions.reading(), LmdbOptions.synced())) {
                        if (length > 0) {
                            assertThatThrownBy(() -> open(directory, options).close())
                                    .as(name + ", cut to " + length)
                                    .isInstanceOfSatisfying(
                                            StorageFailure.class,
                                            failure ->
                                                    assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.DAMAGED));
                        }
                    }
                }
                Files.write(data, whole);
            }
        }
    }

    /** LMDB writes no page that was allocated and freed in one transaction: such a file is sound. */
    @Test
    void aFileThatLmdbLeftShorterThanItsPagesIsWhole() throws IOException {
        try (LmdbEnvironment environment = open(scratch, LmdbOptions.unsynced())) {
            var table = environment.table("a");
            for (int step = 0; step < 5; step++) {
                try (WriteTransaction write = environment.write()) {
                    if (step == 1) {
                        table.delete(write.txn(), key(0));
                    } else {
                        table.put(write.txn(), key(step), new UnsafeBuffer(ByteBuffer.allocateDirect(30_000)));
                    }
                    if (step == 4) {
                        table.put(write.txn(), key(9), new UnsafeBuffer(ByteBuffer.allocateDirect(200_000)));
                        table.delete(write.txn(), key(9));
                    }
                    write.commit();
                }
            }
        }
        try (DataFile file = DataFile.open(scratch)) {
            DataFile.Meta meta = java.util.Objects.requireNonNull(file.meta());
            assertThat(file.length()).isLessThan(meta.bytes());
            assertThat(file.shortage()).isNull();
        }
        try (LmdbEnvironment environment = open(scratch, LmdbOptions.synced())) {
            environment.files().check();
            assertThat(environment.files().finding()).isNull();
        }
    }

    private static LmdbEnvironment open(Path directory, LmdbOptions options) {
        return LmdbEnvironment.open(directory, options.withMapBytes(64 << 20, 64 << 20), TABLES, CommitHook.NONE);
    }

    /** Transactions of puts, overwrites and deletes, of small values and of some that fill pages. */
    private static void fill(Path directory, Random random) throws IOException {
        Files.createDirectories(directory);
        try (LmdbEnvironment environment = open(directory, LmdbOptions.unsynced())) {
            int transactions = 1 + random.nextInt(30);
            int keys = 1 + random.nextInt(300);
            for (int i = 0; i < transactions; i++) {
                try (WriteTransaction write = environment.write()) {
                    for (int j = random.nextInt(80); j > 0; j--) {
                        var table =
                                environment.table(TABLES.get(random.nextInt(3)).name());
                        DirectBuffer key = key(random.nextInt(keys));
                        if (random.nextInt(3) == 0) {
                            table.delete(write.txn(), key);
                        } else {
                            int length = random.nextInt(8) == 0 ? random.nextInt(60_000) : random.nextInt(300);
                            table.put(write.txn(), key, new UnsafeBuffer(ByteBuffer.allocateDirect(length + 1)));
                        }
                    }
                    write.commit();
                }
            }
        }
    }

    private static DirectBuffer key(int value) {
        UnsafeBuffer key = new UnsafeBuffer(ByteBuffer.allocateDirect(Integer.BYTES));
        key.putInt(0, value, ByteOrder.BIG_ENDIAN);
        return key;
    }
}
