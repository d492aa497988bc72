package service.core.port;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Named byte sequences under one root, for example a directory or a prefix of a bucket.
 *
 * <p>Keys: segments of printable ASCII separated by {@code /}. No segment is empty, {@code .} or {@code ..}, contains a
 * backslash, or ends with {@code .new}. A key and a longer key that continues it with {@code /} must not exist at the
 * same time. Other keys are refused with an {@link IllegalArgumentException}.
 *
 * <p>Atomicity: an object exists with all its bytes or not at all, for readers and after a crash. Every method but
 * {@link #list} takes effect at one moment between its call and its return, for all threads and all processes that use
 * the root. Of several concurrent {@link #putIfAbsent} of one key exactly one succeeds; the same holds for
 * {@link #putIfMatch} of one version.
 *
 * <p>Durability: when a write returns success, the object survives a crash of the process and of the machine. A read
 * may return bytes whose write is still running, and which a crash of the machine can undo.
 *
 * <p>Errors: an {@link java.io.UncheckedIOException} names the key or the root when the store cannot be reached or
 * fails; a store behind a network throws an {@link ObjectStoreException}, whose kind says which remedy there is. A
 * write that throws has an unknown outcome: the object has its old bytes or the new ones. The caller settles it by
 * repeating the same conditional write or by reading the key. A condition that is not met is no error but a result.
 *
 * <p>Retries: a store does not repeat a write whose answer is lost, because the repetition would find its own object
 * and report that the condition is not met. {@code log.object} has a store around another one that repeats reads.
 *
 * <p>Thread rule: any thread; every method may block for I/O.
 */
public interface ObjectStore {
    /** Maximum number of bytes of an object that is written and read as an array. */
    int OBJECT_BYTES_MAX = 64 << 20;

    /** Maximum number of bytes of an object that is streamed: what an object of S3 may have. */
    long STREAM_BYTES_MAX = 5L << 40;

    /**
     * The bytes of an object.
     *
     * @param version identifies these bytes of this key for {@link ObjectStore#putIfMatch}; two different contents
     *     never have the same version, equal contents may have
     */
    record StoredObject(byte[] bytes, String version) {}

    /** The bytes of an object that is too large for an array. They must be the same at each reading. */
    interface Content {
        /** The number of bytes, at most {@link ObjectStore#STREAM_BYTES_MAX}. */
        long length();

        /** Begins to read the bytes. The store closes the stream. */
        InputStream open() throws IOException;
    }

    /**
     * The canonical URI of the root without a trailing slash: {@code file:///absolute/path} or
     * {@code s3://bucket/prefix}.
     */
    String location();

    /** The object; null when there is none. Fails when it has more than {@link #OBJECT_BYTES_MAX}. */
    @Nullable
    StoredObject get(String key);

    /**
     * Reads the bytes of an object of any length from a position to its end. For objects that are never replaced.
     *
     * @param from at least 0, at most the length of the object
     * @return null when there is no object. The caller closes the stream. It throws an {@link IOException} when the
     *     object ends before its length
     */
    @Nullable
    InputStream read(String key, long from);

    /**
     * Creates an object.
     *
     * @param bytes at most {@link #OBJECT_BYTES_MAX}; the caller must not change them during the call
     * @return whether it was created; false when the key has an object, which stays as it is
     */
    boolean putIfAbsent(String key, byte[] bytes);

    /** Creates an object from a stream. Otherwise as {@link #putIfAbsent(String, byte[])}. */
    boolean putIfAbsent(String key, Content content);

    /**
     * Replaces an object that has not changed since it was read.
     *
     * @param version of the object that was read
     * @param bytes as in {@link #putIfAbsent}
     * @return whether it was replaced; false when the object has another version or was deleted
     */
    boolean putIfMatch(String key, String version, byte[] bytes);

    /**
     * Deletes an object; does nothing when there is none. It has no condition, because not every bucket offers one: a
     * caller that does not own the key alone takes it over with {@link #putIfMatch} first.
     */
    void delete(String key);

    /** Maximum number of keys of one {@link #deleteAll}. */
    int DELETE_KEYS_MAX = 1_000;

    /**
     * Deletes objects, with one request where the store has such a request. Otherwise as {@link #delete} of each, in
     * any order: when it throws, each object is deleted or as it was, and the caller may repeat the call.
     *
     * @param keys at most {@link #DELETE_KEYS_MAX}; may be empty
     */
    void deleteAll(List<String> keys);

    /**
     * Lists keys in ascending order of their bytes. An object that is created or deleted during the call may be in the
     * list or not.
     *
     * @param prefix the keys begin with it; may end within a segment
     * @param after only keys greater than this one; empty for all
     * @param keysMax maximum number of keys returned, at least 1; a shorter list is the end
     */
    List<String> list(String prefix, String after, int keysMax);

    /**
     * Checks a key. Implementations call it in every method that takes one.
     *
     * @throws IllegalArgumentException when the key breaks the rules above
     */
    static void requireKey(String key) {
        if (!isKey(key)) {
            throw new IllegalArgumentException("`" + key + "` cannot be the key of an object");
        }
    }

    /** Whether a text keeps the rules of keys. */
    static boolean isKey(String text) {
        for (String segment : text.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..") || segment.endsWith(".new")) {
                return false;
            }
        }
        return text.chars().allMatch(letter -> letter > ' ' && letter < 0x7f && letter != '\\');
    }

    /** Checks the bytes of an object that is to be written. */
    static void requireSize(String key, byte[] bytes) {
        if (bytes.length > OBJECT_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "%s has %d bytes; an object has at most %d".formatted(key, bytes.length, OBJECT_BYTES_MAX));
        }
    }

    /** Checks the length of an object that is to be streamed. */
    static void requireSize(String key, Content content) {
        if (content.length() > STREAM_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "%s has %d bytes; an object has at most %d".formatted(key, content.length(), STREAM_BYTES_MAX));
        }
    }

    /** Checks the arguments of {@link #deleteAll}. */
    static void requireKeys(List<String> keys) {
        if (keys.size() > DELETE_KEYS_MAX) {
            throw new IllegalArgumentException(
                    "%d keys; at most %d are deleted at once".formatted(keys.size(), DELETE_KEYS_MAX));
        }
        keys.forEach(ObjectStore::requireKey);
    }

    /** Checks the arguments of {@link #list}. */
    static void requireList(String prefix, int keysMax) {
        if (keysMax < 1) {
            throw new IllegalArgumentException("at least one key, not " + keysMax);
        }
        int end = prefix.lastIndexOf('/');
        if (end >= 0) {
            requireKey(prefix.substring(0, end));
        }
    }
}
