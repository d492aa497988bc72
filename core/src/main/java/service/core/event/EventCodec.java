package service.core.event;

import static service.core.event.EventLayout.*;

import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.value.Ulid;

/**
 * The bytes of an event. Little-endian; texts are UTF-8 after a u16 length; an id (ULID) is its high, then its low 64
 * bits.
 *
 * <pre>
 *    0  u32  magic "EVNT"
 *    4  u16  version, 2; 3 of a branch created from a commit that was not the head of its parent, of a commit that is
 *            made of another one, and of a tag; 4 of changes with typed ends, and of a schema with an edge type that
 *            has, or had, several node types at an end
 *    6  u8   type: 1 commit, 2 branch created, 3 branch deleted, 4 branch fast-forwarded, 5 write remembered,
 *            6 tag created, 7 tag deleted
 *    7  u8   flags: 1 actor, 2 idempotency key, 4 parent, 8 merged parent, 16 schema, 32 sides, 64 of another commit,
 *            128 note
 *    8  i32  L, length of the whole event
 *   12  i32  H, length of the header with its hash and checksum
 *   16  i32  number of changes
 *   20  u32  CRC32C of the changes, [H, L)
 *   24  i64  offset in the log
 *   32  i64  time, microseconds since the epoch
 *   40  32   hash of the previous event; zeros at offset 0
 *   72  32   SHA-256 of the changes, [H, L)
 *  104       body, by type (below), then if flagged: text actor; text key + 32 bytes digest of the request +
 *           i32 length and bytes of the receipt; i32 + i32 numbers of sides taken by resolutions (source, target) +
 *           i32 length and bytes of their list; 16 bytes id of the other commit; text message (empty for none) + i32 n +
 *           n × (text key, text value)
 * H-36  32   SHA-256 of [0, H-36): the event's hash
 *  H-4  u32  CRC32C of [0, H-4)
 *    H       the changes, back to back, up to L
 *
 * commit            104 u8 kind, 3 × 0 · 108 i32 incarnation · 112 6 × i32 counts · 136 id · 152 parent · 168 merged parent ·
 *                   184 text branch, then if flagged the schema: 4 × (i32 length, bytes) source, digest, identities, and
 *                   i32 n, n × (i32 length, bytes) steps
 * branch created    104 i32 incarnation · 108 i32 parent incarnation · 112 i64 fork offset · 120 fork commit · 136 text name, text parent
 * branch deleted    104 i32 incarnation · 108 text name
 * fast-forwarded    104 i32 target incarnation · 108 i32 source incarnation · 112 i64 new head's offset · 120 new head
 * write remembered  104 i32 incarnation
 * tag created       104 i32 incarnation of the commit · 108 commit · 124 text name
 * tag deleted       104 i32 incarnation of the commit · 108 commit · 124 text name
 *
 * a change
 *    0  i32  length of the change
 *    4  u8   flags: 1 edge, 2 has a before image, 4 has an after image, 8 the ends of the before image are typed,
 *            16 those of the after image;  5 u8 0
 *    6  u16  length of the id
 *    8  i32  type identity
 *   12       id
 *            before image, after image, each: i32 length, PropertyRow bytes; of an edge also text from, text to;
 *            of typed ends also i32 type of from, i32 type of to, 0 for the first type of an end
 * </pre>
 *
 * <p>An event that cleanup has stripped consists of its first H bytes, unchanged, and the four bytes "GONE", which
 * distinguish it from a truncated event. It still holds L and the number of changes, and its hash still covers the
 * changes through their digest.
 *
 * <p>A header holds everything that the chain needs: a reader checks a chain of headers without their changes, and the
 * changes are encoded and hashed before the offset and the previous hash are known. Magic, version, H and the checksum
 * at H-4 keep their positions in every later version, so that <em>damaged</em>, <em>too old</em> and <em>too new</em>
 * are different errors. A CRC detects every flipped bit; the hash chain also detects an event that replaces another.
 *
 * <p>An instance owns buffers and digests: one thread. Decoded events share no memory with the input buffer.
 */
public final class EventCodec {
    /** Maximum length of an event in bytes; it bounds the changes of one commit. */
    public static final int EVENT_BYTES_MAX = 1 << 30;

    /** Length of a hash in bytes. */
    public static final int HASH_LENGTH = HASH_BYTES;

    private final EventChecksums checksums = new EventChecksums();
    private final EventEncoder encoder = new EventEncoder(checksums);

    /** The previous hash of the first event. */
    public static byte[] hashBeforeFirst() {
        return new byte[HASH_BYTES];
    }

    /**
     * Encodes an event.
     *
     * @param previousHash hash of the event before it
     * @throws ServiceException RESOURCE_LIMIT when the event would be longer than {@link #EVENT_BYTES_MAX}
     */
    public EncodedEvent encode(Event event, byte[] previousHash) {
        return encoder.encode(event, previousHash);
    }

