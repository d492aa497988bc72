package service.projection.search.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.SearchIndex;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.log.files.FileTrees;
import service.log.format.EventLog;
import service.projection.search.SearchOptions;
import service.projection.table.AppliedTable;
import service.projection.table.CatalogSource;
import service.projection.table.ProjectionEnvironment;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;
import service.projection.view.Sessions;
import service.projection.view.TextSource;
import service.projection.view.ViewSource;

/**
 * The indexes of one graph, and what they say about its views. Any thread.
 *
 * <pre>
 *  search/0/text/    the texts of main, a directory of Lucene; deleted when it is damaged, of another layout, or ahead
 * </pre>
 */
public final class GraphSearch implements SearchIndex, TextSource, AutoCloseable {
    private final SearchOptions options;
    private final Sessions sessions;
    private final Path path;
    private final Indexer indexer;

    /** Indexes nothing before {@link #start}. */
    public GraphSearch(ProjectionEnvironment environment, EventLog log, CatalogSource catalogs, SearchOptions options) {
        this.options = options;
        Sessions tables = new Sessions(environment, log, catalogs, ViewSource.TABLES);
        this.sessions = new Sessions(environment, log, catalogs, ViewSource.tables(this));
        this.path = textOfMain(log.directory());
        this.indexer = new Indexer(path, log.graph(), options, stopped -> new EntityFeed(environment, tables, stopped));
    }

    private static Path textOfMain(Path graph) {
        return graph.resolve(SearchOptions.DIRECTORY).resolve("0").resolve("text");
    }

    /** The offset that the index on disk shows; −1 without one. Cleanup keeps the arrivals after it. */
    public long durablePosition() {
        return OwnIndex.positionOf(path);
    }

    /** Deletes the indexes of a graph that is not open. */
    public static void drop(Path graph) {
        FileTrees.deleteOrWarn(graph.resolve(SearchOptions.DIRECTORY));
    }

    /** Begins to open or build the indexes, beside. */
    public void start(long applied) {
        indexer.committed(applied);
    }

    /** Tells that events are in the tables; returns at once. */
    public void committed(long offset) {
        indexer.committed(offset);
    }

    /** Removes texts that a cleanup has reclaimed from the files. */
    public void purge() {
        indexer.purge();
    }

    @Override
    public @Nullable TextIndex texts(TableAccess access, Chain chain, GraphView view) {
        if (chain.incarnation(chain.length() - 1) != 0) {
            return null;
        }
        IndexSnapshot snapshot = indexer.take(AppliedTable.offset(access));
        if (snapshot == null) {
            return null;
        }
        Difference difference = SearchMemory.SHARED.find(snapshot, chain);
        if (difference == null) {
            difference = Difference.of(access, chain, snapshot);
            if (difference == null) {
                snapshot.give();
                return null;
            }
            SearchMemory.SHARED.keep(snapshot, chain, difference, options.memoryBytesMax());
        }
        return new ViewTexts(view, difference, options.memoryBytesMax(), indexer::damaged);
    }

    @Override
    public SearchStatus status() {
        Indexer.State now = indexer.state();
        List<SearchStatus.IndexState> indexes = new ArrayList<>();
        long all = Math.max(1, now.fields().stream().mapToLong(indexer::indexed).sum());
        for (IndexedField field : now.fields()) {
            long indexed = indexer.indexed(field);
            indexes.add(new SearchStatus.IndexState(
                    field.named(), now.what(), now.reason(), indexed, now.bytes() * indexed / all));
        }
        indexes.sort(Comparator.comparing(each -> each.property().typeName()));
        return new SearchStatus(true, indexer.position(), indexes, List.of());
    }

    @Override
    public void rebuild(Set<SearchStatus.Property> properties) {
        Objects.requireNonNull(properties);
        // All texts are fields of the same documents.
        indexer.rebuild();
    }

    @Override
    public Comparison compare(String branch) {
        return compare(sessions, branch);
    }

    /** Compares the texts that views of sessions know with the records. */
    private static Comparison compare(Sessions sessions, String branch) {
        try (GraphSession session = sessions.reading()) {
            Branch found = session.branch(branch);
            if (found == null) {
                throw ServiceException.notFound("there is no branch `" + branch + "`");
            }
            try (GraphView view = session.view(found.headPoint())) {
                return view.texts() instanceof ViewTexts texts
                        ? new Comparison(
                                true,
                                IndexedField.of(view.catalog()).stream()
                                        .map(texts::difference)
                                        .filter(Objects::nonNull)
                                        .findFirst()
                                        .orElse(null))
                        : Comparison.NOTHING;
            }
        }
    }

    /** Compares the last commit of the index on disk, for a process that only reads; as {@link #compare(String)}. */
    public static Comparison compareCommitted(
            ProjectionEnvironment environment,
            EventLog log,
            CatalogSource catalogs,
            SearchOptions options,
            String branch) {
        TextSource committed = (access, chain, view) -> {
            if (chain.incarnation(chain.length() - 1) != 0) {
                return null;
            }
            IndexSnapshot snapshot = readCommitted(log, access, view);
            Difference difference = snapshot == null ? null : Difference.of(access, chain, snapshot);
            if (snapshot != null && difference == null) {
                snapshot.give();
            }
            return difference == null
                    ? null
                    : new ViewTexts(view, difference, options.memoryBytesMax(), damage -> {
                        throw new UnreadableIndex(damage);
                    });
        };
        try {
            return compare(new Sessions(environment, log, catalogs, ViewSource.tables(committed)), branch);
        } catch (UnreadableIndex unreadable) {
            return new Comparison(true, unreadable.getMessage());
        }
    }

    private static @Nullable IndexSnapshot readCommitted(EventLog log, TableAccess access, GraphView view) {
        try {
            return OwnIndex.read(
                    textOfMain(log.directory()),
                    log.graph(),
                    IndexedField.of(view.catalog()),
                    AppliedTable.offset(access));
        } catch (IOException e) {
            throw new UnreadableIndex(e);
        }
    }

    /** The files of an index are damaged, or the disk fails. */
    private static final class UnreadableIndex extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnreadableIndex(Exception cause) {
            super(
                    "the index cannot be read: " + cause.getMessage() + "; `service search rebuild` builds it anew",
                    cause);
        }
    }

    @Override
    public void close() {
        indexer.close();
    }
}
