package service.projection.temporal;

import org.agrona.DirectBuffer;
import org.lmdbjava.Cursor;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;
import service.log.lmdb.PageCursor;

/**
 * The temporal mechanism: which version of each member a view sees.
 *
 * <p>A table's entries belong to <em>members</em> (an entity, a neighbour pair, a posting of an index). The key of an
 * entry is
 *
 * <pre>  member …  |  u32 ~incarnation  |  u64 ~offset      (big-endian)</pre>
 *
 * Both numbers are complemented, so a forward walk finds the entries of a member from the highest incarnation down, the
 * newest first within each. A chain descends as well (a child is numbered above its parent), so its links are met in
 * chain order, and <em>the first entry that a link covers decides</em>: it was written on the nearest branch that
 * touched the member, as late as the view may see. Heads, snapshots, nested branches and deleted branches need no other
 * mechanism.
 *
 * <p>Cost: one step for each member with a single version. Entries of other branches, later events and older versions
 * are skipped by up to {@value #STEPS} steps, then by a seek to the next possible entry; a seek costs about four steps
 * . In a read transaction most steps are made in Java (see {@link PageCursor}).
 *
 * <p>Addresses returned by this class point into mapped pages and are valid until the transaction ends or writes. One
 * thread.
 */
public final class TemporalCursor {
    /** Bytes after the member in a key. */
    public static final int SUFFIX = Integer.BYTES + Long.BYTES;

    private static final int STEPS = 4;

    private final PageCursor cursor;
    private Chain chain;
    private final KeyBuffer target = new KeyBuffer();
    private final KeyBuffer probe = new KeyBuffer();
    private final KeyBuffer scope = new KeyBuffer();

    private boolean standing;
    private boolean decided;
    private long memberAddress;
    private int memberLength;

    /**
     * A cursor along a chain.
     *
     * @param pageBytes the size of a page of the environment in a read transaction; 0 in a write transaction
     */
    public TemporalCursor(Cursor<DirectBuffer> cursor, int pageBytes, Chain chain) {
        this.cursor = new PageCursor(cursor, pageBytes);
        this.chain = chain;
    }

    /** Resets this object for another cursor, because its buffers are expensive to allocate. */
    public void again(Cursor<DirectBuffer> nextCursor, int pageBytes, Chain nextChain) {
        cursor.again(nextCursor, pageBytes);
        chain = nextChain;
        standing = false;
        decided = false;
    }

    /**
     * Goes to the first member at or above {@code from}; {@link #next} stays among keys that begin with its first
     * {@code scopeLength} bytes.
     */
    public void seek(KeyBuffer from, int scopeLength) {
        scope.copy(from, scopeLength);
        decided = false;
        standing = cursor.seek(from);
    }

    /** Moves to the next member of which the view sees an entry, live or dead; false at the end of the scope. */
    public boolean next() {
        if (decided) {
            leaveMember();
        }
        while (standing
                && cursor.keyLength() >= scope.length()
                && MappedBytes.same(cursor.keyAddress(), scope.address(), scope.length())) {
            memberAddress = cursor.keyAddress();
            memberLength = cursor.keyLength() - SUFFIX;
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
        standing = cursor.seek(probe);
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
        return cursor.valueAddress();
    }

    public int valueLength() {
        return cursor.valueLength();
    }

    /** Address of the decided entry's version: its complemented incarnation and offset. */
    public long versionAddress() {
        return cursor.keyAddress() + memberLength;
    }

    /** The offset of the entry whose key ends at an address. */
    public static long offsetBefore(long keyEnd) {
        return ~MappedBytes.keyLongAt(keyEnd - Long.BYTES);
    }

    /** The underlying LMDB cursor, which may stand on an earlier entry; its owner releases it. */
    public Cursor<DirectBuffer> cursor() {
        return cursor.cursor();
    }

    /** Moves from any entry of a member to the entry that decides (true), or after the member (false). */
    private boolean decide() {
        int link = 0;
        int steps = 0;
        while (true) {
            int incarnation = ~MappedBytes.keyIntAt(versionAddress());
            while (incarnation < chain.incarnation(link)) {
                if (++link == chain.length()) {
                    leaveMember();
                    return false;
                }
            }
            if (incarnation == chain.incarnation(link)
                    && ~MappedBytes.keyLongAt(versionAddress() + Integer.BYTES) <= chain.offset(link)) {
                return true;
            }
            if (++steps <= STEPS) {
                standing = cursor.next();
            } else {
                steps = 0;
                target.clear().putMemory(memberAddress, memberLength);
                target.putInt(~chain.incarnation(link)).putLong(~chain.offset(link));
                standing = cursor.seek(target);
            }
            if (!sameMember()) {
                return false;
            }
        }
    }

    private void leaveMember() {
        for (int steps = 0; steps < STEPS; steps++) {
            standing = cursor.next();
            if (!sameMember()) {
                return;
            }
        }
        target.clear().putMemory(memberAddress, memberLength).putInt(-1).putLong(-1);
        standing = cursor.seek(target);
        while (sameMember()) {
            standing = cursor.next();
        }
    }

    private boolean sameMember() {
        return standing
                && cursor.keyLength() == memberLength + SUFFIX
                && MappedBytes.same(cursor.keyAddress(), memberAddress, memberLength);
    }
}
