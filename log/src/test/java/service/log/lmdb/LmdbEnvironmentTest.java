package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.GetOp;
import service.core.budget.NoWaiting;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.ChildJvm;

/** One test for each rule of {@link LmdbEnvironment}, by its number there. */
@SuppressWarnings("MustBeClosedChecker") // the tests leave reads open on purpose
final class LmdbEnvironmentTest {
    private static final List<Table> TABLES = List.of(Table.of("a"), Table.of("b"));

    @TempDir
    Path directory;

    @Test
    void committedEntriesAreReadAndAbortedOnesAreNot() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            put(environment, 1, 10);
            try (WriteTransaction write = environment.write()) {
                environment.table("a").put(write.txn(), key(2), value(10));
            }
            assertThat(read(environment, 1)).isEqualTo(1);
            assertThat(read(environment, 2)).isEqualTo(-1);
        }
        try (LmdbEnvironment environment = open(LmdbOptions.unsynced())) {
            assertThat(read(environment, 1)).isEqualTo(1);
        }
    }

    @Test
    void readTransactionsReleaseTheirReaderSlots() {
        int readers = ReadPool.IDLE_MAX + 8;
        try (LmdbEnvironment environment = open(LmdbOptions.synced().withReaders(readers, Duration.ofSeconds(1)))) {
            for (int round = 0; round < 5; round++) {
                List<ReadTransaction> reads = new ArrayList<>();
                for (int i = 0; i < readers; i++) {
                    reads.add(environment.read());
                }
                reads.forEach(ReadTransaction::close);
            }
            assertThat(environment.readerSlots()).isLessThanOrEqualTo(readers);
            assertThat(environment.openReads()).isZero();
        }
    }

    @Test
    void aTransactionIsRefusedOnAnotherThread() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced());
                ReadTransaction read = environment.read();
                WriteTransaction write = environment.write()) {
            assertThat(read.txn().isReadOnly()).isTrue();
            assertThat(elsewhere(read::txn)).hasMessageContaining("belongs to");
            assertThat(elsewhere(write::txn)).hasMessageContaining("belongs to");
            CompletableFuture.runAsync(() -> write.borrow(write::txn)).join();
            write.borrow(() -> assertThat(elsewhere(write::txn)).hasMessageContaining("belongs to"));
            assertThat(elsewhere(environment::write)).hasMessageContaining("a write is open on");
            assertThatThrownBy(environment::write).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aClosedTransactionRefusesEveryCall() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            ReadTransaction read = environment.read();
            read.close();
            read.close();
            assertThatThrownBy(read::txn).hasMessage("the read is closed");
            WriteTransaction write = environment.write();
            write.close();
            assertThatThrownBy(write::txn).hasMessage("the write is over");
            assertThat(environment.openReads()).isZero();
        }
    }

    @Test
    void aWriteUsesDeclaredTablesAndRefusesOthers() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced());
                WriteTransaction write = environment.write()) {
            environment.table("b").put(write.txn(), key(1), value(1));
            assertThatThrownBy(() -> environment.table("c")).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void guard5AFullMapGrowsAfterTheReadersAreGone() throws Exception {
        LmdbOptions small = LmdbOptions.synced().withMapBytes(256 << 10, 1 << 20);
        try (LmdbEnvironment environment = open(small)) {
            put(environment, 1, 10);
            int big = 300 << 10;
            assertThatThrownBy(() -> put(environment, 2, big))
                    .isInstanceOfSatisfying(
                            StorageFailure.class,
                            failure -> assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.MAP_FULL));
            ReadTransaction read = environment.read();
            FutureTask<Void> growth = new FutureTask<>(environment::grow, null);
            Thread growing = Thread.ofPlatform().start(growth);
            // The wait is a timed one only while the call waits for the read.
            await().until(() -> growing.getState() == Thread.State.TIMED_WAITING);
            assertThat(environment.mapBytes()).isEqualTo(256 << 10);
            assertThat(read.get(environment.table("a"), key(1)).capacity()).isEqualTo(10);
            assertThatThrownBy(() -> NoWaiting.call(environment::read))
                    .isInstanceOf(NoWaiting.WouldWaitException.class);
            read.close();
            growth.get();
            put(environment, 2, big);
            assertThat(environment.mapBytes()).isEqualTo(512 << 10);
            assertThat(read(environment, 2)).isEqualTo(2);
            environment.grow();
            assertThatThrownBy(environment::grow)
                    .isInstanceOfSatisfying(
                            StorageFailure.class,
                            failure -> assertThat(failure.asServiceException().code())
                                    .isEqualTo(ErrorCode.STORAGE_FULL));
        }
    }

    @Test
    void guard5TheMapDoesNotMoveUnderAWrite() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            try (WriteTransaction write = environment.write()) {
                assertThat(write.txn().isReadOnly()).isFalse();
                assertThatThrownBy(environment::grow).isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(environment::close).isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @Test
    void guard6ClosingWaitsForReadersAndRefusesRatherThanCrash() throws Exception {
        LmdbEnvironment environment = open(LmdbOptions.synced().withReaders(8, Duration.ofMillis(50)));
        ReadTransaction stuck = environment.read();
        assertThatThrownBy(environment::close)
                .isInstanceOfSatisfying(
                        StorageFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.READERS_BUSY));
        assertThat(stuck.txn().isReadOnly()).isTrue();
        stuck.close();
        environment.close();
        environment.close();
        assertThatThrownBy(environment::read)
                .isInstanceOfSatisfying(
                        ServiceException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
        assertThatThrownBy(environment::write).isInstanceOf(ServiceException.class);
    }

    @Test
    void guard6ClosingContinuesWhenTheLastReaderEnds() throws Exception {
        LmdbEnvironment environment = open(LmdbOptions.synced());
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
            try (ReadTransaction read = environment.read()) {
                read.ageNanos();
                reading.countDown();
                end.await();
            } catch (InterruptedException e) {
                throw new CompletionException(e);
            }
        });
        reading.await();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(environment::close);
        end.countDown();
        closing.get();
        reader.get();
        assertThat(environment.isClosed()).isTrue();
    }

    @Test
    void guard7APathHasOneOwner() throws Exception {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            Path alias = directory.resolve("alias");
            Files.createSymbolicLink(alias, environment.directory());
            assertThatThrownBy(() -> LmdbEnvironment.open(alias, LmdbOptions.reading(), TABLES, CommitHook.NONE))
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT));
        }
        open(LmdbOptions.synced()).close();
    }

    @Test
    void guard8TheOldestReadIsKnown() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            assertThat(environment.oldestReadAgeNanos()).isZero();
            ReadTransaction first = environment.read();
            ReadTransaction second = environment.read();
            ReadTransaction third = environment.read();
            await().until(() -> environment.oldestReadAgeNanos() >= first.ageNanos() / 2);
            second.close();
            first.close();
            assertThat(environment.oldestReadAgeNanos()).isLessThanOrEqualTo(third.ageNanos());
            third.close();
            assertThat(environment.oldestReadAgeNanos()).isZero();
        }
    }

    @Test
    void guard9LimitsAreErrors() {
        try (LmdbEnvironment environment = open(LmdbOptions.synced().withReaders(2, Duration.ofSeconds(1)))) {
            ReadTransaction first = environment.read();
            ReadTransaction second = environment.read();
            assertThatThrownBy(environment::read)
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.OVERLOADED));
            second.close();
            environment.read().close();
            first.close();
        }
        assertThatThrownBy(() -> new KeyBuffer().putBytes(new byte[KeyBuffer.KEY_BYTES_MAX + 1]))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void guard10TheSlotsOfDeadProcessesAreFreed() throws Exception {
        try (LmdbEnvironment environment = open(LmdbOptions.synced())) {
            assertThat(environment.readerCheck()).isZero();
            try (ChildJvm child = ChildJvm.start(
                    LmdbEnvironmentTest.class, environment.directory().toString())) {
                child.await("reading");
                child.kill();
            }
            assertThat(environment.readerCheck()).isEqualTo(1);
            assertThat(environment.readerCheck()).isZero();
        }
    }

    /** The child process: holds a read until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        LmdbEnvironment environment =
                LmdbEnvironment.open(Path.of(arguments[0]), LmdbOptions.reading(), TABLES, CommitHook.NONE);
        ReadTransaction read = environment.read();
        System.out.println("reading " + read.txn().getId());
        Thread.currentThread().join();
    }

    @Test
    void keysSortAsNumbersAndCursorsAreReused() {
        try (LmdbEnvironment environment = open(LmdbOptions.unsynced())) {
            Dbi<DirectBuffer> table = environment.table("a");
            KeyBuffer key = new KeyBuffer();
            try (WriteTransaction write = environment.write()) {
                for (long number : new long[] {256, 1, 65_536}) {
                    table.put(
                            write.txn(), key.clear().putByte(7).putLong(number).key(), value(1));
                }
                write.commit();
            }
            for (int round = 0; round < 3; round++) {
                try (ReadTransaction read = environment.read()) {
                    Cursor<DirectBuffer> cursor = read.cursor(table);
                    assertThat(cursor.get(key.clear().putByte(7).putLong(2).key(), GetOp.MDB_SET_RANGE))
                            .isTrue();
                    assertThat(cursor.key().getLong(1, java.nio.ByteOrder.BIG_ENDIAN))
                            .isEqualTo(256);
                    assertThat(cursor.next()).isTrue();
                    assertThat(cursor.next()).isFalse();
                    read.release(table, cursor);
                }
            }
        }
    }

    @Test
    void aCopyHoldsTheSame() throws Exception {
        Path copy = Files.createDirectory(directory.resolve("copy"));
        try (LmdbEnvironment environment = open(LmdbOptions.unsynced())) {
            put(environment, 1, 10);
            environment.copyTo(copy);
            environment.sync();
        }
        try (LmdbEnvironment copied = LmdbEnvironment.open(copy, LmdbOptions.reading(), TABLES, CommitHook.NONE)) {
            assertThat(read(copied, 1)).isEqualTo(1);
            assertThat(copied.usedBytes()).isPositive();
        }
    }

    @Test
    void aFileThatIsNotAnEnvironmentIsReportedAsDamaged() throws Exception {
        Path other = Files.createDirectory(directory.resolve("env"));
        Files.write(other.resolve("data.mdb"), new byte[64 << 10]);
        assertThatThrownBy(() -> open(LmdbOptions.synced()))
                .isInstanceOfSatisfying(
                        StorageFailure.class,
                        failure -> assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.DAMAGED));
    }

    @Test
    void aFailureBeforeTheCommitStoresNothingAndOneAfterItStoresAll() {
        StorageFailure fault = new StorageFailure(StorageFailure.Kind.DISK_FULL, "injected");
        boolean[] armed = new boolean[2];
        CommitHook hook = new CommitHook() {
            @Override
            public void beforeCommit(Path path) {
                if (armed[0]) {
                    throw fault;
                }
            }

            @Override
            public void afterCommit(Path path) {
                if (armed[1]) {
                    throw fault;
                }
            }
        };
        try (LmdbEnvironment environment =
                LmdbEnvironment.open(directory.resolve("env"), LmdbOptions.synced(), TABLES, hook)) {
            armed[0] = true;
            assertThatThrownBy(() -> put(environment, 1, 10)).isSameAs(fault);
            armed[0] = false;
            armed[1] = true;
            assertThatThrownBy(() -> put(environment, 2, 10)).isSameAs(fault);
            assertThat(read(environment, 1)).isEqualTo(-1);
            assertThat(read(environment, 2)).isEqualTo(2);
        }
    }

    private LmdbEnvironment open(LmdbOptions options) {
        return LmdbEnvironment.open(directory.resolve("env"), options, TABLES, CommitHook.NONE);
    }

    private static Throwable elsewhere(Runnable action) {
        CompletableFuture<Void> run = CompletableFuture.runAsync(action);
        assertThatThrownBy(run::join).isInstanceOf(CompletionException.class);
        return run.exceptionNow();
    }

    private static void put(LmdbEnvironment environment, long key, int bytes) {
        try (WriteTransaction write = environment.write()) {
            environment.table("a").put(write.txn(), key(key), value(bytes));
            write.commit();
        } catch (org.lmdbjava.LmdbException e) {
            throw StorageFailure.of(e, environment.directory());
        }
    }

    /** The key if it is stored, else −1. */
    private static long read(LmdbEnvironment environment, long key) {
        try (ReadTransaction read = environment.read()) {
            return read.get(environment.table("a"), key(key)) == null ? -1 : key;
        }
    }

    private static DirectBuffer key(long key) {
        return new KeyBuffer().putLong(key).key();
    }

    private static DirectBuffer value(int bytes) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
    }
}
