package service.core.event;

import static service.core.event.EventLayout.AT_CHANGE_COUNT;
import static service.core.event.EventLayout.AT_HEADER_LENGTH;
import static service.core.event.EventLayout.AT_LENGTH;
import static service.core.event.EventLayout.AT_OFFSET;
import static service.core.event.EventLayout.AT_PREVIOUS_HASH;
import static service.core.event.EventLayout.AT_TYPE;
import static service.core.event.EventLayout.AT_VERSION;
import static service.core.event.EventLayout.CRC_BYTES;
import static service.core.event.EventLayout.HASH_BYTES;
import static service.core.event.EventLayout.LENGTH_MIN;
import static service.core.event.EventLayout.MAGIC;
import static service.core.event.EventLayout.TRAILER_BYTES;
import static service.core.event.EventLayout.TYPE_COMMIT;
import static service.core.event.EventLayout.VERSION;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The bytes of an event. Little-endian; texts are UTF-8 behind a u16 length; an id (ULID) is its high, then its low 64
 * bits.
 *
 * <pre>
 *    0  u32  magic "EVNT"
 *    4  u16  version, 1
 *    6  u8   type: 1 commit, 2 branch created, 3 branch deleted, 4 branch fast-forwarded, 5 write remembered
 *    7  u8   flags: 1 actor, 2 idempotency key, 4 parent, 8 merged parent, 16 schema
 *    8  i32  L, length of the whole event
 *   12  i32  H, length of the header with its checksum
 *   16  i32  number of changes
 *   20  i32  0
 *   24  i64  offset in the log
 *   32  i64  time, microseconds since the epoch
 *   40  32   SHA-256 of the previous event (its own hash field); zeros at offset 0
 *   72       body, by type (below), then if flagged: text actor; text key + 32 bytes digest of the request +
 *           i32 length and bytes of the receipt
 *  H-4  u32  CRC32C of [0, H-4)
 *    H       the changes, back to back
 * L-36  32   SHA-256 of [0, L-36): the event's hash
 *  L-4  u32  CRC32C of [0, L-4)
 *
 * commit            72 u8 kind, 3 × 0 · 76 i32 incarnation · 80 6 × i32 counts · 104 id · 120 parent · 136 merged parent ·
 *                   152 text branch, then if flagged the schema: 4 × (i32 length, bytes) source, digest, identities, and
 *                   i32 n, n × (i32 length, bytes) steps
 * branch created    72 i32 incarnation · 76 i32 parent incarnation · 80 i64 fork offset · 88 fork commit · 104 text name, text parent
 * branch deleted    72 i32 incarnation · 76 text name
 * fast-forwarded    72 i32 target incarnation · 76 i32 source incarnation · 80 i64 new head's offset · 88 new head
 * write remembered  72 i32 incarnation
 *
 * a change
 *    0  i32  length of the change
 *    4  u8   flags: 1 edge, 2 has a before image, 4 has an after image;  5 u8 0
 *    6  u16  length of the id
 *    8  i32  type identity
 *   12       id
 *            before image, after image, each: i32 length, PropertyRow bytes; of an edge also text from, text to
 * </pre>
 *
 * an event that cleanup has stripped is its first H bytes as they were, with L and the number of changes, then H 32 the
 * event's hash as it was H+32 u32 CRC32C of [0, H+32)
 *
 * <p>Magic, version, and the checksum in the last four bytes are the same in every version, so a reader can tell
 * <em>damaged</em> from <em>too new</em>. A header can be read and checked without touching the changes. Every flipped
 * bit is found by a CRC; the hash chain also finds an event put in the place of another.
 *
 * <p>An instance owns buffers and digests: one thread. Decoded events share nothing with the buffer that they came
 * from.
 */
public final class EventCodec {
    /** The longest event in bytes; a bound on what one commit may change. */
    public static final int EVENT_BYTES_MAX = 1 << 30;

    /** Length of a hash in bytes. */
    public static final int HASH_LENGTH = HASH_BYTES;

    private final EventChecksums checksums = new EventChecksums();
    private final EventEncoder encoder = new EventEncoder(checksums);

