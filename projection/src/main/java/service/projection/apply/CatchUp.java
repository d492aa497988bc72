package service.projection.apply;

import java.util.function.LongConsumer;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.Event;
import service.core.event.EventCodec;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.StorageFailure;
import service.log.lmdb.WriteTransaction;
import service.projection.resident.DirtyMarks;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.IdTable;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;

/**
 * Applies events of the log to the tables in batches of sorted entries, one transaction each. An interrupted run is
 * resumed after the last committed batch. Changes are read in place from the pages of the log. The writer uses the same
 * {@link EventApplier}, so both make the same entries.
 */
public final class CatchUp {
    private static final long WINDOW_BYTES = 48L << 20;
    private static final long BATCH_BYTES = 128L << 20;

    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final CatalogSource catalogs;

    public CatchUp(EventLog log, ProjectionEnvironment environment, CatalogSource catalogs) {
        this.log = log;
        this.environment = environment;
        this.catalogs = catalogs;
    }

    /** What a run did. */
    public record Result(long events, long changes, long applied) {}

    /**
     * Applies every event of the log up to an offset.
     *
     * @param last the last offset to apply
     * @param progress called with the last offset of each committed batch
     */
    public Result run(long last, LongConsumer progress) {
        long applied;
        try (var read = environment.environment().read()) {
            applied = AppliedTable.offset(environment.access(read));
        }
        long events = last - applied;
        long changes = 0;
        while (applied < last) {
            try (Batch batch = new Batch()) {
                applied = batch.run(applied + 1, last);
                changes += batch.changes;
            } catch (StorageFailure e) {
                if (e.kind() != StorageFailure.Kind.MAP_FULL) {
                    throw e;
                }
                environment.environment().grow();
                continue;
            } catch (org.lmdbjava.Env.MapFullException e) {
                environment.environment().grow();
                continue;
            }
            progress.accept(applied);
        }
        return new Result(Math.max(0, events), changes, applied);
    }

    /** Applies the events of one transaction. */
    private final class Batch implements AutoCloseable {
        private final WriteTransaction write = environment.environment().write();
        private final TableAccess access = environment.access(write);
        private final SortedPuts puts = new SortedPuts(access);
        private final EventApplier applier =
                new EventApplier(catalogs, access, puts, WINDOW_BYTES, IdTable.ORDINALS_MAX, DirtyMarks.none());
        private final ChangeReader reader = new ChangeReader();
        private long applied;
        private long changes;
        private long bytes;

        long run(long from, long last) {
            try (EventReader events = log.read()) {
                events.scan(from, (offset, event) -> {
                    if (offset > last) {
                        return false;
                    }
                    apply(events.codec(), offset, event);
                    applied = offset;
                    return bytes < BATCH_BYTES;
                });
            }
            applier.drain();
            EventApplier.mark(access, applied);
            access.end();
            write.commit();
            return applied;
        }

        private void apply(EventCodec codec, long offset, org.agrona.DirectBuffer event) {
            bytes += event.capacity();
            switch (codec.decodeHeader(event, offset)) {
                case Event.Commit commit -> {
                    CommitHeader header = commit.header();
                    applier.beginCommit(header);
                    changes(codec, offset, event);
                    applier.endCommit(header);
                }
                case Event.BranchFastForwarded moved -> {
                    applier.beginChanges(moved.targetIncarnation(), offset);
                    changes(codec, offset, event);
                    applier.endFastForward(moved);
                }
                case Event.BranchCreated created -> applier.apply(created);
                case Event.BranchDeleted deleted -> applier.apply(deleted);
                case Event.WriteRemembered remembered -> applier.apply(remembered);
                case Event.TagCreated created -> applier.apply(created);
                case Event.TagDeleted deleted -> applier.apply(deleted);
                case Event.HistoryReclaimed reclaimed -> applier.apply(reclaimed);
            }
        }

        private void changes(EventCodec codec, long offset, org.agrona.DirectBuffer event) {
            codec.changes(event, offset, reader);
            while (reader.next()) {
                applier.change(reader);
                changes++;
            }
        }

        @Override
        public void close() {
            access.end();
            write.close();
            applier.close();
            puts.close();
        }
    }
}
