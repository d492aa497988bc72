package service.log.segment;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import service.core.event.EventCodec;
import service.core.value.Ulid;
import service.log.retain.Retention;

/**
 * The beginning of an image, before compression. Little-endian; an id is its high, then its low 64 bits.
 *
 * <pre>
 *   0    u32  magic "IMGE"
 *   4    u32  version, 1
 *   8    16   id of the graph
 *  24    i64  offset of the last event
 *  32    32   hash of the last event
 *  64    i64  offset of the base image that the copy came from; −1 without one
 *  72    32   SHA-256 of that base image; zeros without one
 * 104    i64  microseconds since 1970 at which the image was made
 * 112    i64  offset that the tables have applied
 * 120    32   SHA-256 of the file of the tables
 * 152    i64  L, length of the file of the log
 * 160    i64  T, length of the file of the tables
 * 168    L    data.mdb of the log
 * 168+L  T    data.mdb of the tables
 *  …     i64  n, number of blobs that cleanup has taken from the log and whose objects may still be there
 *  …     32n  their SHA-256
 * </pre>
 *
 * The object is one zstd frame of these bytes. The SHA-256 of the object is in its name.
 */
record ImageHeader(
        Ulid graph,
        long offset,
        byte[] hash,
        @Nullable ImageKey base,
        long madeMicros,
        Retention.Base tables,
        long logBytes,
        long tableBytes) {
    static final int MAGIC = 0x45474D49;
    static final int VERSION = 2;
    static final int BYTES = 168;
    private static final int DIGEST_BYTES = 32;

    byte[] encode() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(MAGIC).putInt(VERSION).putLong(graph.high()).putLong(graph.low());
        bytes.putLong(offset).put(hash);
        if (base == null) {
            bytes.putLong(-1).put(new byte[DIGEST_BYTES]);
        } else {
            bytes.putLong(base.offset()).put(HexFormat.of().parseHex(base.digest()));
        }
        bytes.putLong(madeMicros);
        bytes.putLong(tables.offset()).put(HexFormat.of().parseHex(tables.digest()));
        return bytes.putLong(logBytes).putLong(tableBytes).array();
    }

    /**
     * Reads a header.
     *
     * @throws Segment.Damage when the bytes are none, or of another version
     */
    static ImageHeader read(InputStream in) throws IOException {
        byte[] all = in.readNBytes(BYTES);
        if (all.length < BYTES) {
            throw new EOFException("it ends in its header");
        }
        ByteBuffer bytes = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt() != MAGIC) {
            throw new Segment.Damage("it is no image");
        }
        int version = bytes.getInt();
        if (version < 1 || version > VERSION) {
            throw new Segment.Damage("it is an image of version " + version);
        }
        Ulid graph = new Ulid(bytes.getLong(), bytes.getLong());
        long offset = bytes.getLong();
        byte[] hash = new byte[EventCodec.HASH_LENGTH];
        bytes.get(hash);
        long baseOffset = bytes.getLong();
        String baseDigest = digest(bytes);
        long made = bytes.getLong();
        Retention.Base tables = new Retention.Base(bytes.getLong(), digest(bytes));
        return new ImageHeader(
                graph,
                offset,
                hash,
                baseOffset < 0 ? null : new ImageKey(baseOffset, baseDigest),
                made,
                tables,
                bytes.getLong(),
                bytes.getLong());
    }

    private static String digest(ByteBuffer bytes) {
        byte[] digest = new byte[DIGEST_BYTES];
        bytes.get(digest);
        return HexFormat.of().formatHex(digest);
    }
}