    /**
     * Decodes a whole event.
     *
     * @param bytes exactly one event
     * @param offset its offset in the log
     * @throws EventFormatException when it is damaged, too old or too new
     */
    public Event decode(DirectBuffer bytes, long offset) {
        ChangeReader reader = changes(bytes, offset);
        ChangeBlockWriter changes = new ChangeBlockWriter();
        try {
            while (reader.next()) {
                changes.add(reader);
            }
            return EventDecoder.decode(bytes, changes.finish());
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw EventFormatException.damaged(offset, String.valueOf(e.getMessage()));
        }
    }

    /** Decodes an event without its changes. Reads and checks only its header. */
    public Event decodeHeader(DirectBuffer bytes, long offset) {
        checkHeader(bytes, offset);
        try {
            return EventDecoder.decode(bytes, ChangeBlock.EMPTY);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw EventFormatException.damaged(offset, String.valueOf(e.getMessage()));
        }
    }

    /** The header of a commit; the event at the offset must be one. */
    public CommitHeader decodeCommitHeader(DirectBuffer bytes, long offset) {
        if (decodeHeader(bytes, offset) instanceof Event.Commit commit) {
            return commit.header();
        }
        throw new IllegalArgumentException("event " + offset + " is not a commit");
    }

    /** Whether cleanup has removed the changes of an event; its header is complete. */
    public static boolean isStripped(DirectBuffer bytes) {
        return bytes.getInt(AT_LENGTH) != bytes.capacity();
    }

    /** The number of changes that the event has or, if it is stripped, had. */
    public static int changeCountOf(DirectBuffer bytes) {
        return bytes.getInt(AT_CHANGE_COUNT);
    }

    /**
     * Writes an event without its changes.
     *
     * @param bytes a whole event
     * @param into receives the stripped event from 0
     * @return the length of the stripped event
     */
    public int strip(DirectBuffer bytes, long offset, MutableDirectBuffer into) {
        checkHeader(bytes, offset);
        int header = bytes.getInt(AT_HEADER_LENGTH);
        into.putBytes(0, bytes, 0, header);
        into.putInt(header, STRIPPED_MARK);
        return header + STRIPPED_BYTES;
    }

    /** The length of an event after stripping. */
    public static int strippedLengthOf(DirectBuffer bytes) {
        return bytes.getInt(AT_HEADER_LENGTH) + STRIPPED_BYTES;
    }

    /** Checks an event's CRCs and returns a new reader of its changes, valid as long as the bytes. */
    public ChangeReader changes(DirectBuffer bytes, long offset) {
        ChangeReader reader = new ChangeReader();
        changes(bytes, offset, reader);
        return reader;
    }

    /** The same with a reader that is reused. */
    public void changes(DirectBuffer bytes, long offset, ChangeReader reader) {
        checkHeader(bytes, offset);
        checkChanges(bytes, offset);
        wrapChanges(bytes, offset, reader);
    }

    /**
     * Reads a commit in place. The header is checked at once, the changes on access. A reader that continues at a mark
     * does not check them again, so that a walk in pieces costs no more than one walk. The caller has checked them with
     * {@link #checkChanges} in this process, because the mark may come from a client and be older than the damage.
     *
     * @param mark where its changes continue, as {@link ChangeReader#mark} returned it; 0 for the first
     */
    public void commit(DirectBuffer bytes, long offset, long mark, CommitReader reader) {
        checkHeader(bytes, offset);
        if (bytes.getByte(AT_TYPE) != TYPE_COMMIT) {
            throw new IllegalArgumentException("event " + offset + " is not a commit");
        }
        reader.wrap(bytes, mark != 0, mark);
    }

    void wrapChanges(DirectBuffer bytes, long offset, ChangeReader reader) {
        if (isStripped(bytes)) {
            throw new EventFormatException(
                    EventFormatException.Kind.RECLAIMED, offset, changeCountOf(bytes) + " changes");
        }
        reader.wrap(bytes, bytes.getInt(AT_HEADER_LENGTH), bytes.capacity(), bytes.getInt(AT_CHANGE_COUNT), offset);
    }

    /** The hash that an event carries, unchecked; {@link #verify} checks it. */
    public static byte[] hashOf(DirectBuffer bytes) {
        return hashAt(bytes, bytes.getInt(AT_HEADER_LENGTH) - TRAILER_BYTES);
    }

    /** The hash of the previous event that an event carries. */
    public static byte[] previousHashOf(DirectBuffer bytes) {
        return hashAt(bytes, AT_PREVIOUS_HASH);
    }

    /**
     * Checks everything: CRCs, both digests, its place in the chain. A stripped event has no changes to check.
     *
     * @return the event's hash
     * @throws EventFormatException when a check fails
     */
    public byte[] verify(DirectBuffer bytes, long offset, byte[] previousHash) {
        byte[] hash = verifyHeader(bytes, offset, previousHash);
        if (isStripped(bytes)) {
            return hash;
        }
        checkChanges(bytes, offset);
        int header = bytes.getInt(AT_HEADER_LENGTH);
        byte[] changes = checksums.hash(bytes, header, bytes.capacity() - header);
        if (!Arrays.equals(changes, hashAt(bytes, AT_CHANGES_HASH))) {
            throw EventFormatException.damaged(offset, "hash of the changes");
        }
        return hash;
    }

