package service.projection.search.index;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.SearchGauges;
import service.core.port.SearchIndex;
import service.core.port.SearchStatus;
import service.core.port.TextIndex;
import service.log.files.FileTrees;
import service.log.format.EventLog;
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
 *  search/0/vectors/ the vectors of large types, with their graph of neighbours; the same holds for it
 *  search/N/text/    what the branch of incarnation N has written
 * </pre>
 */
public final class GraphSearch implements SearchIndex, TextSource, AutoCloseable {
    private final SearchOptions options;
    private final Sessions sessions;
    private final IndexPlace main;
    private final Indexer indexer;
    private final Indexer vectors;
    private final BranchIndexes branches;
    private final KnownViews views;

    /** Indexes nothing before {@link #start}. */
    public GraphSearch(ProjectionEnvironment environment, EventLog log, CatalogSource catalogs, SearchOptions options) {
        this.options = options;
        this.views = new KnownViews(options.memory());
        Sessions tables = new Sessions(environment, log, catalogs, ViewSource.TABLES);
        this.sessions = new Sessions(environment, log, catalogs, ViewSource.tables(this));
        this.main = IndexPlace.ofTexts(log.directory(), log.graph(), 0);
        this.indexer = new Indexer(
                main,
                options,
                views,
                stopped -> new EntityFeed(environment, tables, 0, EntityFeed.Fields.TEXTS, stopped),
                indexed -> {});
        VectorFields chosen = new VectorFields(options.vectorsMin());
        this.vectors = new Indexer(
                IndexPlace.ofVectors(log.directory(), log.graph()),
                options,
                views,
                stopped -> new EntityFeed(environment, tables, 0, chosen, stopped),
                indexed -> {});
        this.branches = new BranchIndexes(
                log.directory(),
                options.branches(),
                (incarnation, done) -> new Indexer(
                        IndexPlace.ofTexts(log.directory(), log.graph(), incarnation),
                        options,
                        views,
                        stopped -> new EntityFeed(environment, tables, incarnation, EntityFeed.Fields.TEXTS, stopped),
                        done));
    }

    /** The lowest offset that an index on disk shows; −1 without one. Cleanup keeps the arrivals after it. */
    public long durablePosition() {
        long ofTexts = OwnIndex.positionOf(main.directory());
        long ofVectors = OwnIndex.positionOf(vectors.place().directory());
        return ofTexts < 0 || ofVectors < 0 ? Math.max(ofTexts, ofVectors) : Math.min(ofTexts, ofVectors);
    }

    /** Deletes the indexes of a graph that is not open. */
    public static void drop(Path graph) {
        FileTrees.deleteOrWarn(graph.resolve(SearchOptions.DIRECTORY));
    }

    /** Begins to open or build the indexes, beside. */
    public void start(long applied) {
        indexer.committed(applied);
        vectors.committed(applied);
        branches.start(applied);
    }

    /** Tells that events are in the tables; returns at once. */
    public void committed(long offset) {
        indexer.committed(offset);
        vectors.committed(offset);
        branches.committed(offset);
    }

    /** Removes texts that a cleanup has reclaimed from the files. */
    public void purge() {
        indexer.purge();
        vectors.purge();
        branches.purge();
    }

    @Override
    public @Nullable TextIndex texts(TableAccess access, Chain chain, GraphView view) {
        if (chain.incarnation(chain.length() - 1) != 0) {
            return null;
        }
        long applied = AppliedTable.offset(access);
        IndexReading ofTexts = reading(
                access,
                chain,
                view,
                take(chain, applied),
                options.branches().entities(),
                IndexedField.of(view.catalog()),
                failure -> damaged(chain, failure));
        if (ofTexts == null && vectors.snapshots().newest() == null) {
            return null;
        }
        return new ViewIndexes(
                ofTexts == null ? null : new ViewTexts(ofTexts), () -> vectors(access, chain, view, applied));
    }

    private @Nullable ViewVectors vectors(TableAccess access, Chain chain, GraphView view, long applied) {
        IndexSnapshot ofMain = vectors.snapshots().take(applied);
        IndexReading reading = reading(
                access,
                chain,
                view,
                ofMain == null ? null : LinkIndexes.ofMain(chain, ofMain),
                Integer.MAX_VALUE,
                IndexedField.vectors(view.catalog()),
                vectors::damaged);
        return reading == null ? null : new ViewVectors(reading);
    }