    /** What stands for the hash of an event before the first. */
    public static byte[] hashBeforeFirst() {
        return new byte[HASH_BYTES];
    }

    /**
     * Encodes into {@link #encoded}, which the next call overwrites.
     *
     * @param previousHash hash of the event before it
     * @return the length in bytes
     * @throws service.core.error.ServiceException RESOURCE_LIMIT when the event would be longer than
     *     {@link #EVENT_BYTES_MAX}
     */
    public int encode(Event event, byte[] previousHash) {
        return encoder.encode(event, previousHash);
    }

    /** The bytes of the last encoded event, from 0. */
    public DirectBuffer encoded() {
        return encoder.buffer();
    }

    /** The hash of the last encoded event: a fresh array. */
    public byte[] encodedHash() {
        return encoder.hash();
    }

    /**
     * Decodes a whole event.
     *
     * @param bytes exactly one event
     * @param offset where it stands in the log
     * @throws EventFormatException when it is damaged, too old or too new
     */
    public Event decode(DirectBuffer bytes, long offset) {
        ChangeReader reader = changes(bytes, offset);
        List<EntityChange> changes = new ArrayList<>(reader.count());
        try {
            while (reader.next()) {
                changes.add(reader.change());
            }
            return EventDecoder.decode(bytes, List.copyOf(changes));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw EventFormatException.damaged(offset, String.valueOf(e.getMessage()));
        }
    }

