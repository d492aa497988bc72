package service.projection.search.index;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.agrona.collections.MutableInteger;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;

/** The texts of some entities in a view, analysed. Immutable once it is made. */
final class ShownTexts {
    /** Where a term stands: the places of texts, ascending, and how often in each. */
    static final class Places {
        private int[] texts = new int[2];
        private int[] frequencies = new int[2];
        private int size;

        private void add(int text, int frequency) {
            if (size == texts.length) {
                texts = Arrays.copyOf(texts, 2 * size);
                frequencies = Arrays.copyOf(frequencies, 2 * size);
            }
            texts[size] = text;
            frequencies[size++] = frequency;
        }

        int size() {
            return size;
        }
    }

    private static final Places NOWHERE = new Places();
    private static final int TERM_BYTES = 120;
    private static final long BATCH_BYTES = 4 << 20;

    private final Map<String, Places> terms = new HashMap<>();
    private final int[] ordinals;
    private final int[] lengths;
    private int size;
    private long length;
    private long bytes;

    private ShownTexts(int most) {
        this.ordinals = new int[most];
        this.lengths = new int[most];
    }

    /**
     * Reads and analyses.
     *
     * @param touched ordinals of the type of the field; those that are not live, or have no text, are left out
     * @param bytesMax heap that the texts may take
     * @param work takes the number of texts
     * @return null when they take more
     */
    static @Nullable ShownTexts read(
            GraphView view, IndexedField field, int[] touched, long bytesMax, IntConsumer work) {
        ShownTexts texts = new ShownTexts(touched.length);
        EntityColumn rows = new EntityColumn();
        for (int from = 0; from < touched.length && texts.bytes <= bytesMax; ) {
            rows.reset(Column.CAPACITY);
            int size = 0;
            long read = 0;
            for (; from < touched.length && size < Column.CAPACITY && read < BATCH_BYTES; from++) {
                if (view.isLive(field.type(), touched[from])) {
                    rows.set(size++, field.type(), touched[from], EntityColumn.NO_RECORD);
                    read += view.imageBytes(field.type(), touched[from]);
                }
            }
            texts.add(view, field, rows, size);
            work.accept(size);
        }
        return texts.bytes <= bytesMax ? texts : null;
    }

    private void add(GraphView view, IndexedField field, EntityColumn rows, int number) {
        Column values = field.column();
        view.read(field.property().identity(), rows, number, values);
        for (int row = 0; row < number; row++) {
            if (!values.isNull(row)) {
                add(field, rows.ordinals[row], values, row);
            }
        }
    }

    private void add(IndexedField field, int ordinal, Column values, int row) {
        Map<String, MutableInteger> counts = new HashMap<>();
        MutableInteger number = new MutableInteger();
        field.analyse(values, row, (term, chars, position) -> {
            number.value++;
            counts.computeIfAbsent(new String(term, 0, chars), any -> new MutableInteger()).value++;
        });
        counts.forEach((term, count) -> {
            Places places = terms.get(term);
            if (places == null) {
                places = new Places();
                terms.put(term, places);
                bytes += TERM_BYTES + 2L * term.length();
            }
            places.add(size, count.value);
            bytes += 2L * Long.BYTES;
        });
        ordinals[size] = ordinal;
        lengths[size++] = number.value;
        length += number.value;
    }

    IndexSnapshot.Texts texts() {
        return new IndexSnapshot.Texts(size, length);
    }

    Places places(String term) {
        return terms.getOrDefault(term, NOWHERE);
    }

    /** Adds the texts that have a term of a query, with their scores. */
    void rank(List<String> query, ExactLength scores, Map<BytesRef, Double> weights, Candidates into) {
        double[] sums = new double[size];
        for (String term : query) {
            double weight = weights.getOrDefault(new BytesRef(term), 0.0);
            Places places = places(term);
            for (int i = 0; i < places.size; i++) {
                int text = places.texts[i];
                sums[text] += scores.part(weight, places.frequencies[i], lengths[text]);
            }
        }
        for (int text = 0; text < size; text++) {
            if (sums[text] > 0) {
                into.add(ordinals[text], (float) sums[text]);
            }
        }
    }

    /** The heap that it takes, about. */
    long bytes() {
        return bytes + 2L * Integer.BYTES * ordinals.length;
    }
}
