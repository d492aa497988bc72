package service.log.segment;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import service.core.event.EventCodec;
import service.core.value.Ulid;

/**
 * The beginning of a segment. Little-endian; an id is its high, then its low 64 bits.
 *
 * <pre>
 *   0    u32  magic "SGMT"
 *   4    u32  version, 1
 *   8    16   id of the graph
 *  24    i64  offset of the first event
 *  32    i64  offset of the last event
 *  40    32   hash of the event before the first; zeros at offset 0
 *  72    32   hash of the last event
 * 104    i64  E, length of the events in bytes
 * 112    u32  S, length of the secret: 32 in the segment of offset 0, else 0
 * 116    S    the secret of the graph
 * 116+S  u32  CRC32C of all bytes before it
 * 120+S       one zstd frame of E bytes: the events back to back, in the layout of {@link EventCodec}
 *  end   u32  CRC32C of all bytes before it
 * </pre>
 *
 * @param hashBefore of the event before the first
 * @param hash of the last event
 * @param eventBytes length of the events, not compressed
 * @param secret of the graph in the segment of offset 0; otherwise empty
 */
record SegmentHeader(
        Ulid graph, long first, long last, byte[] hashBefore, byte[] hash, long eventBytes, byte[] secret) {
    static final int MAGIC = 0x544D4753;
    static final int VERSION = 1;
    static final int SECRET_BYTES = 32;

    /** The bytes before the secret. */
    private static final int FIXED_BYTES = 116;

    private static final int SECRET_LENGTH_AT = 112;

    /** The bytes, with their checksum. */
    byte[] encode() {
        ByteBuffer bytes =
                ByteBuffer.allocate(FIXED_BYTES + secret.length + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(MAGIC).putInt(VERSION).putLong(graph.high()).putLong(graph.low());
        bytes.putLong(first).putLong(last).put(hashBefore).put(hash).putLong(eventBytes);
        bytes.putInt(secret.length).put(secret);
        return bytes.putInt(crc(bytes.array(), bytes.position())).array();
    }

    /**
     * Reads a header.
     *
     * @throws Segment.Damage when the bytes are none, or of another version
     */
    static SegmentHeader read(InputStream in) throws IOException {
        byte[] fixed = bytes(in, FIXED_BYTES);
        ByteBuffer header = ByteBuffer.wrap(fixed).order(ByteOrder.LITTLE_ENDIAN);
        if (header.getInt() != MAGIC) {
            throw new Segment.Damage("it is no segment");
        }
        int version = header.getInt();
        if (version != VERSION) {
            throw new Segment.Damage("it is a segment of version " + version);
        }
        int secretLength = header.getInt(SECRET_LENGTH_AT);
        if (secretLength != 0 && secretLength != SECRET_BYTES) {
            throw new Segment.Damage("length of the secret");
        }
        byte[] secret = bytes(in, secretLength);
        byte[] all = ByteBuffer.allocate(FIXED_BYTES + secretLength)
                .put(fixed)
                .put(secret)
                .array();
        if (ByteBuffer.wrap(bytes(in, Integer.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getInt()
                != crc(all, all.length)) {
            throw new Segment.Damage("checksum of its header");
        }
        Ulid graph = new Ulid(header.getLong(), header.getLong());
        long first = header.getLong();
        long last = header.getLong();
        byte[] hashBefore = new byte[EventCodec.HASH_LENGTH];
        byte[] hash = new byte[EventCodec.HASH_LENGTH];
        header.get(hashBefore).get(hash);
        return new SegmentHeader(graph, first, last, hashBefore, hash, header.getLong(), secret);
    }

    private static byte[] bytes(InputStream in, int count) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("it ends in its header");
        }
        return bytes;
    }

    private static int crc(byte[] bytes, int count) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, count);
        return (int) crc.getValue();
    }
}
