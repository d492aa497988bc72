package service.projection.view;

import com.google.errorprone.annotations.MustBeClosed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import service.core.error.DamagedDataException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.event.CommitHeader;
import service.core.event.CommitReader;
import service.core.event.Event;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.BranchStep;
import service.core.port.CommitPosition;
import service.core.port.DeletedBranch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RememberedWrite;
import service.core.port.Tag;
import service.core.schema.Catalog;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;
import service.log.format.EventReader;
import service.log.retain.Retention;
import service.projection.table.AppliedTable;
import service.projection.table.BranchTable;
import service.projection.table.HistoryTable;
import service.projection.table.IdempotencyTable;
import service.projection.table.TableAccess;
import service.projection.table.TagTable;
import service.projection.temporal.Chain;

/** A session over the tables of one transaction and over the log, which is opened on first use. */
class TableSession implements GraphSession {
    private final TableAccess access;
    private final Catalogs catalogs;
    private final ViewSource views;
    private final History history;
    private final Runnable end;
    private final @Nullable CommittedHeads heads;

    /** The head of the branch that was found last; null where none is kept. */
    private Heads.@Nullable Head head;

    private @Nullable EventReader events;
    private boolean closed;

    TableSession(
            TableAccess access,
            Catalogs catalogs,
            ViewSource views,
            History history,
            Runnable end,
            @Nullable CommittedHeads heads) {
        this.access = access;
        this.catalogs = catalogs;
        this.views = views;
        this.history = history;
        this.end = end;
        this.heads = heads;
    }

    /**
     * The log, and what cleanup has taken. The transaction on the tables has every state that was not taken when it
     * began; the events are read in a later one.
     *
     * @param events opens the log
     * @param atBegin what had been taken when the transaction on the tables had begun
     * @param now what has been taken by now
     */
    record History(Supplier<EventReader> events, Supplier<Retention> atBegin, Supplier<Retention> now) {
        static History of(Supplier<EventReader> events, Supplier<Retention> retention) {
            Retention begun = retention.get();
            return new History(events, () -> begun, retention);
        }
    }

    /**
     * The heads that sessions on committed states share.
     *
     * @param state of this session
     */
    record CommittedHeads(Heads heads, long state) {}

    @Override
    public @Nullable Branch branch(String name) {
        head = heads == null ? null : heads.heads.find(heads.state, name);
        if (head != null) {
            return head.branch();
        }
        int incarnation = BranchTable.current(access, name);
        Branch branch = incarnation < 0 ? null : branchOf(incarnation);
        if (branch != null) {
            keep(new Heads.Head(branch, null));
        }
        return branch;
    }

    /** A session inside the writer's transaction keeps nothing: its state changes. */
    private void keep(Heads.Head found) {
        if (heads != null) {
            head = found;
            heads.heads.keep(heads.state, found);
        }
    }

    @Override
    public List<Branch> branches() {
        List<Branch> branches = new ArrayList<>();
        for (int incarnation : BranchTable.current(access)) {
            Branch branch = branchOf(incarnation);
            if (branch != null) {
                branches.add(branch);
            }
        }
        return branches;
    }

    @Override
    public int branchCount() {
        return BranchTable.count(access);
    }

    @Override
    public List<String> branchNamesAround(String name, int max) {
        return BranchTable.namesAround(access, name, max);
    }

    @Override
    public @Nullable Branch branchOf(int incarnation) {
        return BranchTable.branch(access, incarnation);
    }

    @Override
    public @Nullable Tag tag(String name) {
        return TagTable.tag(access, name);
    }

    @Override
    public List<Tag> tags(@Nullable String after, int max) {
        return TagTable.tags(access, after, max);
    }

    @Override
    public int tagCount() {
        return TagTable.count(access);
    }

    @Override
    public @Nullable BranchMove moveAsOf(String name, long timeMicros) {
        return new BranchMoves(access, events()).asOf(name, timeMicros);
    }

    @Override
    public @Nullable BranchMove firstMove(String name) {
        return new BranchMoves(access, events()).first(name);
    }

    @Override
    public List<BranchStep> steps(int incarnation, long before, int max) {
        return new BranchMoves(access, events()).steps(incarnation, before, max);
    }

    @Override
    public List<DeletedBranch> deletedBranches(int before, int max) {
        return BranchTable.deleted(access, before, max);
    }

    @Override
    public @Nullable CommitPosition position(Ulid commit) {
        return HistoryTable.position(access, commit);
    }

    @Override
    public List<Ulid> commits(UlidSuffix suffix, int limit, Runnable step) {
        return HistoryTable.commits(access, suffix, limit, step);
    }

    @Override
    public long appliedOffset() {
        return AppliedTable.offset(access);
    }

