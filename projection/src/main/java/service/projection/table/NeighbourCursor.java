package service.projection.table;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;
import service.projection.temporal.Chain;

/**
 * The edges at a node that a view sees: {@link service.projection.temporal.TemporalCursor} over runs of
 * {@link AdjacencyTable}.
 *
 * <p>Cost: one seek for a node, or none when nodes ascend and the next one is in the run where this stands or the one
 * after it; then the entries of the run before the node, and one step an entry. Versions that do not count are passed
 * within a run, and with a seek beyond it. One thread; not after its transaction ends.
 */
public final class NeighbourCursor {
    private final PageCursor cursor;
    private final KeyBuffer target = new KeyBuffer();
    private final AdjacencyEntry entry = new AdjacencyEntry();
    private final AdjacencyEntry member = new AdjacencyEntry();
    private ProjectionTable table;
    private Chain chain;

    /** The rest of the run. */
    private long at;

    private long end;

    private boolean standing;
    private boolean decided;

    /** Whether this stands on the first entry after the scope. */
    private boolean ended;

    private int lane;
    private int node;
    private int neighbour;
    private boolean ofPair;

    NeighbourCursor(ProjectionTable table, Cursor<DirectBuffer> cursor, int pageBytes, Chain chain) {
        this.cursor = new PageCursor(cursor, pageBytes);
        this.table = table;
        this.chain = chain;
    }

    /** Resets this object for another cursor, because its buffers are expensive to allocate. */
    void again(ProjectionTable nextTable, Cursor<DirectBuffer> nextCursor, int pageBytes, Chain nextChain) {
        cursor.again(nextCursor, pageBytes);
        table = nextTable;
        chain = nextChain;
        standing = false;
        decided = false;
        ended = false;
    }

    ProjectionTable table() {
        return table;
    }

    /** The cursor of LMDB; its owner releases it. */
    Cursor<DirectBuffer> cursor() {
        return cursor.cursor();
    }

    /** {@link #next} shows the edges of a lane at a node. */
    public void seek(int ofLane, int ofNode) {
        boolean ascends = ended && ofLane == lane && ofNode > node;
        ofPair = false;
        seek(ascends, ofLane, ofNode, 0);
    }

    /** {@link #next} shows the edges of a lane between two nodes. */
    public void seek(int ofLane, int ofNode, int ofNeighbour) {
        boolean ascends =
                ended && ofLane == lane && (ofNode > node || (ofNode == node && ofPair && ofNeighbour > neighbour));
        ofPair = true;
        seek(ascends, ofLane, ofNode, ofNeighbour);
    }

    private void seek(boolean ascends, int ofLane, int ofNode, int ofNeighbour) {
        lane = ofLane;
        node = ofNode;
        neighbour = ofNeighbour;
        decided = false;
        ended = false;
        if (ascends && (!standing || !isBeforeScope())) {
            return;
        }
        target.clear().putInt(lane).putInt(node);
        if (ofPair) {
            target.putInt(neighbour);
        }
        if ((ascends && isInRun()) || enterRun(ascends)) {
            do {
                step();
            } while (standing && isBeforeScope());
        }
    }

    /** Whether the run where this stands may have entries from the target on. */
    private boolean isInRun() {
        return at < end
                && MappedBytes.compare(cursor.keyAddress(), cursor.keyLength(), target.address(), target.length()) > 0;
    }

    /** Enters the first run that ends above the target; false when there is none. */
    private boolean enterRun(boolean tryNext) {
        if (tryNext) {
            standing = cursor.next();
            if (!standing) {
                return false;
            }
        }
        if (!tryNext
                || MappedBytes.compare(cursor.keyAddress(), cursor.keyLength(), target.address(), target.length())
                        <= 0) {
            // The first key above the target, which a run that ends at the target does not have.
            target.putByte(0);
            standing = cursor.seek(target);
        }
        if (standing) {
            enter();
        }
        return standing;
    }

    private void enter() {
        entry.clear();
        at = cursor.valueAddress();
        end = at + cursor.valueLength();
    }

    /** Moves to the next entry. */
    private void step() {
        while (at == end) {
            standing = cursor.next();
            if (!standing) {
                return;
            }
            enter();
        }
        read();
    }

    private void read() {
        at = entry.read(at);
        if (at > end) {
            throw AdjacencyTable.damaged();
        }
    }

    private boolean isBeforeScope() {
        if (entry.lane != lane) {
            return Integer.compareUnsigned(entry.lane, lane) < 0;
        }
        return entry.node < node || (entry.node == node && entry.neighbour < neighbour);
    }

    private boolean isInScope() {
        return entry.node == node && entry.lane == lane && (!ofPair || entry.neighbour == neighbour);
    }

    /** Moves to the next edge of which the view sees an entry, live or dead; false at the end of the scope. */
    public boolean next() {
        if (decided) {
            member.set(entry);
            step();
            if (standing && entry.isOfMember(member)) {
                leaveMember();
            }
        }
        while (standing && isInScope()) {
            if (decide()) {
                decided = true;
                return true;
            }
        }
        decided = false;
        ended = true;
        return false;
    }

    /** Moves from the first entry of a member to the one that decides (true), or after the member (false). */
    private boolean decide() {
        member.set(entry);
        int link = 0;
        while (true) {
            while (entry.incarnation < chain.incarnation(link)) {
                if (++link == chain.length()) {
                    leaveMember();
                    return false;
                }
            }
            if (entry.incarnation == chain.incarnation(link) && entry.offset <= chain.offset(link)) {
                return true;
            }
            skip(chain.incarnation(link), chain.offset(link));
            if (!standing || !entry.isOfMember(member)) {
                return false;
            }
        }
    }

    private void leaveMember() {
        while (standing && entry.isOfMember(member)) {
            skip(0, 0);
        }
    }

    /** Moves at least one entry, to the first one of the member at or after a version, or after the member. */
    private void skip(int incarnation, long offset) {
        while (true) {
            while (at < end) {
                read();
                if (!entry.isOfMember(member)
                        || entry.incarnation < incarnation
                        || (entry.incarnation == incarnation && entry.offset <= offset)) {
                    return;
                }
            }
            AdjacencyTable.member(target, member.lane, member.node, member.neighbour, member.edge);
            target.putInt(~incarnation).putLong(~offset);
            if (!enterRun(true)) {
                return;
            }
        }
    }

    public int neighbour() {
        return entry.neighbour;
    }

    public int edge() {
        return entry.edge;
    }

    public boolean live() {
        return entry.live;
    }
}
