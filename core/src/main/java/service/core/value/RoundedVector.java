package service.core.value;

/**
 * A vector with its components rounded to 8 bits: a quarter of the bytes, for a first comparison. Immutable.
 *
 * @param words component {@code k * words.length + i} is the byte k of the word i, counted from the lowest; what
 *     follows the last component is 0. The just-in-time compiler makes vector instructions of a loop over such words,
 *     as it does for sums of ints, and not for sums of floats or bytes
 * @param step what a component of 1 is worth
 * @param error the length of the difference to the vector, or a little more
 */
public record RoundedVector(int[] words, float step, float error) {
    private static final int LARGEST = 127;

    /** Components in a word. */
    public static final int IN_WORD = Integer.SIZE / Byte.SIZE;

    /** The number of words for so many components. */
    public static int words(int dimensions) {
        return (dimensions + IN_WORD - 1) / IN_WORD;
    }

    /** Heap bytes of a rounded vector of so many components. */
    public static long bytes(int dimensions) {
        return HeapBytes.object(HeapBytes.REFERENCE + 2 * Float.BYTES)
                + HeapBytes.array(words(dimensions), Integer.BYTES);
    }

    /** Rounds a vector of finite components. */
    public static RoundedVector of(float[] vector) {
        float largest = 0;
        for (float component : vector) {
            largest = Math.max(largest, Math.abs(component));
        }
        float step = largest / LARGEST;
        int[] words = new int[words(vector.length)];
        int word = 0;
        int shift = 0;
        double square = 0;
        for (float component : vector) {
            // A step of 0 is that of components too small for one.
            int rounded = step == 0 ? 0 : Math.round(component / step);
            words[word] |= (rounded & 0xFF) << shift;
            if (++word == words.length) {
                word = 0;
                shift += Byte.SIZE;
            }
            double difference = component - (double) step * rounded;
            square += difference * difference;
        }
        return new RoundedVector(words, step, Math.nextUp((float) Math.sqrt(square)));
    }
}