    /** Decodes an event with an empty list of changes, reading and checking its header only. */
    public Event decodeHeader(DirectBuffer bytes, long offset) {
        checkHeader(bytes, offset);
        try {
            return EventDecoder.decode(bytes, List.of());
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

    /**
     * Whether cleanup has cut the changes out of an event; its header is whole, and its hash stands for it in the
     * chain.
     */
    public static boolean isStripped(DirectBuffer bytes) {
        return bytes.getInt(AT_LENGTH) != bytes.capacity();
    }

    /** How many changes the event has or, if it is stripped, had. */
    public static int changeCountOf(DirectBuffer bytes) {
        return bytes.getInt(AT_CHANGE_COUNT);
    }

    /** The length of the event once it is stripped. */
    public static int strippedLengthOf(DirectBuffer bytes) {
        return bytes.getInt(AT_HEADER_LENGTH) + TRAILER_BYTES;
    }

    /**
     * Writes an event without its changes.
     *
     * @param bytes a whole event
     * @param into gets {@link #strippedLengthOf} bytes from 0
     */
    public void strip(DirectBuffer bytes, long offset, MutableDirectBuffer into) {
        decodeHeader(bytes, offset);
        int header = bytes.getInt(AT_HEADER_LENGTH);
        into.putBytes(0, bytes, 0, header);
        into.putBytes(header, hashOf(bytes));
        into.putInt(header + HASH_BYTES, checksums.crc(into, header + HASH_BYTES));
    }

    /**
     * Checks the whole event's CRC and walks its changes without copying; a fresh reader over the given bytes, valid as
     * long as they are.
     */
    public ChangeReader changes(DirectBuffer bytes, long offset) {
        ChangeReader reader = new ChangeReader();
        changes(bytes, offset, reader);
        return reader;
    }

    /** The same with a reader that is used again. */
    public void changes(DirectBuffer bytes, long offset, ChangeReader reader) {
        checkWhole(bytes, offset);
        wrapChanges(bytes, offset, reader);
    }

    /**
     * Reads a commit where it lies. Each byte that is read has been checked once: of a short event the checksum over
     * all of it stands for that of its header too; of a long one the header's, and the whole only when its changes are
     * asked for. What goes on at a mark looks at the header alone, so that a walk in pieces costs no more than one of
     * the whole: its first piece has checked everything.
     *
     * @param mark where its changes go on, as {@link ChangeReader#mark} gave it; 0 for the first
     */
    public void commit(DirectBuffer bytes, long offset, long mark, CommitReader reader) {
        boolean isShort = bytes.capacity() <= EventChecksums.CHUNK_BYTES;
        if (isShort) {
            checkWhole(bytes, offset);
        } else {
            checkHeader(bytes, offset);
        }
        if (bytes.getByte(AT_TYPE) != TYPE_COMMIT) {
            throw new IllegalArgumentException("event " + offset + " is not a commit");
        }
        reader.wrap(bytes, isShort || mark != 0, mark);
    }

    /** Checks all that a checksum covers, but no hash. */
    void checkWhole(DirectBuffer bytes, long offset) {
        checkFrame(bytes, offset);
        checkCrc(bytes, offset);
        checkOffset(bytes, offset);
    }

    void wrapChanges(DirectBuffer bytes, long offset, ChangeReader reader) {
        if (isStripped(bytes)) {
            throw new EventFormatException(
                    EventFormatException.Kind.RECLAIMED, offset, changeCountOf(bytes) + " changes");
        }
        int end = bytes.capacity() - TRAILER_BYTES;
        reader.wrap(bytes, bytes.getInt(AT_HEADER_LENGTH), end, bytes.getInt(AT_CHANGE_COUNT), offset);
    }

    /** The hash that an event carries; {@link #verify} says whether it is right. */
    public static byte[] hashOf(DirectBuffer bytes) {
        return hashAt(bytes, bytes.capacity() - TRAILER_BYTES);
    }

    /** The hash of the event before it, as the event knows it. */
    public static byte[] previousHashOf(DirectBuffer bytes) {
        return hashAt(bytes, AT_PREVIOUS_HASH);
    }

    /**
     * Checks everything: CRCs, the event's own hash, its place in the chain. Of a stripped event the hash is what was
     * kept of it; the chain goes on over it.
     *
     * @return the event's hash
     * @throws EventFormatException when something is wrong
     */
    public byte[] verify(DirectBuffer bytes, long offset, byte[] previousHash) {
        decodeHeader(bytes, offset);
        checkCrc(bytes, offset);
        if (!Arrays.equals(previousHash, previousHashOf(bytes))) {
            throw EventFormatException.damaged(offset, "it does not follow the event before it");
        }
        if (isStripped(bytes)) {
            return hashOf(bytes);
        }
        byte[] hash = checksums.hash(bytes, bytes.capacity() - TRAILER_BYTES);
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
        checkFrame(bytes, offset);
        int header = bytes.getInt(AT_HEADER_LENGTH);
        if (bytes.getInt(header - CRC_BYTES) != checksums.crc(bytes, header - CRC_BYTES)) {
            throw EventFormatException.damaged(offset, "checksum of the header");
        }
        checkOffset(bytes, offset);
    }

    private void checkFrame(DirectBuffer bytes, long offset) {
        int length = bytes.capacity();
        if (length < LENGTH_MIN || bytes.getInt(0) != MAGIC) {
            throw EventFormatException.damaged(offset, "no event of " + length + " bytes");
        }
        int version = bytes.getShort(AT_VERSION) & 0xFFFF;
        if (version != VERSION) {
            checkCrc(bytes, offset);
            EventFormatException.Kind kind =
                    version > VERSION ? EventFormatException.Kind.TOO_NEW : EventFormatException.Kind.TOO_OLD;
            throw new EventFormatException(kind, offset, "layout version " + version);
        }
        int header = bytes.getInt(AT_HEADER_LENGTH);
        int whole = bytes.getInt(AT_LENGTH);
        boolean stripped = whole > length && header == length - TRAILER_BYTES && bytes.getInt(AT_CHANGE_COUNT) > 0;
        if ((whole != length && !stripped) || header < LENGTH_MIN - TRAILER_BYTES || header > length - TRAILER_BYTES) {
            throw EventFormatException.damaged(offset, "length");
        }
        if (stripped) {
            checkCrc(bytes, offset);
        }
    }

    private void checkCrc(DirectBuffer bytes, long offset) {
        int at = bytes.capacity() - CRC_BYTES;
        if (bytes.getInt(at) != checksums.crc(bytes, at)) {
            throw EventFormatException.damaged(offset, "checksum");
        }
    }

    private static void checkOffset(DirectBuffer bytes, long offset) {
        long own = bytes.getLong(AT_OFFSET);
        if (own != offset) {
            throw EventFormatException.damaged(offset, "it is event " + own);
        }
    }
}
