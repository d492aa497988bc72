package service.log.segment;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import service.core.error.DamagedDataException;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.core.value.Value;
import service.log.group.LogTail;

/**
 * The objects of one graph below {@code graphs/<id>/}. A stream that fails on the way throws an
 * {@link ObjectStoreException}, so that an {@link IOException} always means damaged bytes. Any thread.
 */
public final class SegmentStore {
    private static final String LOG = "log/";
    private static final String PACKED = "packed/";
    private static final String BLOBS = "blobs/";
    private static final String LEASE = "lease";
    private static final String TURN = "turn";

    private static final String END = ".seg";
    private static final int OFFSET_DIGITS = 20;
    private static final Pattern PACKED_NAME =
            Pattern.compile("(\\d{" + OFFSET_DIGITS + "})-(\\d{" + OFFSET_DIGITS + "})\\" + END);

    private static final Pattern BLOB_NAME = Pattern.compile("(\\d{" + OFFSET_DIGITS + "})-\\p{XDigit}{64}");

    /** How long objects stay that are not needed any more, where nothing else is said. */
    public static final Duration RECLAIM_DELAY = Duration.ofMinutes(10);

    private final ObjectStore store;
    private final String prefix;
    private final Duration reclaimDelay;
    private final Supplier<LastLook.Moment> clocks;

    /** @param graphId the name of the graph in its cluster, a segment of a key */
    public SegmentStore(ObjectStore store, String graphId) {
        this(store, graphId, RECLAIM_DELAY);
    }

    /**
     * The objects of a graph.
     *
     * @param reclaimDelay how long packing and cleanup keep what they replace. All processes of a root must have the
     *     same: a process that has looked at the bucket half of this time ago relies on it
     */
    public SegmentStore(ObjectStore store, String graphId, Duration reclaimDelay) {
        this(store, graphId, reclaimDelay, LastLook.Moment::ofMachine);
    }

    /** @param clocks by which the age of a look is known */
    SegmentStore(ObjectStore store, String graphId, Duration reclaimDelay, Supplier<LastLook.Moment> clocks) {
        this.store = store;
        this.prefix = "graphs/" + graphId + "/";
        this.reclaimDelay = reclaimDelay;
        this.clocks = clocks;
    }

    /** This moment by the clocks of the process. */
    LastLook.Moment now() {
        return clocks.get();
    }

    /** How long packing and cleanup keep what they replace. */
    Duration reclaimDelay() {
        return reclaimDelay;
    }

    /** The images of the same graph. */
    ImageStore images() {
        return new ImageStore(store, this, prefix);
    }

    /** The URI of the graph's objects. */
    public String location() {
        return store.location() + "/" + prefix;
    }

    /** The key of the segment whose first event has an offset. */
    String key(long first) {
        return prefix + LOG + digits(first) + END;
    }

    String uri(String key) {
        return store.location() + "/" + key;
    }

    /**
     * The first offsets of the next segments, ascending.
     *
     * @param after only segments that begin after this offset; −1 for all
     */
    List<Long> firstOffsets(long after, int max) {
        String folder = prefix + LOG;
        return offsets(store.list(folder, after < 0 ? "" : key(after), max), folder, END);
    }

    /** The offsets in the names of objects; other names are passed over. */
    private static List<Long> offsets(List<String> keys, String folder, String end) {
        Pattern offset = Pattern.compile("\\d{" + OFFSET_DIGITS + "}" + Pattern.quote(end));
        return keys.stream()
                .map(key -> key.substring(folder.length()))
                .filter(name -> offset.matcher(name).matches())
                .map(name -> Long.parseLong(name.substring(0, OFFSET_DIGITS)))
                .toList();
    }

    /** Whether there is a graph: its first segment is created first, never packed, and deleted first. */
    public boolean isGraph() {
        List<Long> first = firstOffsets(-1, 1);
        return !first.isEmpty() && first.getFirst() == 0;
    }

    /** The key of a packed object. */
    String key(PackedRange packed) {
        return prefix + PACKED + digits(packed.first()) + "-" + digits(packed.last()) + END;
    }

    private static String digits(long offset) {
        return String.format("%0" + OFFSET_DIGITS + "d", offset);
    }

