package service.core.graph.feed;

import com.google.errorprone.annotations.MustBeClosed;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import service.core.budget.RequestBudget;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.graph.read.StateStream;
import service.core.graph.request.History;
import service.core.graph.request.Settings;
import service.core.graph.request.Targets;
import service.core.json.Int64Form;
import service.core.json.JsonWriter;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.port.Branch;
import service.core.port.CommitPosition;
import service.core.port.GraphSession;
import service.core.port.GraphStorage;
import service.core.port.StateHold;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.value.Ulid;

/**
 * The change feed of branches ({@code docs/change-data-capture.md}): pages, streams, the changes of one commit, and
 * baselines. No state is kept between calls: a consumer's position is in its cursor. A session is open only while a
 * page or a piece of a stream is read.
 */
public final class ChangeFeed {
    private static final String AFTER = "after:";

    private final GraphStorage storage;
    private final FeedToken tokens;
    private final CommitWatch watch;
    private final FeedLag lag = new FeedLag(System.nanoTime());
    private final SharedPages pages;

    /** @param pages shared by the graphs of the process */
    public ChangeFeed(GraphStorage storage, SharedPages pages) {
        this.storage = storage;
        this.pages = pages;
        this.tokens = new FeedToken(storage::secret);
        this.watch = new CommitWatch(storage);
    }

