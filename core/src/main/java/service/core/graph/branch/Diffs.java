package service.core.graph.branch;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.event.EntityChange;
import service.core.event.Image;
import service.core.event.SchemaChange;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedFilter;
import service.core.graph.feed.FeedToken;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.port.Branch;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.schema.Catalog;
import service.core.value.Ulid;

/**
 * The net entity changes between two states, by pages. Commits do not change, so the changes between two of them are
 * worked out once and kept for the pages that follow, while they are not too large: then a page costs what it shows.
 * Any thread.
 */
public final class Diffs {
    private static final long KEPT_BYTES_MAX = 32L << 20;
    private static final Duration KEPT = Duration.ofMinutes(2);
    private static final int CHANGE_BYTES = 160;

    private record Ends(Ulid from, Ulid to) {}

    /** What lies between two commits; the whole of it, unfiltered. */
    private record Between(Catalog before, Catalog after, List<String> steps, List<EntityChange> changes) {
        int weight() {
            long bytes = 0;
            for (EntityChange change : changes) {
                bytes += CHANGE_BYTES + weight(change.before()) + weight(change.after());
            }
            return (int) Math.min(Integer.MAX_VALUE, bytes);
        }

        private static int weight(@Nullable Image image) {
            return image == null ? 0 : image.properties().bytes().length;
        }
    }

    private final GraphStorage storage;
    private final FeedToken tokens;
    private final Cache<Ends, Between> kept = Caffeine.newBuilder()
            .maximumWeight(KEPT_BYTES_MAX)
            .weigher((Ends ends, Between between) -> between.weight())
            .expireAfterAccess(KEPT)
            .build();

    public Diffs(GraphStorage storage) {
        this.storage = storage;
        this.tokens = new FeedToken(storage.secret());
    }

    /**
     * Shows one page.
     *
     * @param from a branch or a commit id; null only with a token
     * @param to a branch or a commit id; null only with a token
     * @return the token of the next page, or null after the last
     */
    public @Nullable String page(
            @Nullable String from,
            @Nullable String to,
            @Nullable String pageToken,
            ChangeSelection selection,
            Settings settings,
            DiffSink sink) {
        FeedToken.DiffPage page = pageToken == null ? null : tokens.readDiffPage(pageToken);
        long names = page == null ? names(from, to) : repeated(page, from, to);
        Ends ends = ends(page, from, to);
        Between between = between(ends, settings);
        FeedFilter filter = page == null ? FeedFilter.of(between.after, selection) : page.filter();
        if (page != null && !selection.isAll() && !filter.equals(FeedFilter.of(between.after, selection))) {
            throw ServiceException.badRequest(
                    "page token rejected: it was made with other filters; repeat those of the first page");
        }
        boolean schema = !between.before.digest().equals(between.after.digest());
        boolean first = page == null;
        sink.begin(schema && first ? between.after.digest() : null, schema && first ? between.steps : List.of());
        long place = 0;
        for (EntityChange change : between.changes) {
            if (!filter.accepts(change)) {
                continue;
            }
            boolean seen = page != null && place < page.shown();
            if (!seen && !sink.change(between.before, between.after, change)) {
                return tokens.diffPage(new FeedToken.DiffPage(ends.from, ends.to, names, place, filter));
            }
            place++;
        }
        return null;
    }

    private static long names(@Nullable String from, @Nullable String to) {
        if (from == null || to == null) {
            throw ServiceException.badRequest("`from` and `to` are required: each the name of a branch or a commit id");
        }
        return FeedToken.names(from, to);
    }

    /** The names that a token stands for; what is given beside it must be the same. */
    private static long repeated(FeedToken.DiffPage page, @Nullable String from, @Nullable String to) {
        boolean alone = from == null && to == null;
        if (!alone && (from == null || to == null || FeedToken.names(from, to) != page.names())) {
            throw ServiceException.badRequest("page token rejected: it goes on with a diff between other states;"
                    + " repeat `from` and `to` of the first page, or leave out both");
        }
        return page.names();
    }

    private Ends ends(FeedToken.@Nullable DiffPage page, @Nullable String from, @Nullable String to) {
        try (GraphSession session = storage.session()) {
            Ends ends = page == null
                    ? new Ends(commit(session, from), commit(session, to))
                    : new Ends(page.from(), page.to());
            requireReadable(session, ends.from);
            requireReadable(session, ends.to);
            return ends;
        }
    }

    private static Ulid commit(GraphSession session, @Nullable String name) {
        if (name == null) {
            throw new IllegalArgumentException("no state is named");
        }
        Branch branch = session.branch(name);
        if (branch != null) {
            return branch.head();
        }
        if (Ulid.isUlid(name)) {
            Targets.position(session, name);
            return Ulid.parse(name);
        }
        return Targets.branch(session, name).head();
    }

    /**
     * Refuses a state that cleanup has reclaimed, even where its changes are still kept here, or could be told from the
     * commits that came behind it.
     */
    private static void requireReadable(GraphSession session, Ulid commit) {
        session.view(Targets.position(session, commit.toString()).point());
    }

    private Between between(Ends ends, Settings settings) {
        Between known = kept.getIfPresent(ends);
        if (known != null) {
            return known;
        }
        TimeBudget time = TimeBudget.start("the diff", settings);
        Between found;
        try (GraphSession session = storage.session()) {
            CommitGraph graph = new CommitGraph(session, time);
            CommitGraph.Place from = graph.place(ends.from);
            CommitGraph.Place to = graph.place(ends.to);
            Catalog before = catalog(session, ends.from);
            Catalog after = catalog(session, ends.to);
            found = new Between(
                    before,
                    after,
                    before.digest().equals(after.digest()) ? List.of() : steps(session, graph, from, to),
                    new NetChanges(session, graph, time).between(from, to).changes());
        }
        if (found.weight() <= KEPT_BYTES_MAX) {
            kept.put(ends, found);
        }
        return found;
    }

    private static Catalog catalog(GraphSession session, Ulid commit) {
        CommitPosition position = Targets.position(session, commit.toString());
        return session.catalog(position.point());
    }

    private static List<String> steps(
            GraphSession session, CommitGraph graph, CommitGraph.Place from, CommitGraph.Place to) {
        List<String> steps = new ArrayList<>();
        if (graph.isFirstParentAncestor(from, to)) {
            for (long offset : graph.changedSince(from, to).offsets()) {
                SchemaChange change = session.header(offset).schema();
                if (change != null) {
                    steps.addAll(change.steps());
                }
            }
        }
        return steps;
    }
}
