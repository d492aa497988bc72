package service.log.retain;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What cleanup has reclaimed of one graph. Immutable; one value of the log's {@code meta} table.
 *
 * <p>Each incarnation has a <em>mark</em>: its events below that offset have lost their images, and its states below
 * that offset are gone, but for those <em>pinned</em>: heads and fork points that a live branch still needs. Marks only
 * rise. A mark applies as soon as it is durable, even if data below it still exists: {@link Phase} is the progress of
 * the physical deletion.
 *
 * <pre>
 *    0  u32  layout version, 1                          little-endian throughout
 *    4  u32  phase: 0 nothing to do · 1 marked, by an earlier version · 2 based · 3 marked
 *    8  i64  revision, +1 with every change
 *   16  i64  offset of the base image, −1 without one
 *   24  32   SHA-256 of the base image's file; zeros without one
 *   56  u32  n marks, each u32 incarnation · i64 mark
 *    …  u32  n pins, each u32 incarnation · i64 offset, ascending
 *    …  u32  CRC32C of all before it
 * </pre>
 */
public final class Retention {
    /** The progress of the physical deletion of a cleanup. */
    public enum Phase {
        /** Everything below the marks is deleted. */
        DONE,
        /** Marks are set; the tables may still hold reclaimed entries, and the log holds all reclaimed images. */
        MARKED,
        /** A base image made after the tables were swept is durable: the log may be stripped. */
        BASED
    }

    /**
     * A synced copy of the tables that contains what stripped events have lost.
     *
     * @param offset of the last event that it has applied, at least
     * @param digest SHA-256 of the file, hex
     */
    public record Base(long offset, String digest) {}

    /** Before the first cleanup. */
    public static final Retention NONE = new Retention(0, Phase.DONE, null, new long[0], new TreeMap<>());

    /** The mark of an incarnation of which only pinned states are needed. */
    public static final long EVERYTHING = Long.MAX_VALUE;

    private static final int VERSION = 1;
    private static final int DIGEST_BYTES = 32;
    private static final int FIXED_BYTES = 56;

    /** The code of {@link Phase#MARKED} of versions that deleted in the order of the keys. */
    private static final int MARKED_EARLIER = 1;

    private final long revision;
    private final Phase phase;
    private final @Nullable Base base;
    private final long[] marks;
    private final NavigableMap<Integer, long[]> pins;
    private final boolean sweptInKeyOrder;

    private Retention(
            long revision, Phase phase, @Nullable Base base, long[] marks, NavigableMap<Integer, long[]> pins) {
        this(revision, phase, base, marks, pins, false);
    }

    private Retention(
            long revision,
            Phase phase,
            @Nullable Base base,
            long[] marks,
            NavigableMap<Integer, long[]> pins,
            boolean sweptInKeyOrder) {
        this.revision = revision;
        this.phase = phase;
        this.base = base;
        this.marks = marks;
        this.pins = pins;
        this.sweptInKeyOrder = sweptInKeyOrder;
    }

    /**
     * The next state, with new marks.
     *
     * @param newMarks by incarnation
     * @param newPins by incarnation, each ascending
     */
    public Retention marked(long[] newMarks, Map<Integer, long[]> newPins) {
        return new Retention(revision + 1, Phase.MARKED, base, newMarks.clone(), new TreeMap<>(newPins));
    }

    /** The next state, with the marks and pins of another one. */
    public Retention markedAs(Retention plan) {
        return new Retention(revision + 1, Phase.MARKED, base, plan.marks, plan.pins);
    }

    /** The marks and pins alone, for {@link #markedAs} of another process. */
    public byte[] encodeMarks() {
        return new Retention(0, Phase.MARKED, null, marks, pins).encode();
    }

    /** Whether both have the same marks and pins. */
    public boolean takesTheSameAs(Retention other) {
        int n = Math.max(marks.length, other.marks.length);
        if (!Arrays.equals(Arrays.copyOf(marks, n), Arrays.copyOf(other.marks, n))
                || !pins.keySet().equals(other.pins.keySet())) {
            return false;
        }
        return pins.entrySet().stream()
                .allMatch(entry -> Arrays.equals(entry.getValue(), other.pins.get(entry.getKey())));
    }

    /** The next state: the base image is durable. */
    public Retention based(Base newBase, Phase newPhase) {
        return new Retention(revision + 1, newPhase, newBase, marks, pins);
    }

    /** The next state: everything reclaimed is deleted. */
    public Retention done() {
        return new Retention(revision + 1, Phase.DONE, base, marks, pins);
    }

    /**
     * Whether an earlier version may have stopped in the sweep. It deleted in the order of the keys, so that the entry
     * which says that an entity is deleted went before the older ones that it hides. Stopped in between, it left tables
     * that show the entity: they must be made again from the log before the sweep continues.
     */
    public boolean isSweptInKeyOrder() {
        return phase == Phase.MARKED && sweptInKeyOrder;
    }

    /** The next state: the tables were made again from the log. */
    public Retention withTablesOfLog() {
        return new Retention(revision + 1, phase, base, marks, pins);
    }