    /** Checks a header: its CRC, its hash, its place in the chain. The changes are not read. */
    public byte[] verifyHeader(DirectBuffer bytes, long offset, byte[] previousHash) {
        decodeHeader(bytes, offset);
        if (!Arrays.equals(previousHash, previousHashOf(bytes))) {
            throw EventFormatException.damaged(offset, "it does not follow the event before it");
        }
        byte[] hash = checksums.hash(bytes, 0, bytes.getInt(AT_HEADER_LENGTH) - TRAILER_BYTES);
        if (!Arrays.equals(hash, hashOf(bytes))) {
            throw EventFormatException.damaged(offset, "hash");
        }
        return hash;
    }

    private static byte[] hashAt(DirectBuffer bytes, int at) {
        byte[] hash = new byte[HASH_BYTES];
        bytes.getBytes(at, hash);
        return hash;
    }

    private void checkHeader(DirectBuffer bytes, long offset) {
        int length = bytes.capacity();
        if (length < HEADER_BYTES_MIN || bytes.getInt(0) != MAGIC) {
            throw EventFormatException.damaged(offset, "no event of " + length + " bytes");
        }
        int header = bytes.getInt(AT_HEADER_LENGTH);
        if (header < HEADER_BYTES_MIN || header > length) {
            throw EventFormatException.damaged(offset, "length of the header");
        }
        if (bytes.getInt(header - CRC_BYTES) != checksums.crc(bytes, 0, header - CRC_BYTES)) {
            throw EventFormatException.damaged(offset, "checksum of the header");
        }
        int version = bytes.getShort(AT_VERSION) & 0xFFFF;
        if (version != VERSION
                && !(version == VERSION_NEWER && hasNewer(bytes))
                && !(version == VERSION_WIDE && hasWide(bytes))
                && !(version == VERSION_RECLAIMED && bytes.getByte(AT_TYPE) == TYPE_HISTORY_RECLAIMED)) {
            EventFormatException.Kind kind =
                    version > VERSION ? EventFormatException.Kind.TOO_NEW : EventFormatException.Kind.TOO_OLD;
            throw new EventFormatException(kind, offset, "layout version " + version);
        }
        int whole = bytes.getInt(AT_LENGTH);
        boolean stripped = whole != length
                && length == header + STRIPPED_BYTES
                && bytes.getInt(header) == STRIPPED_MARK
                && bytes.getInt(AT_CHANGE_COUNT) > 0;
        if (whole != length && !stripped) {
            throw EventFormatException.damaged(offset, "length");
        }
        long own = bytes.getLong(AT_OFFSET);
        if (own != offset) {
            throw EventFormatException.damaged(offset, "it is event " + own);
        }
    }

    private static boolean hasNewer(DirectBuffer bytes) {
        int type = bytes.getByte(AT_TYPE);
        return switch (type) {
            case TYPE_BRANCH_CREATED, TYPE_TAG_CREATED, TYPE_TAG_DELETED -> true;
            case TYPE_COMMIT -> (bytes.getByte(AT_FLAGS) & FLAG_OF) != 0;
            default -> false;
        };
    }

    private static boolean hasWide(DirectBuffer bytes) {
        int type = bytes.getByte(AT_TYPE);
        return type == TYPE_COMMIT || type == TYPE_BRANCH_FAST_FORWARDED;
    }

    /** Checks the CRC of the changes of an event whose header was checked and which is not stripped. */
    public void checkChanges(DirectBuffer bytes, long offset) {
        if (isStripped(bytes)) {
            return;
        }
        int header = bytes.getInt(AT_HEADER_LENGTH);
        if (bytes.getInt(AT_CHANGES_CRC) != checksums.crc(bytes, header, bytes.capacity() - header)) {
            throw EventFormatException.damaged(offset, "checksum of the changes" + commitOf(bytes));
        }
    }

    /** Names the commit of an event whose header was checked; empty for an event of another type. */
    private static String commitOf(DirectBuffer bytes) {
        return bytes.getByte(AT_TYPE) == TYPE_COMMIT
                ? " of commit " + new Ulid(bytes.getLong(AT_COMMIT_ID), bytes.getLong(AT_COMMIT_ID + Long.BYTES))
                : "";
    }

    static void checkLength(long length) {
        if (length > EVENT_BYTES_MAX) {
            throw new ServiceException(
                    ErrorCode.RESOURCE_LIMIT,
                    "one commit holds at most " + EVENT_BYTES_MAX + " bytes: split the write",
                    new ErrorDetail.ResourceLimit("event_bytes", EVENT_BYTES_MAX, length));
        }
    }
}