    /**
     * The next packed objects, ascending by their first offsets.
     *
     * @param from only those that begin at this offset or after it
     */
    List<PackedRange> packedFrom(long from, int max) {
        String folder = prefix + PACKED;
        String after = from <= 0 ? "" : folder + digits(from);
        return store.list(folder, after, max).stream()
                .map(key -> PACKED_NAME.matcher(key.substring(folder.length())))
                .filter(Matcher::matches)
                .map(name -> new PackedRange(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                .toList();
    }

    /** Creates a packed object; false when its key has an object. */
    boolean createPacked(Segment packed) {
        return store.putIfAbsent(
                key(new PackedRange(packed.header().first(), packed.header().last())), packed);
    }

    /** Deletes segments by their first offsets; their events are in another object. */
    void deleteSegments(List<Long> firsts) {
        deleteAll(firsts.stream().map(this::key).toList());
    }

    /** Deletes packed objects, whose events are in another object. */
    void deletePacked(List<PackedRange> ranges) {
        deleteAll(ranges.stream().map(this::key).toList());
    }

    /** Who does the background work of the graph; null before the first. */
    ObjectStore.@Nullable StoredObject lease() {
        return store.get(prefix + LEASE);
    }

    /**
     * Replaces the lease.
     *
     * @param version of the one before; null to create the first
     * @return whether no other process was faster
     */
    boolean putLease(@Nullable String version, byte[] lease) {
        return version == null
                ? store.putIfAbsent(prefix + LEASE, lease)
                : store.putIfMatch(prefix + LEASE, version, lease);
    }

    /** Whether there is a request for a turn. */
    boolean isTurnWanted() {
        return store.get(prefix + TURN) != null;
    }

    /** Creates the request for a turn; false when there is one. */
    boolean createTurn(byte[] bytes) {
        return store.putIfAbsent(prefix + TURN, bytes);
    }

    void deleteTurn() {
        store.delete(prefix + TURN);
    }

    /** Whether a key is that of a note from one process to the others, which is no part of the graph. */
    boolean isNote(String key) {
        return key.equals(prefix + LEASE) || key.equals(prefix + TURN);
    }

    /**
     * Deletes the blobs of generations before one ({@link LogTail#generation}): the events that brought them are before
     * that one.
     *
     * @param beforeDeletion called before each deletion; may throw
     */
    void deleteBlobsBefore(long generation, Runnable beforeDeletion) {
        String folder = prefix + BLOBS;
        String after = "";
        List<String> page;
        do {
            page = store.list(folder, after, ObjectStore.DELETE_KEYS_MAX);
            List<String> old = page.stream()
                    .filter(key -> generation(key.substring(folder.length())) < generation)
                    .toList();
            if (!old.isEmpty()) {
                beforeDeletion.run();
                store.deleteAll(old);
            }
            after = page.isEmpty() ? after : page.getLast();
        } while (page.size() == ObjectStore.DELETE_KEYS_MAX);
    }

    private static long generation(String blobName) {
        Matcher name = BLOB_NAME.matcher(blobName);
        return name.matches() ? Long.parseLong(name.group(1)) : LogTail.FIRST_GENERATION;
    }

    /** Deletes objects, the first ones of the list first. */
    void deleteAll(List<String> keys) {
        for (int from = 0; from < keys.size(); from += ObjectStore.DELETE_KEYS_MAX) {
            store.deleteAll(keys.subList(from, Math.min(keys.size(), from + ObjectStore.DELETE_KEYS_MAX)));
        }
    }

    /** Creates a segment; false when its key has an object. */
    boolean create(Segment segment) {
        return store.putIfAbsent(key(segment.header().first()), segment);
    }

    @Nullable
    InputStream read(String key) {
        InputStream bytes = store.read(key, 0);
        return bytes == null ? null : new Sure(uri(key), bytes);
    }

    /**
     * Creates a blob unless it is there.
     *
     * @param generation of the end of the log before the event that brings it
     */
    void createBlob(Value.ManagedBlob blob, long generation, ObjectStore.Content content) {
        store.putIfAbsent(key(blob, generation), content);
    }

    /**
     * Reads a blob.
     *
     * @param generation of the end of the log before the event that brings it
     * @throws DamagedDataException when it is missing
     */
    InputStream blob(Value.ManagedBlob blob, long generation) {
        String key = key(blob, generation);
        InputStream bytes = read(key);
        if (bytes == null) {
            throw DamagedDataException.blob(blob.hex(), uri(key) + " is missing");
        }
        return bytes;
    }

    /** The key of a blob of a generation. */
    String key(Value.ManagedBlob blob, long generation) {
        String place = generation == LogTail.FIRST_GENERATION ? "" : digits(generation) + "-";
        return prefix + BLOBS + place + blob.hex();
    }

    /** Names a failure of the way. */
    private static final class Sure extends FilterInputStream {
        private final String uri;

        Sure(String uri, InputStream bytes) {
            super(bytes);
            this.uri = uri;
        }

        private ObjectStoreException failure(IOException e) {
            return new ObjectStoreException(
                    ObjectStoreException.Kind.UNREACHABLE, uri + ": the answer was cut", null, e);
        }

        @Override
        public int read() {
            try {
                return in.read();
            } catch (IOException e) {
                throw failure(e);
            }
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            try {
                return in.read(into, offset, length);
            } catch (IOException e) {
                throw failure(e);
            }
        }
    }
}
