package service.log.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.LmdbException;
import org.lmdbjava.Txn;
import service.core.blob.StagedBlobs;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.ChangeCounts;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.core.event.SchemaChange;
import service.core.event.Stamp;
import service.core.port.Branch;
import service.core.value.Ulid;
import service.log.group.EncodedGroup;
import service.log.group.GroupSink;
import service.log.group.LogTail;
import service.log.lmdb.FileMask;
import service.log.lmdb.StorageFailure;

/** The folder of a graph before its log is opened, and the first event of a new one. The caller holds the lock. */
final class EventLogOpening {
    private EventLogOpening() {}

    static void createFolder(Path graphDirectory) {
        FileMask.restrict();
        try {
            Files.createDirectories(graphDirectory);
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, graphDirectory + ": cannot be created (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Refuses a directory without a log. The directory of a graph always has a log, because graphs are made elsewhere
     * and then renamed.
     *
     * @throws ServiceException NOT_FOUND when the directory is empty or missing
     */
    static void requireGraph(Path graphDirectory) {
        if (isEmpty(graphDirectory)) {
            throw ServiceException.notFound("no graph at " + graphDirectory + ": create one first");
        }
        Path data = graphDirectory.resolve(EventLog.DIRECTORY).resolve("data.mdb");
        try {
            if (Files.size(data) == 0) {
                throw noLog(graphDirectory, "log/data.mdb is empty");
            }
        } catch (NoSuchFileException e) {
            throw noLog(graphDirectory, "log/data.mdb is missing");
        } catch (IOException e) {
            throw new StorageFailure(
                    StorageFailure.Kind.IO, data + ": cannot be read (" + StorageFailure.why(e) + ")", e);
        }
    }

    private static boolean isEmpty(Path graphDirectory) {
        try (Stream<Path> files = Files.list(graphDirectory)) {
            return files.findAny().isEmpty();
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static StorageFailure noLog(Path graphDirectory, String finding) {
        return new StorageFailure(
                StorageFailure.Kind.DAMAGED, graphDirectory + ": " + finding + ": restore the graph from a backup");
    }

    /** Writes the marks of a new graph, and its first event. */
    static void putGenesis(
            EventLog log, LmdbGroupSink sink, SchemaChange schema, @Nullable String actor, long nowMicros) {
        SecureRandom random = new SecureRandom();
        long millis = Math.floorDiv(nowMicros, 1_000L);
        Ulid identity = Ulid.of(millis, random.nextInt(), random.nextLong());
        Ulid id = Ulid.of(millis, random.nextInt(), random.nextLong());
        CommitHeader header = new CommitHeader(
                new Stamp(0, nowMicros, actor),
                id,
                CommitKind.GENESIS,
                new CommitHeader.Lineage(Branch.MAIN, 0, null, null),
                null,
                ChangeCounts.NONE,
                schema);
        LogTail before = new LogTail(-1, EventCodec.hashBeforeFirst(), Long.MIN_VALUE, id, 1, LogTail.FIRST_GENERATION);
        EncodedGroup group = new EncodedGroup(new EventCodec(), identity, before);
        group.add(new Event.Commit(header, ChangeBlock.EMPTY), StagedBlobs.NONE);
        try (LmdbGroupSink.Transaction write = sink.begin(group)) {
            Txn<DirectBuffer> txn = write.txn();
            log.marks().put(txn, LogTables.FORMAT, LogMarks.intBytes(LogTables.FORMAT_VERSION));
            log.marks()
                    .put(
                            txn,
                            LogTables.GRAPH,
                            LogMarks.littleEndian(16)
                                    .putLong(identity.high())
                                    .putLong(identity.low())
                                    .array());
            byte[] secret = new byte[LogTables.SECRET_BYTES];
            random.nextBytes(secret);
            log.marks().put(txn, LogTables.SECRET, secret);
            log.marks().put(txn, LogTables.GENESIS, group.tail().hash());
            log.marks().put(txn, LogTables.INCARNATIONS, LogMarks.intBytes(1));
            if (write.write(GroupSink.Progress.NONE) instanceof GroupSink.Outcome.Failure failure) {
                throw failure.cause();
            }
        } catch (LmdbException e) {
            throw StorageFailure.of(e, log.directory());
        }
    }
}