    public long revision() {
        return revision;
    }

    public Phase phase() {
        return phase;
    }

    /** The base image of a replay; null while every event is whole. */
    public @Nullable Base base() {
        return base;
    }

    /** Whether there was any cleanup at all. */
    public boolean isNone() {
        return marks.length == 0;
    }

    /** The first offset of the incarnation whose events are whole; 0 while all are. */
    public long mark(int incarnation) {
        return incarnation < marks.length ? marks[incarnation] : 0;
    }

    /** Marks by incarnation; missing ones are 0. */
    public long[] marks() {
        return marks.clone();
    }

    /** Number of states below the marks that live branches need. */
    public long pinCount() {
        return pins.values().stream().mapToLong(offsets -> offsets.length).sum();
    }

    /** Whether the images of an event of that incarnation are gone. */
    public boolean isReclaimed(int incarnation, long offset) {
        return offset < mark(incarnation);
    }

    /** Whether the state of an incarnation as of an offset can be read. */
    public boolean isReadable(int incarnation, long offset) {
        if (offset >= mark(incarnation)) {
            return true;
        }
        long[] kept = pins.get(incarnation);
        return kept != null && Arrays.binarySearch(kept, offset) >= 0;
    }

    /**
     * Whether any readable state of an incarnation is in [{@code from}, {@code until}): an entry written at
     * {@code from} and overwritten at {@code until} is needed exactly then.
     */
    public boolean isNeeded(int incarnation, long from, long until) {
        if (until > mark(incarnation)) {
            return true;
        }
        long[] kept = pins.get(incarnation);
        if (kept == null) {
            return false;
        }
        int at = Arrays.binarySearch(kept, from);
        int first = at >= 0 ? at : -at - 1;
        return first < kept.length && kept[first] < until;
    }

    /** The bytes as drawn above. */
    public byte[] encode() {
        int marked = (int) Arrays.stream(marks).filter(mark -> mark > 0).count();
        int pinned = Math.toIntExact(pinCount());
        ByteBuffer bytes = ByteBuffer.allocate(
                        FIXED_BYTES + 3 * Integer.BYTES + (marked + pinned) * (Integer.BYTES + Long.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(VERSION).putInt(code(phase, sweptInKeyOrder)).putLong(revision);
        bytes.putLong(base == null ? -1 : base.offset());
        bytes.put(base == null ? new byte[DIGEST_BYTES] : HexFormat.of().parseHex(base.digest()));
        bytes.putInt(marked);
        for (int incarnation = 0; incarnation < marks.length; incarnation++) {
            if (marks[incarnation] > 0) {
                bytes.putInt(incarnation).putLong(marks[incarnation]);
            }
        }
        bytes.putInt(pinned);
        pins.forEach((incarnation, offsets) -> {
            for (long offset : offsets) {
                bytes.putInt(incarnation).putLong(offset);
            }
        });
        bytes.putInt(crc(bytes.array(), bytes.position()));
        return bytes.array();
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException when it is damaged, or of a newer layout
     */
    public static Retention decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        int end = encoded.length - Integer.BYTES;
        if (end < FIXED_BYTES + 2 * Integer.BYTES || bytes.getInt(end) != crc(encoded, end)) {
            throw new IllegalArgumentException("checksum");
        }
        if (bytes.getInt() != VERSION) {
            throw new IllegalArgumentException("layout version " + bytes.getInt(0));
        }
        int code = bytes.getInt();
        long revision = bytes.getLong();
        long baseOffset = bytes.getLong();
        byte[] digest = new byte[DIGEST_BYTES];
        bytes.get(digest);
        int marked = bytes.getInt();
        int last = bytes.position() + (marked - 1) * (Integer.BYTES + Long.BYTES);
        long[] marks = new long[marked == 0 ? 0 : bytes.getInt(last) + 1];
        for (int left = marked; left > 0; left--) {
            int incarnation = bytes.getInt();
            marks[incarnation] = bytes.getLong();
        }
        NavigableMap<Integer, long[]> pins = new TreeMap<>();
        for (int left = bytes.getInt(); left > 0; left--) {
            int incarnation = bytes.getInt();
            long offset = bytes.getLong();
            pins.merge(incarnation, new long[] {offset}, Retention::joined);
        }
        Base base = baseOffset < 0 ? null : new Base(baseOffset, HexFormat.of().formatHex(digest));
        return new Retention(revision, phase(code), base, marks, pins, code == MARKED_EARLIER);
    }

    private static long[] joined(long[] a, long[] b) {
        long[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    private static int code(Phase phase, boolean sweptInKeyOrder) {
        return switch (phase) {
            case DONE -> 0;
            case MARKED -> sweptInKeyOrder ? MARKED_EARLIER : 3;
            case BASED -> 2;
        };
    }

    private static Phase phase(int code) {
        return switch (code) {
            case 0 -> Phase.DONE;
            case MARKED_EARLIER, 3 -> Phase.MARKED;
            case 2 -> Phase.BASED;
            default -> throw new IllegalArgumentException("phase " + code);
        };
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }
}
