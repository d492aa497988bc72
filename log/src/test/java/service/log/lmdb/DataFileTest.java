package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.testkit.Seed;
import service.log.files.SparseFile;

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

    /** Wherever the process is killed meanwhile: no page that the newest commit reaches is touched. */
    @Test
    void closingGivesBackFreePagesAndNoOther(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        UnsafeBuffer large = new UnsafeBuffer(ByteBuffer.allocateDirect(700_000));
        large.setMemory(0, large.capacity(), (byte) 7);
        for (int round = 0; round < 3; round++) {
            Path directory = scratch.resolve("round" + round);
            Path data = directory.resolve(DataFile.NAME);
            fill(directory, random);
            boolean isSynced = round > 0;
            byte[] before;
            try (LmdbEnvironment environment = open(directory, LmdbOptions.unsynced())) {
                for (boolean puts : new boolean[] {true, false, true}) {
                    try (WriteTransaction write = environment.write()) {
                        for (int i = 0; i < 4; i++) {
                            if (puts) {
                                environment.table("a").put(write.txn(), key(1_000 + i), large);
                            } else {
                                environment.table("a").delete(write.txn(), key(1_000 + i));
                            }
                        }
                        write.commit();
                    }
                }
                try (WriteTransaction write = environment.write()) {
                    environment.table("a").delete(write.txn(), key(1_001));
                    environment.table("a").delete(write.txn(), key(1_002));
                    write.commit();
                }
                if (isSynced) {
                    environment.sync();
                }
                before = Files.readAllBytes(data);
            }
            byte[] after = Files.readAllBytes(data);
            Reachable model = new Reachable(before);
            assertThat(after).hasSameSizeAs(before);
            int page = model.page;
            for (int used = model.pages.nextSetBit(0); used >= 0; used = model.pages.nextSetBit(used + 1)) {
                int at = used * page;
                assertThat(Arrays.equals(before, at, at + page, after, at, at + page))
                        .as("page " + used)
                        .isTrue();
            }
            long held = SparseFile.blockBytes(data, after.length);
            if (isSynced && Files.getFileStore(data).type().equals("ext4")) {
                // Short runs of free pages keep their blocks.
                assertThat(held).isLessThan(after.length - 1_000_000);
            }
            if (!isSynced) {
                assertThat(after).isEqualTo(before);
            }
            try (LmdbEnvironment environment = open(directory, LmdbOptions.synced());
                    WriteTransaction write = environment.write()) {
                assertThat(environment.table("a").get(write.txn(), key(1_003))).isEqualTo(large);
                environment.table("b").put(write.txn(), key(1_000), large);
                write.commit();
            }
        }
    }

    @Test
    void whereAnotherProcessHasItOpenNoPageIsGivenBack() throws IOException {
        fill(scratch, new Random(1));
        UnsafeBuffer large = new UnsafeBuffer(ByteBuffer.allocateDirect(2_000_000));
        large.setMemory(0, large.capacity(), (byte) 7);
        byte[] before;
        // LMDB of the other process holds a shared lock there.
        try (RandomAccessFile lockFile =
                new RandomAccessFile(scratch.resolve(LockFile.NAME).toFile(), "rw")) {
            try (LmdbEnvironment environment = open(scratch, LmdbOptions.synced())) {
                try (WriteTransaction write = environment.write()) {
                    environment.table("a").put(write.txn(), key(1_000), large);
                    write.commit();
                }
                try (WriteTransaction write = environment.write()) {
                    environment.table("a").delete(write.txn(), key(1_000));
                    write.commit();
                }
                before = Files.readAllBytes(scratch.resolve(DataFile.NAME));
                var unused = lockFile.getChannel().lock(0, 1, true);
            }
            assertThat(Files.readAllBytes(scratch.resolve(DataFile.NAME))).isEqualTo(before);
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
