package service.core.batch;

/**
 * Different texts, each with a code. Code 0 is null, the codes of texts begin at 1; no text has two codes. Compared by
 * identity: codes of two objects mean different things. Immutable; any thread.
 */
public final class Dictionary {
    /** The code of null. */
    public static final char NULL = 0;

    /** The UTF-8 bytes of all texts: those of a code begin at {@code starts[code]}. */
    public final byte[] bytes;

    public final int[] starts;

    /** Bytes of the text of each code. */
    public final int[] lengths;

    /**
     * Makes one.
     *
     * @param bytes the texts in the order of their codes
     * @param ends for each text the end of its bytes
     */
    public Dictionary(byte[] bytes, int[] ends) {
        this.bytes = bytes;
        this.starts = new int[ends.length + 1];
        this.lengths = new int[ends.length + 1];
        for (int i = 0; i < ends.length; i++) {
            starts[i + 1] = i == 0 ? 0 : ends[i - 1];
            lengths[i + 1] = ends[i] - starts[i + 1];
        }
    }

    /** The number of codes; null has one. */
    public int size() {
        return starts.length;
    }

    /** Heap bytes. */
    public long heapBytes() {
        return bytes.length + 8L * starts.length;
    }
}