    /** Resolves a poll. It holds a read transaction until it is closed. */
    @MustBeClosed
    @SuppressWarnings("MustBeClosedChecker") // the poll closes the session
    public FeedPoll open(Caller caller, FeedRequest request) {
        GraphSession session = storage.session();
        try {
            Resolved resolved = resolve(session, caller, request);
            return new FeedPoll(this, session, caller, resolved, request.settings());
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    FeedToken tokens() {
        return tokens;
    }

    /** Takes how far a consumer has read. */
    void read(Resolved poll, long sequence) {
        Branch branch = poll.branch();
        lag.left(branch.name(), branch.historyLength() - 1 - sequence, System.nanoTime());
    }

    /** {@code GraphAccess.awaitNews}, after this state of a branch. */
    public CompletableFuture<Boolean> news(int incarnation, long headOffset) {
        return watch.await(incarnation, headOffset);
    }

    SharedPages pages() {
        return pages;
    }

    /**
     * A poll whose cursor and filters are checked.
     *
     * @param cursor the one that the poll began with, or null
     * @param cut sequence of its last block
     */
    record Resolved(
            Branch branch, @Nullable String cursor, FeedToken.Place place, long mark, FeedFilter filter, long cut) {
        /** The same up to the present head of the branch. */
        Resolved toHead(Branch now) {
            return new Resolved(now, null, place, mark, filter, now.historyLength() - 1);
        }

        /** What is left after a page. */
        Resolved movedTo(SharedPage.End end) {
            return new Resolved(branch, null, end.place(), end.mark(), filter, cut);
        }

        boolean caughtUp() {
            return cut == branch.historyLength() - 1;
        }
    }

    /** {@code GraphAccess.awaitCommit}. */
    public CompletableFuture<Boolean> arrival(Caller caller, Ulid commit, Duration timeout) {
        CommitPosition position = positionOf(commit);
        if (position == null) {
            return watch.awaitCommit(commit, () -> positionOf(commit) != null, timeout);
        }
        boolean readable;
        try (GraphSession session = storage.session()) {
            readable = caller.may(Action.READ, session.header(position.offset()).branch());
        }
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        return readable
                ? CompletableFuture.completedFuture(true)
                : answer.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private @Nullable CommitPosition positionOf(Ulid commit) {
        try (GraphSession session = storage.session()) {
            return session.position(commit);
        }
    }

    /** Commits that consumers still have to read, by branch: the largest number of the last minute. For metrics. */
    public Map<String, Long> lag() {
        return lag.byBranch(System.nanoTime());
    }

    /** A stream from the position in the request; see {@link FeedStream}. */
    public FeedStream stream(Caller caller, FeedRequest request, FeedSink sink) {
        try (GraphSession session = storage.session()) {
            Resolved from = resolve(session, caller, request);
            return new FeedStream(storage, this, caller, from, request.settings(), sink);
        }
    }

    private Resolved resolve(GraphSession session, Caller caller, FeedRequest request) {
        int starts = (request.cursor() == null ? 0 : 1)
                + (request.start() == null ? 0 : 1)
                + (request.pageToken() == null ? 0 : 1);
        if (starts > 1) {
            throw ServiceException.badRequest(
                    "`cursor`, `start` and `page_token` exclude each other; give one of them");
        }
        if (request.pageToken() != null) {
            return nextPage(session, caller, request, request.pageToken());
        }
        Branch branch = Targets.readable(session, request.branch() == null ? Branch.MAIN : request.branch(), caller);
        FeedFilter filter = filter(session, branch, request);
        FeedToken.Place place = request.cursor() == null
                ? start(session, branch, caller, request.start())
                : resumed(session, branch, request.cursor(), filter);
        return new Resolved(branch, request.cursor(), place, 0, filter, branch.historyLength() - 1);
    }

    /**
     * A consumer that has not yet received the block that renames or drops a type may still name it as at its cursor.
     */
    private FeedFilter filter(GraphSession session, Branch branch, FeedRequest request) {
        if (request.selection().isAll()) {
            return FeedFilter.ALL;
        }
        Catalog head = session.catalog(branch.headPoint());
        FeedToken.Place place = request.cursor() == null ? null : tokens.placeOf(request.cursor());
        if (place == null
                || place.incarnation() != branch.incarnation()
                || place.sequence() < 0
                || place.sequence() >= branch.historyLength()) {
            return FeedFilter.of(head, request.selection());
        }
        CommitHeader last = session.header(session.history(branch.incarnation(), place.sequence()));
        Catalog earlier = session.catalog(new CommitPosition(last.offset(), last.incarnation()).point());
        return FeedFilter.of(head, earlier, request.selection());
    }

    private static FeedFilter filter(GraphSession session, Branch branch, ChangeSelection selection) {
        return FeedFilter.of(session.catalog(branch.headPoint()), selection);
    }

    private Resolved nextPage(GraphSession session, Caller caller, FeedRequest request, String token) {
        FeedToken.Page page = tokens.readPage(token);
        FeedToken.Place place = page.place();
        Branch branch = request.branch() == null
                ? session.branchOf(place.incarnation())
                : Targets.readable(session, request.branch(), caller);
        if (branch == null || !caller.may(Action.READ, branch.name())) {
            throw ServiceException.notFound(Reason.BRANCH, "the branch of this page token does not exist any more");
        }
        if (branch.incarnation() != place.incarnation()) {
            throw ServiceException.badRequest(
                    Reason.TOKEN,
                    "page token rejected: it belongs to another branch, or to an earlier one of this name");
        }
        if (!request.selection().isAll() && !page.filter().equals(filter(session, branch, request.selection()))) {
            throw ServiceException.badRequest(
                    Reason.TOKEN,
                    "page token rejected: it was made with other filters; repeat those of the first page");
        }
        String cursor = place.sequence() < 0 ? null : tokens.cursor(place, page.filter());
        check(session, branch, place, cursor);
        if (page.cut() >= branch.historyLength()) {
            throw FeedWalk.gap(
                    "the graph was restored to a state before the end of this poll",
                    cursor,
                    branch.head().toString());
        }
        return new Resolved(branch, null, place, page.mark(), page.filter(), page.cut());
    }

    private FeedToken.Place resumed(GraphSession session, Branch branch, String cursor, FeedFilter filter) {
        FeedToken.Place place = tokens.readCursor(cursor, filter);
        if (place.incarnation() != branch.incarnation()) {
            throw FeedToken.rejected(
                    "it belongs to another branch than `" + branch.name() + "`, or to an earlier one of this name");
        }
        check(session, branch, place, cursor);
        return place;
    }

    /**
     * Checks that the position is in the branch's history: a graph that was restored from a backup may have a different
     * history, or a shorter one.
     */
    private void check(GraphSession session, Branch branch, FeedToken.Place place, @Nullable String cursor) {
        if (place.sequence() < 0) {
            return;
        }
        boolean there = isHead(branch, place)
                || (place.sequence() < branch.historyLength()
                        && session.history(branch.incarnation(), place.sequence()) == place.offset()
                        && session.header(place.offset()).id().equals(place.commit()));
        if (!there) {
            throw FeedWalk.gap(
                    "commit `"
                            + place.commit()
                            + "` is not in the history of branch `"
                            + branch.name()
                            + "`: the graph was restored to a state before it",
                    cursor,
                    place.commit().toString());
        }
    }

    /** Whether the position is at the head, as that of a consumer which waits: the branch says so without a read. */
    private static boolean isHead(Branch branch, FeedToken.Place place) {
        return place.sequence() == branch.historyLength() - 1
                && place.offset() == branch.headOffset()
                && place.commit().equals(branch.head());
    }

    private static FeedToken.Place start(GraphSession session, Branch branch, Caller caller, @Nullable String start) {
        if (start == null || start.equals("now")) {
            return place(session, branch, branch.historyLength() - 1);
        }
        if (start.equals("beginning")) {
            return FeedToken.Place.beforeFirst(branch.incarnation());
        }
        if (!start.startsWith(AFTER)) {
            throw ServiceException.badRequest(
                    "`start` must be now, beginning or after:<commit id>, not `" + start + "`");
        }
        String id = start.substring(AFTER.length());
        CommitPosition position = Ulid.isUlid(id) ? session.position(Ulid.parse(id)) : null;
        long sequence = position == null ? -1 : History.sequenceOf(session, branch, position.offset());
        if (sequence < 0 || !isShown(session, branch, caller, sequence)) {
            throw ServiceException.badRequest(
                    "`start`: commit `" + id + "` is not in the history of branch `" + branch.name() + "`");
        }
        return place(session, branch, sequence);
    }

    /** Whether the caller gets the block, or its state is one that the branch shows: before a block that it gets. */
    private static boolean isShown(GraphSession session, Branch branch, Caller caller, long sequence) {
        if (sequence == branch.historyLength() - 1) {
            return true;
        }
        ShownBlocks shown = ShownBlocks.of(session, branch, caller, -1);
        return shown.shows(session.commit(session.history(branch.incarnation(), sequence), 0))
                || shown.shows(session.commit(session.history(branch.incarnation(), sequence + 1), 0));
    }

    private static FeedToken.Place place(GraphSession session, Branch branch, long sequence) {
        long offset = session.history(branch.incarnation(), sequence);
        return new FeedToken.Place(
                branch.incarnation(), sequence, offset, session.header(offset).id());
    }

    /**
     * The changes of one commit relative to its first parent.
     *
     * @return the token of the next page, or null
     */
    public @Nullable String commitChanges(
            Caller caller,
            String commitId,
            @Nullable String pageToken,
            ChangeSelection selection,
            Settings settings,
            BlockSink sink) {
        try (GraphSession session = storage.session()) {
            CommitPosition position = Targets.readableCommit(session, commitId, caller);
            FeedFilter filter = FeedFilter.of(session.catalog(position.point()), selection);
            CommitHeader header = session.header(position.offset());
            long mark = 0;
            if (pageToken != null) {
                FeedToken.Page page = tokens.readCommitPage(pageToken);
                if (!page.place().commit().equals(header.id())) {
                    throw ServiceException.badRequest(
                            Reason.TOKEN, "page token rejected: it belongs to the changes of another commit");
                }
                if (!selection.isAll() && !page.filter().equals(filter)) {
                    throw ServiceException.badRequest(
                            Reason.TOKEN,
                            "page token rejected: it was made with other filters; repeat those of the first page");
                }
                mark = page.mark();
                filter = page.filter();
            }
            if (session.isReclaimed(header.incarnation(), header.offset())) {
                throw FeedWalk.gap("cleanup has reclaimed the changes of commit `" + commitId + "`", null, commitId);
            }
            return commitPage(session, header, mark, filter, settings, sink);
        }
    }

    private @Nullable String commitPage(
            GraphSession session,
            CommitHeader header,
            long mark,
            FeedFilter filter,
            Settings settings,
            BlockSink sink) {
        FeedToken.Place own = new FeedToken.Place(header.incarnation(), 0, header.offset(), header.id());
        FeedWalk walk = new FeedWalk(tokens, own, mark, filter);
        return walk.single(session, header.offset(), sink, new FeedWalk.Budget(settings))
                ? null
                : tokens.commitPage(new FeedToken.Page(own, 0, walk.mark(), filter));
    }

    /** Streams the entities of a branch's head, then one line with the commit and the cursor after it. */
    public void baseline(
            Caller caller,
            @Nullable String branchName,
            ChangeSelection selection,
            Int64Form int64,
            RequestBudget budget,
            OutputStream into) {
        FeedToken.Place place;
        FeedFilter filter;
        List<EntityType> types;
        Branch branch;
        try (GraphSession session = storage.session()) {
            branch = Targets.readable(session, branchName == null ? Branch.MAIN : branchName, caller);
            Catalog catalog = session.catalog(branch.headPoint());
            filter = FeedFilter.of(catalog, selection);
            types = filter.types(catalog);
            place = place(session, branch, branch.historyLength() - 1);
        }
        try (StateHold state = storage.hold(branch.headPoint())) {
            new StateStream(storage.blobs(), state, int64, budget).write(types, into);
        }
        byte[] last = JsonWriter.bytes(json -> json.beginObject()
                .field("baseline")
                .beginObject()
                .field("snapshot_commit_id")
                .string(place.commit().toString())
                .field("resume_cursor")
                .string(tokens.cursor(place, filter))
                .endObject()
                .endObject()
                .newline());
        try {
            into.write(last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
