package service.log.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.log.ChildJvm;

/** What other programs can do with the files of an open environment, and that it is not written any more then. */
final class OpenFilesTest {
    private static final List<Table> TABLES = List.of(Table.of("a"));

    @TempDir
    Path scratch;

    private Path directory() {
        return scratch.resolve("graph").resolve("log");
    }

    /** Something that happens to the files. */
    enum Form {
        MOVE_THE_ENVIRONMENT {
            @Override
            void run(Path log) throws IOException {
                Files.move(log, log.resolveSibling("aside"));
            }

            @Override
            void undo(Path log) throws IOException {
                Files.move(log.resolveSibling("aside"), log);
            }
        },
        MOVE_THE_FOLDER_ABOVE {
            @Override
            void run(Path log) throws IOException {
                Files.move(log.getParent(), log.getParent().resolveSibling("aside"));
            }

            @Override
            void undo(Path log) throws IOException {
                Files.move(log.getParent().resolveSibling("aside"), log.getParent());
            }
        },
        MOVE_THE_DATA {
            @Override
            void run(Path log) throws IOException {
                Files.move(log.resolve("data.mdb"), log.resolve("away"));
            }

            @Override
            void undo(Path log) throws IOException {
                Files.move(log.resolve("away"), log.resolve("data.mdb"));
            }
        },
        REPLACE_THE_DATA {
            @Override
            void run(Path log) throws IOException {
                Files.move(log.resolve("data.mdb"), log.resolve("away"));
                Files.copy(log.resolve("away"), log.resolve("data.mdb"));
            }

            @Override
            void undo(Path log) throws IOException {
                Files.move(log.resolve("away"), log.resolve("data.mdb"), StandardCopyOption.REPLACE_EXISTING);
            }
        },
        MOVE_THE_LOCK_FILE {
            @Override
            void run(Path log) throws IOException {
                Files.move(log.resolve("lock.mdb"), log.resolve("away"));
            }

            @Override
            void undo(Path log) throws IOException {
                Files.move(log.resolve("away"), log.resolve("lock.mdb"));
            }
        },
        DELETE_THE_DATA {
            @Override
            void run(Path log) throws IOException {
                Files.delete(log.resolve("data.mdb"));
            }
        },
        PUT_A_FILE_IN_PLACE_OF_THE_FOLDER {
            @Override
            void run(Path log) throws IOException {
                Files.move(log, log.resolveSibling("aside"));
                Files.writeString(log, "");
            }
        },
        CUT_THE_DATA {
            @Override
            void run(Path log) throws IOException {
                try (RandomAccessFile file =
                        new RandomAccessFile(log.resolve("data.mdb").toFile(), "rw")) {
                    file.setLength(3 * 4_096);
                }
            }
        },
        /** As {@code cp} of an earlier copy does. */
        OVERWRITE_IN_PLACE {
            @Override
            void before(Path log) throws IOException {
                Files.copy(log.resolve("data.mdb"), log.resolve("earlier"));
            }

            @Override
            void run(Path log) throws IOException {
                byte[] earlier = Files.readAllBytes(log.resolve("earlier"));
                Files.write(log.resolve("data.mdb"), earlier, StandardOpenOption.WRITE);
            }
        };

        void before(Path log) throws IOException {}

        abstract void run(Path log) throws IOException;

        /** Throws where it cannot be undone. */
        void undo(Path log) throws IOException {
            throw new IOException("for good");
        }
    }

    private LmdbEnvironment open() {
        return LmdbEnvironment.open(
                directory(), LmdbOptions.synced().withMapBytes(64 << 20, 64 << 20), TABLES, CommitHook.NONE);
    }

    private static void put(LmdbEnvironment environment, int key) {
        try (WriteTransaction write = environment.write()) {
            environment.table("a").put(write.txn(), bytes(key), new UnsafeBuffer(ByteBuffer.allocateDirect(9_000)));
            write.commit();
        }
    }

