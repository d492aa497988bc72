package service.projection.search.index;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.MutableInteger;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.port.GraphView;
import service.core.port.TextIndex;
import service.core.value.HeapBytes;

/** The texts of some entities in a view, analysed. Immutable once it is made. */
final class ShownTexts {
    /** Where a term stands: the places of texts, ascending, and how often in each. */
    static final class Places {
        private int[] texts = new int[FIRST];
        private int[] frequencies = new int[FIRST];
        private int size;

        int size() {
            return size;
        }
    }

    private static final Places NOWHERE = new Places();
    private static final int FIRST = 2;

    /** An entry of a map with two references for it in a table that is half full. */
    private static final long ENTRY_BYTES =
            HeapBytes.object(3 * HeapBytes.REFERENCE + Integer.BYTES) + 2L * HeapBytes.REFERENCE;

    private static final long TERM_BYTES = ENTRY_BYTES
            + HeapBytes.object(2 * HeapBytes.REFERENCE + Integer.BYTES)
            + 2 * HeapBytes.array(FIRST, Integer.BYTES);

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
     * @param only the terms that are kept; null for all
     * @param bytesMax heap that the texts may take
     * @param payer is charged for {@link #bytes} afterwards
     * @return null when they take more; then nothing is charged
     */
    static @Nullable ShownTexts read(
            GraphView view,
            IndexedField field,
            int[] touched,
            @Nullable Set<String> only,
            long bytesMax,
            TextIndex.Payer payer) {
        try (Tab kept = new Tab(payer);
                Tab reading = new Tab(payer)) {
            ShownTexts texts = new Reading(view, field, only, kept, reading).read(touched, bytesMax);
            if (texts != null) {
                kept.leave();
            }
            return texts;
        }
    }

    /**
     * Makes them.
     *
     * @param kept is charged for what is made
     * @param reading is charged for what is needed meanwhile
     */
    private record Reading(
            GraphView view, IndexedField field, @Nullable Set<String> only, Tab kept, Tab reading) {
        @Nullable
        ShownTexts read(int[] touched, long bytesMax) {
            long arrays = 2 * HeapBytes.array(touched.length, Integer.BYTES);
            kept.charge(arrays);
            ShownTexts texts = new ShownTexts(touched.length);
            texts.bytes = arrays;
            EntityColumn rows = new EntityColumn();
            rows.belongTo(reading);
            Column values = field.column();
            values.belongTo(reading);
            for (int from = 0; from < touched.length && texts.bytes <= bytesMax; ) {
                rows.reset(Column.CAPACITY);
                int number = 0;
                long read = 0;
                for (; from < touched.length && number < Column.CAPACITY && read < BATCH_BYTES; from++) {
                    if (view.isLive(field.type(), touched[from])) {
                        rows.set(number++, field.type(), touched[from], EntityColumn.NO_RECORD);
                        read += view.imageBytes(field.type(), touched[from]);
                    }
                }
                reading.examined(number);
                view.read(field.property().identity(), rows, number, values);
                for (int row = 0; row < number; row++) {
                    if (!values.isNull(row)) {
                        add(texts, rows.ordinals[row], values, row);
                    }
                }
            }
            return texts.bytes <= bytesMax ? texts : null;
        }

        private void add(ShownTexts texts, int ordinal, Column values, int row) {
            try (Tab ofText = new Tab(reading)) {
                Map<String, MutableInteger> counts = new HashMap<>();
                MutableInteger number = new MutableInteger();
                field.analyse(ofText, values, row, (term, chars, position) -> {
                    number.value++;
                    ofText.bytes(chars);
                    String text = new String(term, 0, chars);
                    if (only != null && !only.contains(text)) {
                        return;
                    }
                    MutableInteger count = counts.get(text);
                    if (count == null) {
                        ofText.charge(ENTRY_BYTES + HeapBytes.of(text) + HeapBytes.SMALL);
                        count = new MutableInteger();
                        counts.put(text, count);
                    }
                    count.value++;
                });
                counts.forEach((term, count) -> add(texts, term, count.value));
                texts.ordinals[texts.size] = ordinal;
                texts.lengths[texts.size++] = number.value;
                texts.length += number.value;
            }
        }

        /** Adds a term of the text that comes next. */
        private void add(ShownTexts texts, String term, int frequency) {
            Places places = texts.terms.get(term);
            if (places == null) {
                charge(texts, TERM_BYTES + HeapBytes.of(term));
                places = new Places();
                texts.terms.put(term, places);
            }
            if (places.size == places.texts.length) {
                int room = 2 * places.size;
                charge(texts, 2 * (HeapBytes.array(room, Integer.BYTES) - HeapBytes.array(places.size, Integer.BYTES)));
                places.texts = Arrays.copyOf(places.texts, room);
                places.frequencies = Arrays.copyOf(places.frequencies, room);
            }
            places.texts[places.size] = texts.size;
            places.frequencies[places.size++] = frequency;
        }

        private void charge(ShownTexts texts, long more) {
            kept.charge(more);
            texts.bytes += more;
        }
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

    /** The heap that it takes. */
    long bytes() {
        return bytes;
    }
}
