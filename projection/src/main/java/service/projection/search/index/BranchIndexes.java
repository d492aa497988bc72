package service.projection.search.index;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.port.SearchGauges;
import service.core.port.SearchStatus;
import service.log.files.FileTrees;

/**
 * The indexes of what branches of one graph have written. A branch gets one when a search meets many changes of it, and
 * keeps it until it is deleted or {@link BranchIndexLimit} takes it; the next search makes it again. Any thread.
 */
final class BranchIndexes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BranchIndexes.class);

    private final Path files;
    private final SearchOptions.Branches options;
    private final Maker maker;
    private final Map<Integer, Indexer> indexers = new ConcurrentHashMap<>();
    private volatile long committed;
    private boolean isClosed;

    /** Makes the indexer of a branch. */
    interface Maker {
        /**
         * Makes one.
         *
         * @param done is told after each round that has changed or ended it
         */
        Indexer make(int incarnation, Consumer<Indexer> done);
    }

    /** @param files the directory of the graph */
    BranchIndexes(Path files, SearchOptions.Branches options, Maker maker) {
        this.files = files;
        this.options = options;
        this.maker = maker;
    }

    /** Begins to open what is on the disk. Those of branches that were deleted meanwhile go. */
    void start(long applied) {
        committed = applied;
        Path folder = files.resolve(SearchOptions.DIRECTORY);
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "[1-9]*")) {
            for (Path each : found) {
                want(Integer.parseInt(each.getFileName().toString()));
            }
        } catch (IOException | NumberFormatException e) {
            LOG.warn("{}: some search indexes of branches were not opened: {}", folder, e.toString());
        }
    }

    /** Begins to make the index of a branch. Returns at once. */
    void want(int incarnation) {
        if (!indexers.containsKey(incarnation)) {
            make(incarnation);
        }
    }

    private synchronized void make(int incarnation) {
        if (!isClosed) {
            Indexer made = indexers.computeIfAbsent(incarnation, any -> maker.make(any, this::done));
            BranchIndexLimit.SHARED.used(made, () -> discard(incarnation), options);
            made.committed(committed);
        }
    }

    private void done(Indexer indexer) {
        if (indexer.isEnded()) {
            discard(indexer.place().incarnation());
        } else {
            BranchIndexLimit.SHARED.grown(indexer, options);
        }
    }

    /** Tells that events are in the tables; returns at once. */
    void committed(long offset) {
        committed = offset;
        indexers.values().forEach(indexer -> indexer.committed(offset));
    }

    /** The newest snapshot of a branch that is not ahead of a transaction, kept open; none without one. */
    LinkIndexes.Link take(int incarnation, long applied) {
        Indexer indexer = indexers.get(incarnation);
        if (indexer == null) {
            return LinkIndexes.Link.NONE;
        }
        BranchIndexLimit.SHARED.used(indexer, () -> discard(incarnation), options);
        return new LinkIndexes.Link(indexer.snapshots().take(applied), indexer.branch());
    }

    /** Drops the index of a branch. */
    void discard(int incarnation) {
        Indexer indexer = indexers.get(incarnation);
        if (indexer != null) {
            // It is known until its files are deleted, so that no other one is made over them.
            indexer.discard();
            FileTrees.deleteOrWarn(indexer.place().folder());
            indexers.remove(incarnation, indexer);
            BranchIndexLimit.SHARED.forget(indexer);
        }
    }

    /** Drops all. */
    void discard() {
        indexers.keySet().forEach(this::discard);
    }

    /** Removes texts that a cleanup has reclaimed from the files. */
    void purge() {
        indexers.values().forEach(Indexer::purge);
    }

    /** All together. */
    SearchGauges.Index gauges() {
        long bytes = 0;
        long documents = 0;
        long deleted = 0;
        for (Indexer indexer : indexers.values()) {
            bytes += indexer.state().bytes();
            documents += indexer.snapshots().documents();
            deleted += indexer.snapshots().deleted();
        }
        return new SearchGauges.Index("branches", bytes, documents, deleted);
    }

    List<SearchStatus.BranchIndex> status() {
        List<SearchStatus.BranchIndex> all = new ArrayList<>();
        indexers.forEach((incarnation, indexer) -> all.add(new SearchStatus.BranchIndex(
                incarnation, indexer.snapshots().documents(), indexer.state().bytes())));
        all.sort(Comparator.comparingInt(SearchStatus.BranchIndex::incarnation));
        return all;
    }

    /** Closes them; the files stay. */
    @Override
    public synchronized void close() {
        isClosed = true;
        indexers.values().forEach(indexer -> {
            indexer.close();
            BranchIndexLimit.SHARED.forget(indexer);
        });
        indexers.clear();
    }
}
