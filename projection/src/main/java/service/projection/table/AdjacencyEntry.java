package service.projection.table;

import org.agrona.UnsafeApi;
import service.log.lmdb.KeyBuffer;
import service.log.lmdb.MappedBytes;

/**
 * An entry of {@link AdjacencyTable}, and how a run codes it as the difference from the entry before it; the first one
 * of a run is coded as after one of zeros. Numbers are little-endian and have as many bytes as they need.
 *
 * <pre>
 *  u8 control   bits 0–1  0 the member of the entry before · 1 its node · 2 the node after it · 3 any other lane or node
 *               bit 2     live
 *               bit 3     incarnation and offset are those of the entry before
 *               bits 4–5  bytes of far − 1 · bits 6–7 bytes of edge − 1          0 when the member is the same
 *  kind 3       u8 bytes of lane, and × 16 of node · lane − lane before
 *               · node, in the same lane − node before
 *  kind 1–3     far: kind 1 neighbour − neighbour before, else zigzag(neighbour − node) · zigzag(edge − edge before)
 *  bit 3 is 0   u8 bytes of incarnation, and × 16 of offset · zigzag of both − those before
 * </pre>
 *
 * Bytes are read in words that end where the number ends, so the bytes before a run must be readable, and those after
 * it need not be. They are written in words that begin where the number begins. One thread.
 */
final class AdjacencyEntry {
    /** Of one entry, at most. */
    static final int BYTES_MAX = 1 + 1 + 4 + 4 + 4 + 4 + 1 + 4 + 8;

    /** The bytes before a run that may be read with it. */
    static final int BYTES_BEFORE = 8;

    /** The bytes after an entry that may be written with it. */
    static final int BYTES_AFTER = 8;

    private static final int KIND = 0b11;
    private static final int SAME_MEMBER = 0;
    private static final int SAME_NODE = 1;
    private static final int NEXT_NODE = 2;
    private static final int OTHER_NODE = 3;
    private static final int LIVE = 1 << 2;
    private static final int SAME_VERSION = 1 << 3;
    private static final int FAR_BYTES = 4;
    private static final int EDGE_BYTES = 6;

    int lane;
    int node;
    int neighbour;
    int edge;
    int incarnation;
    long offset;
    boolean live;

    /** Becomes what the first entry of a run is coded after. */
    void clear() {
        lane = 0;
        node = 0;
        neighbour = 0;
        edge = 0;
        incarnation = 0;
        offset = 0;
        live = false;
    }

    void set(AdjacencyEntry other) {
        lane = other.lane;
        node = other.node;
        neighbour = other.neighbour;
        edge = other.edge;
        incarnation = other.incarnation;
        offset = other.offset;
        live = other.live;
    }

    /** Takes the parts of a key of {@value AdjacencyTable#KEY_BYTES} bytes. */
    void key(long address) {
        lane = MappedBytes.keyIntAt(address);
        node = MappedBytes.keyIntAt(address + 4);
        neighbour = MappedBytes.keyIntAt(address + 8);
        edge = MappedBytes.keyIntAt(address + 12);
        incarnation = ~MappedBytes.keyIntAt(address + 16);
        offset = ~MappedBytes.keyLongAt(address + 20);
    }

    void putKey(KeyBuffer into) {
        AdjacencyTable.member(into, lane, node, neighbour, edge);
        into.putInt(~incarnation).putLong(~offset);
    }

    boolean isOfMember(AdjacencyEntry other) {
        return edge == other.edge && neighbour == other.neighbour && node == other.node && lane == other.lane;
    }

    /** In the order of keys: versions descend. */
    int compare(AdjacencyEntry other) {
        int order = Integer.compareUnsigned(lane, other.lane);
        order = order != 0 ? order : Integer.compareUnsigned(node, other.node);
        order = order != 0 ? order : Integer.compareUnsigned(neighbour, other.neighbour);
        order = order != 0 ? order : Integer.compareUnsigned(edge, other.edge);
        order = order != 0 ? order : Integer.compareUnsigned(other.incarnation, incarnation);
        return order != 0 ? order : Long.compareUnsigned(other.offset, offset);
    }

