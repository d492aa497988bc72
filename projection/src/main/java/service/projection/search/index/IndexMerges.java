package service.projection.search.index;

import java.io.IOException;
import org.apache.lucene.index.MergePolicy;
import org.apache.lucene.index.MergeScheduler;
import org.apache.lucene.index.MergeTrigger;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FilterDirectory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexOutput;
import org.apache.lucene.store.RateLimitedIndexOutput;
import org.apache.lucene.store.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * Merges on the thread that indexes, as far as the process has memory for it, and measures how long it takes. Any
 * thread may {@link #stop} it: a merge of a graph of neighbours takes minutes, and a server has to end before. A merge
 * that is given up leaves the segments as they were, and a later one takes them.
 */
final class IndexMerges extends MergeScheduler {
    private final SearchMemory memory;
    private final WorkTimes times;
    private final long bytesPerDocument;
    private volatile MergePolicy.@Nullable OneMerge running;
    private volatile boolean stopped;

    /** @param bytesPerDocument heap of a merge for each document */
    IndexMerges(SearchMemory memory, WorkTimes times, long bytesPerDocument) {
        this.memory = memory;
        this.times = times;
        this.bytesPerDocument = bytesPerDocument;
    }

    @Override
    public void merge(MergeSource source, MergeTrigger trigger) throws IOException {
        if (!source.hasPendingMerges()) {
            return;
        }
        long beganNanos = System.nanoTime();
        for (MergePolicy.OneMerge next = source.getNextMerge(); next != null; next = source.getNextMerge()) {
            merge(source, next);
        }
        times.since(WorkTimes.Work.MERGE, beganNanos);
    }

    private void merge(MergeSource source, MergePolicy.OneMerge merge) throws IOException {
        long bytes = bytesPerDocument * merge.totalNumDocs();
        boolean isPaid = memory.tryReserve(bytes);
        running = merge;
        try {
            if (!isPaid || stopped) {
                merge.setAborted();
            }
            // Lucene takes one that is aborted off its list.
            source.merge(merge);
        } finally {
            running = null;
            if (isPaid) {
                memory.release(bytes);
            }
        }
    }

    /** Gives up the merge that runs, and all later ones. Returns at once. */
    void stop() {
        stopped = true;
        MergePolicy.OneMerge merge = running;
        if (merge != null) {
            merge.setAborted();
        }
    }

    /** Where it writes, it looks now and then whether it was stopped; the building of a graph looks by itself. */
    @Override
    public Directory wrapForMerge(MergePolicy.OneMerge merge, Directory in) {
        RateLimiter looks = new Looks(merge);
        return new FilterDirectory(in) {
            @Override
            public IndexOutput createOutput(String name, IOContext context) throws IOException {
                return new RateLimitedIndexOutput(looks, in.createOutput(name, context));
            }
        };
    }

    private static final class Looks extends RateLimiter {
        private static final long BYTES = 1 << 18;

        private final MergePolicy.OneMerge merge;

        Looks(MergePolicy.OneMerge merge) {
            this.merge = merge;
        }

        @Override
        public void setMBPerSec(double rate) {}

        @Override
        public double getMBPerSec() {
            return Double.POSITIVE_INFINITY;
        }

        @Override
        public long pause(long bytes) throws IOException {
            merge.checkAborted();
            return 0;
        }

        @Override
        public long getMinPauseCheckBytes() {
            return BYTES;
        }
    }

    @Override
    public void close() {}
}