    private static UnsafeBuffer bytes(int key) {
        UnsafeBuffer bytes = new UnsafeBuffer(ByteBuffer.allocateDirect(Integer.BYTES));
        bytes.putInt(0, key);
        return bytes;
    }

    private static void assertRefused(LmdbEnvironment environment, String file) {
        assertThatThrownBy(() -> put(environment, 99)).isInstanceOfSatisfying(ServiceException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(ErrorCode.GRAPH_QUARANTINED);
            assertThat(refusal.getMessage())
                    .containsPattern("log/" + file + " was ")
                    .doesNotContain(environment.directory().getParent().toString());
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatHappensToOpenFilesEndsTheirWrites(Form form) throws IOException {
        try (LmdbEnvironment environment = open()) {
            put(environment, 1);
            form.before(directory());
            put(environment, 2);
            environment.files().check();
            assertThat(environment.files().finding()).isNull();
            form.run(directory());
            environment.files().check();
            assertThat(environment.files().finding()).contains("while it was open");
            assertRefused(environment, form == Form.MOVE_THE_LOCK_FILE ? "lock.mdb" : "data.mdb");
            if (form == Form.CUT_THE_DATA) {
                assertThatThrownBy(environment::read).hasMessageContaining("was cut while it was open");
                return;
            }
            if (form != Form.OVERWRITE_IN_PLACE) {
                try (ReadTransaction read = environment.read()) {
                    assertThat(read.get(environment.table("a"), bytes(2))).isNotNull();
                }
            }
            try {
                form.undo(directory());
            } catch (IOException forGood) {
                return;
            }
            environment.files().check();
            put(environment, 3);
        }
        try (LmdbEnvironment again = open()) {
            put(again, 4);
        }
    }

    /** A second process that writes beside this one, in the ways in which its lock files can be lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteOfAnotherProcessEndsThoseOfThisOne(boolean withoutLockFile) throws Exception {
        try (LmdbEnvironment environment = open()) {
            put(environment, 1);
            if (withoutLockFile) {
                Files.delete(directory().resolve("lock.mdb"));
            }
            try (ChildJvm child = ChildJvm.start(SecondWriter.class, directory().toString())) {
                child.await("written");
            }
            assertRefused(environment, withoutLockFile ? "(data|lock).mdb" : "data.mdb");
            environment.files().check();
            // A new lock file is noticed first where the process was slow.
            assertThat(environment.files().finding())
                    .containsPattern(withoutLockFile ? "was (written|replaced)" : "was written by another program");
        }
    }

    @Test
    void theDataFileIsLockedUntilItIsClosed() throws Exception {
        try (LmdbEnvironment environment = open()) {
            assertThat(environment.files().tryLock()).isTrue();
            assertThat(environment.files().tryLock()).isTrue();
            environment.files().check();
            put(environment, 1);
            try (ChildJvm child = ChildJvm.start(SecondWriter.class, directory().toString())) {
                assertThat(child.await("locked"))
                        .isEqualTo("false by process " + ProcessHandle.current().pid());
            }
        }
        try (ChildJvm child = ChildJvm.start(SecondWriter.class, directory().toString())) {
            assertThat(child.await("locked")).isEqualTo("true by null");
        }
    }

    /** Tries to lock the data file, and commits one transaction whether it could or not. */
    static final class SecondWriter {
        private SecondWriter() {}

        public static void main(String[] arguments) {
            Path directory = Path.of(arguments[0]);
            try (LmdbEnvironment environment = LmdbEnvironment.open(
                    directory, LmdbOptions.synced().withMapBytes(64 << 20, 64 << 20), TABLES, CommitHook.NONE)) {
                String owner = OpenFiles.lockOwner(directory);
                System.out.println("locked " + environment.files().tryLock() + " by " + owner);
                put(environment, 7);
                System.out.println("written");
            }
        }
    }
}
