package service.projection.storage;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import service.core.event.EventCodec;
import service.core.graph.branch.MergeBases;
import service.core.port.GraphSession;
import service.core.port.RetentionPolicy;
import service.core.port.Tag;
import service.log.backup.LogBackup;
import service.log.format.EventLog;
import service.log.format.EventReader;
import service.log.lmdb.ReadTransaction;
import service.log.retain.Retention;
import service.projection.retain.BlobSweep;
import service.projection.retain.ReadNeeds;
import service.projection.retain.RetentionPlan;
import service.projection.retain.StripScan;
import service.projection.retain.TableSweep;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/** Finds what a cleanup would reclaim. Only reads, also beside a process that writes the graph. One thread. */
final class CleanupSearch {
    /** A declared policy runs when the commits to reclaim are at least one tenth of those it keeps. */
    private static final int WORTHWHILE_PART = 10;

    private final EventLog log;
    private final ProjectionEnvironment environment;
    private final CatalogSource catalogs;
    private final LongSupplier clockMicros;
    private final Checkpoints checkpoints;

    CleanupSearch(CleanedGraph graph) {
        this.log = graph.log();
        this.environment = graph.environment();
        this.catalogs = graph.catalogs();
        this.checkpoints = new Checkpoints(log.directory());
        this.clockMicros = graph.clockMicros();
    }

    /**
     * A plan and its effect.
     *
     * @param from the first offset at which an event can lose its images
     * @param bareCommits commits without images whose states are reclaimed
     * @param kept number of events from {@code from} on that keep their images
     * @param pinnedBy tags without which the plan would take more
     */
    record Found(
            Retention plan,
            long from,
            long commits,
            long bareCommits,
            long bytes,
            long kept,
            boolean unpins,
            List<Tag> pinnedBy) {
        boolean isNothing() {
            return commits == 0 && bareCommits == 0 && bytes == 0 && !unpins;
        }

        boolean isWorthwhile() {
            return (commits + bareCommits) * WORTHWHILE_PART >= kept;
        }
    }

    /**
     * Finds what a policy does not keep.
     *
     * @param needs of reads in progress
     */
    Found find(RetentionPolicy policy, ReadNeeds needs) {
        Retention before = log.retention();
        Retention plan;
        long from;
        List<Tag> pinnedBy;
        try (ReadTransaction read = environment.environment().read();
                EventReader events = log.read()) {
            TableAccess access = environment.access(read);
            try (GraphSession session = new Sessions(environment, log, catalogs, ViewSource.TABLES).over(access)) {
                RetentionPlan.Kept kept = new RetentionPlan.Kept(policy, needs, clockMicros.getAsLong());
                plan = RetentionPlan.of(access, events, new MergeBases(session), before, kept);
                from = RetentionPlan.firstChanged(access, before, plan);
                pinnedBy = RetentionPlan.pinning(access, plan);
            } finally {
                access.end();
            }
        }
        long tail = log.tail().offset();
        StripScan scan = new StripScan(log, before, plan, from);
        while (scan.hasNext()) {
            scan.next();
        }
        long kept = from > tail ? 0 : tail + 1 - from - scan.events();
        return new Found(
                plan,
                from,
                scan.commits(),
                scan.bareCommits(),
                scan.bytes(),
                kept,
                plan.pinCount() < before.pinCount(),
                pinnedBy);
    }

    /** {@link RetentionPlan#takesNamed}. */
    boolean takesNamed(Retention before, Retention plan) {
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            try {
                return RetentionPlan.takesNamed(access, before, plan);
            } finally {
                access.end();
            }
        }
    }

    /** Blobs to which no state refers under a plan. */
    private record LostBlobs(long count, long bytes) {}

    private LostBlobs lostBlobs(Found found) {
        BlobSweep lost = BlobSweep.begin(log, environment, catalogs, found.plan());
        if (lost == null) {
            return new LostBlobs(0, 0);
        }
        long count = 0;
        for (List<byte[]> batch = lost.next(); batch != null; batch = lost.next()) {
            count += batch.size();
        }
        return new LostBlobs(count, lost.bytes());
    }

    /** What a plan changes on the disk. Costs a walk over what it takes and over what it leaves. */
    DiskEffect effect(Found found) {
        return found.bytes() == 0 ? DiskEffect.NONE : effect(found, lostBlobs(found));
    }

    private DiskEffect effect(Found found, LostBlobs lost) {
        if (found.bytes() == 0) {
            return DiskEffect.NONE;
        }
        Retention.Base base = log.retention().base();
        return new DiskEffect(
                found.bytes(),
                packedBytes(found.plan()),
                lost.bytes(),
                Checkpoints.packedBytes(environment, found.plan()),
                base == null ? 0 : checkpoints.bytes(base));
    }

    /**
     * What the events lose in a backup. An event that stays may repeat what another one loses, so all are compressed,
     * before and after.
     */
    private long packedBytes(Retention plan) {
        EventCodec codec = new EventCodec();
        return LogBackup.eventBytes(log, (offset, event) -> event.capacity())
                - LogBackup.eventBytes(log, (offset, event) -> StripScan.stays(codec, plan, offset, event));
    }

    /** What a cleanup would reclaim. */
    Cleanup.Report preview(RetentionPolicy policy, ReadNeeds needs) {
        Found found = find(policy, needs);
        if (found.isNothing()) {
            return Cleanup.Report.nothing(found.pinnedBy());
        }
        TableSweep sweep = new TableSweep(found.plan());
        long versions = 0;
        for (TableSweep.Batch batch = next(sweep); batch != null; batch = next(sweep)) {
            versions += batch.keys().size();
        }
        LostBlobs lost = lostBlobs(found);
        DiskEffect effect = effect(found, lost);
        return new Cleanup.Report(
                found.commits(),
                versions,
                found.bytes() + lost.bytes(),
                lost.count(),
                effect.imageGrowth(),
                effect.isSmaller(),
                found.pinnedBy());
    }

    /** The next entries to delete, of one read transaction; null at the end. */
    TableSweep.@Nullable Batch next(TableSweep sweep) {
        try (ReadTransaction read = environment.environment().read()) {
            TableAccess access = environment.access(read);
            try {
                return sweep.next(access);
            } finally {
                access.end();
            }
        }
    }
}
