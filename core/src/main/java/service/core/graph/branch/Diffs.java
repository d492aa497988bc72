package service.core.graph.branch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.budget.ProcessBudget;
import service.core.budget.RequestBudget;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.ChangeReader;
import service.core.event.SchemaChange;
import service.core.graph.feed.ChangeSelection;
import service.core.graph.feed.FeedFilter;
import service.core.graph.feed.FeedToken;
import service.core.graph.request.CommitRefs;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/**
 * The net entity changes between two states, in pages. Commits do not change, so the changes between two of them are
 * computed once and kept for the following pages: a page costs in proportion to its content. Any thread.
 */
public final class Diffs {
    private final GraphStorage storage;
    private final FeedToken tokens;
    private final KeptDiffs kept;

    public Diffs(GraphStorage storage, ProcessBudget process) {
        this.storage = storage;
        this.tokens = new FeedToken(storage::secret);
        this.kept = new KeptDiffs(process);
    }

    /**
     * Passes on one page.
     *
     * @param states what to compare; with a token its names may be null, and where it begins follows from the token
     * @return the token of the next page, or null after the last
     */
    public @Nullable String page(
            Caller caller,
            DiffStates states,
            @Nullable String pageToken,
            ChangeSelection selection,
            Settings settings,
            RequestBudget budget,
            DiffSink sink) {
        FeedToken.DiffPage page = pageToken == null ? null : tokens.readDiffPage(pageToken);
        FeedToken.DiffNames names =
                page == null ? names(states.from(), states.to()) : repeated(page, states.from(), states.to());
        KeptDiffs.Ends ends = ends(caller, page, names, states.since(), TimeBudget.start("the diff", settings, budget));
        KeptDiffs.Diff diff = kept.get(ends, budget, () -> diff(ends, settings, budget));
        FeedFilter filter = page == null ? FeedFilter.between(diff.before, diff.after, selection) : page.filter();
        if (page != null
                && !selection.isAll()
                && !filter.equals(FeedFilter.between(diff.before, diff.after, selection))) {
            throw ServiceException.badRequest(
                    Reason.TOKEN,
                    "page token rejected: it was made with other filters; repeat those of the first page");
        }
        long next = show(diff, filter, page == null ? 0 : page.next(), page == null, sink);
        return next < 0 ? null : tokens.diffPage(new FeedToken.DiffPage(ends.from(), ends.to(), names, next, filter));
    }

    /**
     * Passes on changes from an index.
     *
     * @return the index of the change that did not fit, or −1 at the end
     */
    private static long show(KeptDiffs.Diff diff, FeedFilter filter, long from, boolean isFirst, DiffSink sink) {
        boolean schema = isFirst && !diff.before.fingerprint().equals(diff.after.fingerprint());
        sink.begin(schema ? diff.after.digest() : null, schema ? diff.steps : List.of());
        if (from >= diff.changes.count()) {
            return -1;
        }
        ChangeReader reader = diff.changes.reader();
        diff.changes.moveTo(reader, (int) from);
        long index = from;
        do {
            if (filter.accepts(reader) && !sink.change(diff.before, diff.after, reader.change())) {
                return index;
            }
            index++;
        } while (reader.next());
        return -1;
    }

    private static FeedToken.DiffNames names(@Nullable String from, @Nullable String to) {
        if (from == null || to == null) {
            throw ServiceException.badRequest(
                    "`from` and `to` are required: each a branch, a commit id or another ref");
        }
        return new FeedToken.DiffNames(from, to);
    }

    /** The names that a token contains. Names given together with the token must be the same. */
    private static FeedToken.DiffNames repeated(FeedToken.DiffPage page, @Nullable String from, @Nullable String to) {
        boolean alone = from == null && to == null;
        if (!alone && !(page.names().from().equals(from) && page.names().to().equals(to))) {
            throw ServiceException.badRequest(
                    Reason.TOKEN,
                    "page token rejected: it belongs to a diff between other states;"
                            + " repeat `from` and `to` of the first page, or leave out both");
        }
        return page.names();
    }

    private KeptDiffs.Ends ends(
            Caller caller,
            FeedToken.@Nullable DiffPage page,
            FeedToken.DiffNames names,
            DiffStates.Since since,
            TimeBudget time) {
        try (GraphSession session = storage.session()) {
            KeptDiffs.Ends ends = page == null
                    ? begin(
                            session,
                            commit(session, names.from(), caller, time),
                            commit(session, names.to(), caller, time),
                            since,
                            time)
                    : new KeptDiffs.Ends(
                            visible(session, page.from(), names.from(), caller),
                            visible(session, page.to(), names.to(), caller));
            return new KeptDiffs.Ends(readable(session, ends.from()), readable(session, ends.to()));
        }
    }

    private static KeptDiffs.Ends begin(
            GraphSession session, Ulid from, Ulid to, DiffStates.Since since, TimeBudget time) {
        if (since == DiffStates.Since.FROM) {
            return new KeptDiffs.Ends(from, to);
        }
        CommitGraph graph = new CommitGraph(session, time);
        CommitGraph.Place base = graph.mergeBase(graph.place(from), graph.place(to));
        return new KeptDiffs.Ends(session.header(base.offset()).id(), to);
    }

    /** The commit in a page token, for a caller who may still read the state by which it was named. */
    private static Ulid visible(GraphSession session, Ulid commit, String name, Caller caller) {
        if (CommitRefs.namesCommit(session, name, caller)) {
            Targets.readableCommit(session, name, caller);
        } else if (!isBranch(session, name, caller)) {
            Targets.readableCommit(session, commit.toString(), caller);
        } else if (!caller.may(Action.READ, name)) {
            throw Targets.missing(session, name, caller);
        }
        return commit;
    }

    private static Ulid commit(GraphSession session, String name, Caller caller, TimeBudget time) {
        if (CommitRefs.namesCommit(session, name, caller)) {
            Targets.readableCommit(session, name, caller);
            return Ulid.parse(name);
        }
        return isBranch(session, name, caller)
                ? Targets.readable(session, name, caller).head()
                : CommitRefs.resolve(session, name, caller, time).id();
    }

    /** Whether a name means a branch, if one that the caller cannot see: any other ref names a commit. */
    private static boolean isBranch(GraphSession session, String name, Caller caller) {
        return CommitRefs.tag(session, name, caller) == null
                && (CommitRefs.namesBranch(session, name, caller)
                        || (Branches.mayBeName(name) && UlidSuffix.parse(name) == null));
    }

    /**
     * Refuses a state that cleanup has reclaimed, even if its changes are still kept here or could be computed from
     * later commits.
     */
    private static Ulid readable(GraphSession session, Ulid commit) {
        Targets.requireState(
                session, Targets.position(session, commit.toString()).point());
        return commit;
    }

    private KeptDiffs.Diff diff(KeptDiffs.Ends ends, Settings settings, RequestBudget budget) {
        TimeBudget time = TimeBudget.start("the diff", settings, budget);
        try (GraphSession session = storage.session()) {
            CommitGraph graph = new CommitGraph(session, time);
            CommitGraph.Place from = graph.place(ends.from());
            CommitGraph.Place to = graph.place(ends.to());
            Catalog before = catalog(session, ends.from());
            Catalog after = catalog(session, ends.to());
            return new KeptDiffs.Diff(
                    before,
                    after,
                    before.fingerprint().equals(after.fingerprint()) ? List.of() : steps(session, graph, from, to),
                    new NetChanges(session, graph, time, budget).between(from, to));
        }
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