    /**
     * Opens indexes for a view.
     *
     * @param own from more changes on a branch gets its own index of texts
     * @return null without indexes, and where a view differs too much from them
     */
    private @Nullable IndexReading reading(
            TableAccess access,
            Chain chain,
            GraphView view,
            @Nullable LinkIndexes indexes,
            int own,
            List<IndexedField> fields,
            Consumer<Exception> damaged) {
        if (indexes == null) {
            return null;
        }
        Difference difference = views.take(access, chain, indexes, own, branches::want);
        if (difference == null) {
            indexes.give();
            return null;
        }
        return new IndexReading(view, indexes, difference, options.memory(), fields, damaged);
    }

    private @Nullable LinkIndexes take(Chain chain, long applied) {
        IndexSnapshot ofMain = indexer.snapshots().take(applied);
        if (ofMain == null) {
            return null;
        }
        List<LinkIndexes.Link> links = new ArrayList<>();
        for (int link = 0; link < chain.length() - 1; link++) {
            links.add(branches.take(chain.incarnation(link), applied));
        }
        links.add(new LinkIndexes.Link(ofMain, Branch.MAIN));
        return new LinkIndexes(links);
    }

    /** One of the indexes cannot be read. Which one is not known, and all can be made again. */
    private void damaged(Chain chain, Exception failure) {
        indexer.damaged(failure);
        for (int link = 0; link < chain.length() - 1; link++) {
            int incarnation = chain.incarnation(link);
            SearchThreads.after(0, () -> branches.discard(incarnation));
        }
    }

    @Override
    public SearchGauges gauges() {
        return new SearchGauges(
                indexer.lagCommits(),
                indexer.lagSeconds(),
                List.of(
                        new SearchGauges.Index(
                                Branch.MAIN,
                                indexer.state().bytes(),
                                indexer.snapshots().documents(),
                                indexer.snapshots().deleted()),
                        branches.gauges()),
                views.times().seconds());
    }

    @Override
    public SearchStatus status() {
        List<SearchStatus.IndexState> indexes = new ArrayList<>();
        addStates(indexer, indexes);
        addStates(vectors, indexes);
        indexes.sort(Comparator.comparing(each -> each.property().typeName()));
        return new SearchStatus(true, indexer.snapshots().position(), indexes, branches.status());
    }

    private static void addStates(Indexer of, List<SearchStatus.IndexState> into) {
        Indexer.State now = of.state();
        Snapshots snapshots = of.snapshots();
        long all =
                Math.max(1, now.fields().stream().mapToLong(snapshots::indexed).sum());
        for (IndexedField field : now.fields()) {
            long indexed = snapshots.indexed(field);
            into.add(new SearchStatus.IndexState(
                    field.named(), now.what(), now.reason(), indexed, now.bytes() * indexed / all));
        }
    }

    @Override
    public void rebuild(Set<SearchStatus.Property> properties) {
        Objects.requireNonNull(properties);
        // All texts are fields of the same documents.
        indexer.rebuild();
        vectors.rebuild();
        SearchThreads.after(0, branches::discard);
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
                ViewTexts texts = view.texts() instanceof ViewIndexes known ? known.texts() : null;
                return texts != null
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
            SearchMemory memory = options.memory();
            LinkIndexes indexes = readCommitted(log, access, chain, view, memory);
            if (indexes == null) {
                return null;
            }
            Difference difference = Difference.of(access, chain, indexes, memory, Integer.MAX_VALUE, large -> {});
            if (difference == null) {
                indexes.give();
                return null;
            }
            memory.forget(difference);
            IndexReading reading =
                    new IndexReading(view, indexes, difference, memory, IndexedField.of(view.catalog()), damage -> {
                        throw new UnreadableIndex(damage);
                    });
            return new ViewIndexes(new ViewTexts(reading), () -> null);
        };
        try {
            return compare(new Sessions(environment, log, catalogs, ViewSource.tables(committed)), branch);
        } catch (UnreadableIndex unreadable) {
            return new Comparison(true, unreadable.getMessage());
        }
    }

    private static @Nullable LinkIndexes readCommitted(
            EventLog log, TableAccess access, Chain chain, GraphView view, SearchMemory memory) {
        List<IndexedField> fields = IndexedField.of(view.catalog());
        List<LinkIndexes.Link> links = new ArrayList<>();
        try {
            for (int link = 0; link < chain.length(); link++) {
                IndexPlace place = IndexPlace.ofTexts(log.directory(), log.graph(), chain.incarnation(link));
                links.add(new LinkIndexes.Link(
                        OwnIndex.read(place, fields, AppliedTable.offset(access), memory), Branch.MAIN));
            }
        } catch (IOException e) {
            new LinkIndexes(links).give();
            throw new UnreadableIndex(e);
        }
        LinkIndexes indexes = new LinkIndexes(links);
        if (indexes.at(chain.length() - 1) == null) {
            indexes.give();
            return null;
        }
        return indexes;
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
        branches.close();
        vectors.close();
        indexer.close();
    }
}