    /** Becomes the next entry of a run, and returns the address after it. */
    long read(long address) {
        int control = MappedBytes.byteAt(address);
        long at = address + 1;
        live = (control & LIVE) != 0;
        int kind = control & KIND;
        if (kind != SAME_MEMBER) {
            if (kind == NEXT_NODE) {
                node++;
            } else if (kind == OTHER_NODE) {
                at = readNode(at);
            }
            at += (control >>> FAR_BYTES & 3) + 1;
            int far = wordBefore(at, (control >>> FAR_BYTES & 3) + 1);
            neighbour = kind == SAME_NODE ? neighbour + far : node + unzigzag(far);
            at += (control >>> EDGE_BYTES & 3) + 1;
            edge += unzigzag(wordBefore(at, (control >>> EDGE_BYTES & 3) + 1));
        }
        return (control & SAME_VERSION) != 0 ? at : readVersion(at);
    }

    private long readNode(long address) {
        int lengths = MappedBytes.byteAt(address);
        long at = address + 1 + (lengths & 0xF);
        int laneDifference = (int) numberBefore(at, lengths & 0xF);
        at += lengths >>> 4 & 0xF;
        int nodeDifference = (int) numberBefore(at, lengths >>> 4 & 0xF);
        lane += laneDifference;
        node = laneDifference == 0 ? node + nodeDifference : nodeDifference;
        return at;
    }

    private long readVersion(long address) {
        int lengths = MappedBytes.byteAt(address);
        long at = address + 1 + (lengths & 0xF);
        incarnation += unzigzag((int) numberBefore(at, lengths & 0xF));
        at += lengths >>> 4 & 0xF;
        offset += unzigzag(numberBefore(at, lengths >>> 4 & 0xF));
        return at;
    }

    /** Writes this entry after another, and returns the address after it. */
    long write(long address, AdjacencyEntry before) {
        int kind = kindAfter(before);
        int control = kind | (live ? LIVE : 0);
        long at = address + 1;
        if (kind == OTHER_NODE) {
            int laneDifference = lane - before.lane;
            at = writeTwo(at, laneDifference & 0xFFFF_FFFFL, unsigned(laneDifference == 0 ? node - before.node : node));
        }
        if (kind != SAME_MEMBER) {
            long far = unsigned(kind == SAME_NODE ? neighbour - before.neighbour : zigzag(neighbour - node));
            long other = unsigned(zigzag(edge - before.edge));
            int farBytes = Math.max(1, bytes(far));
            int edgeBytes = Math.max(1, bytes(other));
            control |= ((farBytes - 1) << FAR_BYTES) | ((edgeBytes - 1) << EDGE_BYTES);
            at = writeNumber(writeNumber(at, far, farBytes), other, edgeBytes);
        }
        if (incarnation == before.incarnation && offset == before.offset) {
            control |= SAME_VERSION;
        } else {
            at = writeTwo(at, unsigned(zigzag(incarnation - before.incarnation)), zigzag(offset - before.offset));
        }
        UnsafeApi.putByte(address, (byte) control);
        return at;
    }

    private int kindAfter(AdjacencyEntry before) {
        if (lane != before.lane) {
            return OTHER_NODE;
        }
        if (node != before.node) {
            return node == before.node + 1 ? NEXT_NODE : OTHER_NODE;
        }
        return isOfMember(before) ? SAME_MEMBER : SAME_NODE;
    }

    private static long writeTwo(long address, long first, long second) {
        int firstBytes = bytes(first);
        int secondBytes = bytes(second);
        UnsafeApi.putByte(address, (byte) (firstBytes | secondBytes << 4));
        return writeNumber(writeNumber(address + 1, first, firstBytes), second, secondBytes);
    }

    private static long writeNumber(long address, long number, int bytes) {
        UnsafeApi.putLong(address, number);
        return address + bytes;
    }

    private static int bytes(long number) {
        return (Long.SIZE - Long.numberOfLeadingZeros(number) + Byte.SIZE - 1) / Byte.SIZE;
    }

    /** Of 1 to 4 bytes that end at an address. */
    private static int wordBefore(long end, int bytes) {
        return UnsafeApi.getInt(end - Integer.BYTES) >>> ((Integer.BYTES - bytes) * Byte.SIZE);
    }

    /** Of 0 to 8 bytes that end at an address. */
    private static long numberBefore(long end, int bytes) {
        return bytes == 0 ? 0 : UnsafeApi.getLong(end - Long.BYTES) >>> ((Long.BYTES - bytes) * Byte.SIZE);
    }

    private static long unsigned(int number) {
        return number & 0xFFFF_FFFFL;
    }

    private static int zigzag(int number) {
        return (number << 1) ^ (number >> 31);
    }

    private static int unzigzag(int number) {
        return (number >>> 1) ^ -(number & 1);
    }

    private static long zigzag(long number) {
        return (number << 1) ^ (number >> 63);
    }

    private static long unzigzag(long number) {
        return (number >>> 1) ^ -(number & 1);
    }
}
