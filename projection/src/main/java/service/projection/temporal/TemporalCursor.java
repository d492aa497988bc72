package service.projection.temporal;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import org.lmdbjava.GetOp;
import service.log.lmdb.KeyBuffer;

/**
 * The temporal mechanism: which version of each member a view sees.
 *
 * <p>A table's entries belong to <em>members</em> (an entity, a neighbour pair, a posting of an index). The key of an
 * entry is
 *
 * <pre>  member …  |  u32 ~incarnation  |  u64 ~offset      (big-endian)</pre>
 *
 * Both numbers are complemented, so a forward walk meets the entries of a member from the highest incarnation down, the
 * newest first within each. A chain descends as well (a child is numbered above its parent), so its links are met in
 * chain order, and <em>the first entry that a link covers decides</em>: it was written on the nearest branch that
 * touched the member, as late as the view may see. Heads, snapshots, nested branches and deleted branches need no other
 * mechanism.
 *
 * <p>Cost: one step for each member with a single version. Entries of other branches, later events and older versions
 * are skipped by up to {@value #STEPS} steps, then by a seek to the next possible entry; a seek costs about four steps
 * (measured, see design/lmdb.md).
 *
 * <p>Addresses returned by this class point into mapped pages and are valid until the transaction ends or writes. One
 * thread.
 */
public final class TemporalCursor {
    /** Bytes after the member in a key. */
    public static final int SUFFIX = Integer.BYTES + Long.BYTES;

    private static final int STEPS = 4;

    private Cursor<DirectBuffer> cursor;
    private Chain chain;
    private final KeyBuffer target = new KeyBuffer();
    private final KeyBuffer probe = new KeyBuffer();
    private final KeyBuffer scope = new KeyBuffer();

    private boolean standing;
    private boolean decided;
    private long keyAddress;
    private int keyLength;
    private long memberAddress;
    private int memberLength;

    public TemporalCursor(Cursor<DirectBuffer> cursor, Chain chain) {
        this.cursor = cursor;
        this.chain = chain;
    }

    /** Resets this object for another cursor, because its buffers are expensive to allocate. */
    public void again(Cursor<DirectBuffer> nextCursor, Chain nextChain) {
        cursor = nextCursor;
        chain = nextChain;
        standing = false;
        decided = false;
    }

    /**
     * Goes to the first member at or above {@code from}; {@link #next} stays among keys that begin with its first
     * {@code scopeLength} bytes.
     */
    public void seek(KeyBuffer from, int scopeLength) {
        rescope(from, scopeLength);
        moved(cursor.get(from.key(), GetOp.MDB_SET_RANGE));
    }

    /**
     * Changes the scope of {@link #next} without moving, for a caller that knows the position of the cursor (see
     * {@link #standingAt}).
     */
    public void rescope(KeyBuffer from, int scopeLength) {
        scope.copy(from, scopeLength);
        decided = false;
    }

    /**
     * Address of the key of the first entry after the last scope, or 0 at the end of the table. Only after
     * {@link #next} has returned false.
     */
    public long standingAt() {
        return standing ? keyAddress : 0;
    }

    /** Moves to the next member of which the view sees an entry, live or dead; false at the end of the scope. */
    public boolean next() {
        if (decided) {
            leaveMember();
        }
        while (standing
                && keyLength >= scope.length()
                && MappedBytes.same(keyAddress, scope.address(), scope.length())) {
            memberAddress = keyAddress;
            memberLength = keyLength - SUFFIX;
            if (decide()) {
                decided = true;
                return true;
            }
        }
        decided = false;
        return false;
    }

    /** Looks for one member; true when the view sees an entry of it. */
    public boolean find(KeyBuffer member) {
        probe.copy(member, member.length());
        probe.putInt(~chain.incarnation(0)).putLong(~chain.offset(0));
        moved(cursor.get(probe.key(), GetOp.MDB_SET_RANGE));
        memberAddress = probe.address();
        memberLength = member.length();
        decided = sameMember() && decide();
        return decided;
    }

    /** Address of the decided entry's key, which begins with the member. */
    public long memberAddress() {
        return memberAddress;
    }

    public int memberLength() {
        return memberLength;
    }

    public long valueAddress() {
        return cursor.val().addressOffset();
    }

    public int valueLength() {
        return cursor.val().capacity();
    }

    /** The underlying LMDB cursor; its owner releases it. */
    public Cursor<DirectBuffer> cursor() {
        return cursor;
    }

    /** Moves from any entry of a member to the entry that decides (true), or after the member (false). */
    private boolean decide() {
        int link = 0;
        int steps = 0;
        while (true) {
            int incarnation = ~MappedBytes.keyIntAt(keyAddress + memberLength);
            while (incarnation < chain.incarnation(link)) {
                if (++link == chain.length()) {
                    leaveMember();
                    return false;
                }
            }
            if (incarnation == chain.incarnation(link)
                    && ~MappedBytes.keyLongAt(keyAddress + memberLength + Integer.BYTES) <= chain.offset(link)) {
                return true;
            }
            if (++steps <= STEPS) {
                moved(cursor.next());
            } else {
                steps = 0;
                target.clear().putMemory(memberAddress, memberLength);
                target.putInt(~chain.incarnation(link)).putLong(~chain.offset(link));
                moved(cursor.get(target.key(), GetOp.MDB_SET_RANGE));
            }
            if (!sameMember()) {
                return false;
            }
        }
    }

    private void leaveMember() {
        for (int steps = 0; steps < STEPS; steps++) {
            moved(cursor.next());
            if (!sameMember()) {
                return;
            }
        }
        target.clear().putMemory(memberAddress, memberLength).putInt(-1).putLong(-1);
        moved(cursor.get(target.key(), GetOp.MDB_SET_RANGE));
        while (sameMember()) {
            moved(cursor.next());
        }
    }

    private boolean sameMember() {
        return standing
                && keyLength == memberLength + SUFFIX
                && MappedBytes.same(keyAddress, memberAddress, memberLength);
    }

    private void moved(boolean found) {
        standing = found;
        if (found) {
            DirectBuffer key = cursor.key();
            keyAddress = key.addressOffset();
            keyLength = key.capacity();
        }
    }
}
