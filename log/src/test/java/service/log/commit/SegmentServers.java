package service.log.commit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.Event;
import service.core.port.ObjectStore;
import service.core.testkit.FaultyObjectStore;
import service.core.testkit.MemoryObjectStore;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.CommitHook;
import service.log.lmdb.LmdbOptions;
import service.log.object.RepeatedReads;
import service.log.segment.SegmentSink;
import service.log.segment.SegmentStore;
import service.log.segment.SegmentedLog;

/** Servers of one bucket, each with its copy and its client, and what they have answered to their callers. */
final class SegmentServers {
    static final String GRAPH = "knowledge";
    private static final long MICROS = 1_700_000_000_000_000L;

    final MemoryObjectStore bucket = new MemoryObjectStore();

    /** The id of each write that was answered: null for an acknowledgement, or the code of its refusal. */
    final Map<String, ErrorCode> refused = new ConcurrentHashMap<>();

    final List<String> acknowledged = new ArrayList<>();

    static SegmentedLog log(ObjectStore client, Path copy) {
        return new SegmentedLog(
                new SegmentStore(new RepeatedReads(client), GRAPH),
                copy,
                LmdbOptions.unsynced(),
                CommitHook.NONE,
                "this-boot");
    }

    void create(Path copy) {
        log(bucket, copy).create(Commands.SCHEMA, null, MICROS).close();
    }

    Server start(FaultyObjectStore client, Path copy, Duration patience) {
        return start(client, copy, patience, Duration.ZERO);
    }

    /** @param closeWait how long a closing server asks for an unknown outcome */
    Server start(FaultyObjectStore client, Path copy, Duration patience, Duration closeWait) {
        return new Server(client, copy, patience, closeWait);
    }

    /** One server. Closing it leaves what the death of its process would leave. */
    final class Server implements AutoCloseable {
        final EventLog log;
        final SegmentSink sink;
        final Writer writer;
        final MemoryProjector projector;

        private Server(FaultyObjectStore client, Path copy, Duration patience, Duration closeWait) {
            log = log(client, copy).open();
            AtomicReference<Writer> started = new AtomicReference<>();
            sink = new SegmentSink(
                    log,
                    new SegmentStore(new RepeatedReads(client), GRAPH),
                    new SegmentSink.Waits(patience, closeWait),
                    () -> recover(started.get()));
            projector = new MemoryProjector(log);
            writer = Writer.start(
                    log,
                    sink,
                    projector,
                    WriterSettings.DEFAULT,
                    () -> System.currentTimeMillis() * 1_000,
                    offset -> {});
            started.set(writer);
        }

        private static void recover(Writer writer) {
            CompletableFuture<Void> unused = writer.between(() -> {});
        }

        CompletableFuture<Event> submit(String id) {
            return writer.submit(Commands.insert(id));
        }

        /** Records the answer to a write; returns the code of its refusal. */
        @Nullable
        ErrorCode answer(String id, CompletableFuture<Event> write) {
            try {
                write.join();
                synchronized (acknowledged) {
                    acknowledged.add(id);
                }
                return null;
            } catch (CompletionException e) {
                ErrorCode code = ((ServiceException) e.getCause()).code();
                refused.put(id, code);
                return code;
            }
        }

        @Nullable
        ErrorCode write(String id) {
            return answer(id, submit(id));
        }

        @Override
        public void close() {
            writer.close();
            sink.close();
            log.close();
        }
    }

    /** How often each id was inserted, from the segments alone. */
    Map<String, Integer> history(Path scratch) {
        Map<String, Integer> inserts = new TreeMap<>();
        try (EventLog log = log(bucket, scratch).open();
                EventReader reader = log.read()) {
            ChangeReader changes = new ChangeReader();
            reader.scan(1, (offset, bytes) -> {
                reader.codec().changes(bytes, offset, changes);
                while (changes.next()) {
                    inserts.merge(changes.id(), 1, Integer::sum);
                }
                return true;
            });
        }
        return inserts;
    }
}