    @MustBeClosed
    @Override
    public GraphView view(ReadPoint point) {
        requireReadable(point);
        Heads.Head at = head != null && head.branch().headPoint().equals(point) ? head : null;
        Heads.Opened opened = at == null ? null : at.opened();
        if (opened == null) {
            Chain chain = BranchTable.chain(access, point);
            opened = new Heads.Opened(chain, catalogs.at(access, chain));
            if (at != null) {
                keep(new Heads.Head(at.branch(), opened));
            }
        }
        return views.view(access, opened.chain(), point, opened.catalog());
    }

    @MustBeClosed
    @Override
    public GraphView viewAs(ReadPoint point, Catalog schema) {
        requireReadable(point);
        return ViewSource.TABLES.view(access, BranchTable.chain(access, point), point, Catalogs.Compiled.shown(schema));
    }

    /**
     * Marks are set before the tables show the event that sets them. So the marks may be newer than the head that this
     * session shows; then its transaction is from before the deletion, and has the state of the head.
     */
    private void requireReadable(ReadPoint point) {
        if (!history.atBegin.get().isReadable(point.incarnation(), point.offset()) && !isHead(point)) {
            throw reclaimed(state(point.offset()));
        }
    }

    private boolean isHead(ReadPoint point) {
        Branch branch = branchOf(point.incarnation());
        return branch != null
                && branch.headPoint().equals(point)
                && BranchTable.current(access, branch.name()) == point.incarnation();
    }

    @Override
    public boolean isReclaimed(int incarnation, long offset) {
        return history.now.get().isReclaimed(incarnation, offset);
    }

    @Override
    public long reclaimedRevision() {
        return history.now.get().revision();
    }

    /** Most points are those of commits; the others follow a fast-forward. */
    private String state(long offset) {
        return outline(offset) instanceof Event.Commit commit
                ? "the state of commit `" + commit.header().id() + "`"
                : "the state after event " + offset;
    }

    private static ServiceException reclaimed(String what) {
        return new ServiceException(
                ErrorCode.SNAPSHOT_RECLAIMED,
                what + " was reclaimed by cleanup: read a later commit, or the head of a branch");
    }

    @Override
    public long history(int incarnation, long sequence) {
        return HistoryTable.offset(access, incarnation, sequence);
    }

    @Override
    public void history(int incarnation, long sequence, long[] into) {
        HistoryTable.offsets(access, incarnation, sequence, into);
    }

    @Override
    public long sequence(CommitPosition position) {
        return HistoryTable.sequence(access, position);
    }

    @Override
    public long lastMerge(int incarnation, long sequence) {
        return HistoryTable.lastMerge(access, incarnation, sequence);
    }

    @Override
    public List<CommitPosition> changesOf(int type, String id, long before, int max) {
        return EntityChanges.newest(access, type, id, before, max);
    }

    @Override
    public long lastReclaimed(int incarnation, long sequence) {
        return new ReclaimedPlaces(access, history.atBegin.get()).last(incarnation, sequence);
    }

    @Override
    public List<Long> reclaimed() {
        return new ReclaimedPlaces(access, history.atBegin.get()).newest();
    }

    @Override
    public CommitHeader header(long offset) {
        try {
            return events().commitHeader(offset);
        } catch (IllegalArgumentException e) {
            throw wrongOffset(e);
        }
    }

    @Override
    public Event event(long offset) {
        requireWhole(offset);
        return events().event(offset);
    }

    @Override
    public Event outline(long offset) {
        return events().header(offset);
    }

    @Override
    public CommitReader commit(long offset, long mark) {
        try {
            return events().commit(offset, mark);
        } catch (IllegalArgumentException e) {
            throw wrongOffset(e);
        }
    }

    /** The tables gave the offset of a commit, and the log has none there. */
    private static DamagedDataException wrongOffset(IllegalArgumentException e) {
        return DamagedDataException.table("history", String.valueOf(e.getMessage()), e);
    }

    @Override
    public Catalog catalog(ReadPoint point) {
        return catalogs.at(access, BranchTable.chain(access, point)).catalog();
    }

    @Override
    public @Nullable RememberedWrite remembered(@Nullable String actor, String key) {
        return IdempotencyTable.remembered(access, actor, key);
    }

    private void requireWhole(long offset) {
        Retention taken = history.now.get();
        if (taken.isNone()) {
            return;
        }
        Event header = events().header(offset);
        if (taken.isReclaimed(header.incarnation(), offset) || events().isStripped(offset)) {
            throw reclaimed("what event " + offset + " changed");
        }
    }

    private EventReader events() {
        if (events == null) {
            events = history.events.get();
        }
        return events;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                if (events != null) {
                    events.close();
                    events = null;
                }
            } finally {
                end.run();
            }
        }
    }
}
