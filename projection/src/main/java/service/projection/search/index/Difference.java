package service.projection.search.index;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.collections.IntHashSet;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import service.projection.table.ArrivalTable;
import service.projection.table.TableAccess;
import service.projection.temporal.Chain;

/**
 * Where a view differs from an index of {@code main}: the entities whose searched values were changed on {@code main}
 * between the offset of the index and that of the view, in either direction, and those that the branches of the view
 * have changed. What a view finds is the documents of all others, and these from its records.
 *
 * <p>It keeps what was learned about it, so searches of the same view share that. Any thread.
 */
final class Difference {
    /** More changes are not collected: reading all records costs no more. */
    private static final int TOUCHED_MAX = 100_000;

    private static final int TERMS_KEPT = 1_024;

    private static final int ENTRY_BYTES = 64;

    /** The documents of a type that the view does not have so: ascending, for each leaf of the snapshot. */
    private record Hidden(int[][] documents) {}

    private final IndexSnapshot snapshot;
    private final Map<Integer, int[]> touched;
    private final Map<Integer, Hidden> hidden = new ConcurrentHashMap<>();
    private final Map<String, IndexSnapshot.Texts> texts = new ConcurrentHashMap<>();
    private final Map<String, Long> having = new ConcurrentHashMap<>();
    private final Map<String, ShownTexts> shown = new ConcurrentHashMap<>();

    private Difference(IndexSnapshot snapshot, Map<Integer, int[]> touched) {
        this.snapshot = snapshot;
        this.touched = touched;
    }

    /**
     * Collects the changes.
     *
     * @param snapshot not newer than the tables
     * @return null when they are too many, or not all are known
     */
    static @Nullable Difference of(TableAccess access, Chain chain, IndexSnapshot snapshot) {
        ArrivalTable.State state = ArrivalTable.state(access);
        int main = chain.length() - 1;
        long from = Math.min(snapshot.position(), chain.offset(main));
        long through = Math.max(snapshot.position(), chain.offset(main));
        Collected collected = new Collected();
        if (state == null) {
            return new Difference(snapshot, Map.of());
        }
        if (from < through && (from < state.from() || from < state.cut())) {
            return null;
        }
        ArrivalTable.walk(access, chain.incarnation(main), from, through, collected);
        for (int link = 0; link < main && collected.isWhole; link++) {
            long fork = chain.offset(link + 1);
            if (fork < state.from()) {
                return null;
            }
            ArrivalTable.walk(access, chain.incarnation(link), fork, chain.offset(link), collected);
        }
        if (!collected.isWhole) {
            return null;
        }
        Map<Integer, int[]> touched = new HashMap<>();
        collected.types.forEach((type, ordinals) -> {
            int[] sorted = new int[ordinals.size()];
            IntHashSet.IntIterator each = ordinals.iterator();
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = each.nextValue();
            }
            Arrays.sort(sorted);
            touched.put(type, sorted);
        });
        return new Difference(snapshot, touched);
    }

    private static final class Collected implements ArrivalTable.Sink {
        private final Map<Integer, IntHashSet> types = new HashMap<>();
        private int size;
        private boolean isWhole = true;

        @Override
        public boolean take(long offset, int type, int ordinal) {
            isWhole = type != ArrivalTable.GAP && size < TOUCHED_MAX;
            if (isWhole && types.computeIfAbsent(type, any -> new IntHashSet()).add(ordinal)) {
                size++;
            }
            return isWhole;
        }
    }

    IndexSnapshot snapshot() {
        return snapshot;
    }

    /** Ordinals of a type that differ, ascending. Some may be live nowhere. */
    int[] touched(int type) {
        return touched.getOrDefault(type, new int[0]);
    }

    /** The documents of these in a leaf, ascending. */
    int[] hidden(int type, int leaf) throws IOException {
        Hidden known = hidden.get(type);
        if (known == null) {
            known = findHidden(type);
            hidden.put(type, known);
        }
        return known.documents[leaf];
    }

    private Hidden findHidden(int type) throws IOException {
        int[] ordinals = touched(type);
        int[][] documents = new int[snapshot.leaves().size()][];
        for (int i = 0; i < documents.length; i++) {
            documents[i] = documents(snapshot.leaves().get(i), type, ordinals);
        }
        return new Hidden(documents);
    }

    private static int[] documents(IndexSnapshot.Leaf leaf, int type, int[] ordinals) throws IOException {
        Terms terms = ordinals.length == 0 ? null : leaf.reader.terms(OwnIndex.KEY);
        if (terms == null) {
            return new int[0];
        }
        int[] documents = new int[ordinals.length];
        int size = 0;
        TermsEnum keys = terms.iterator();
        PostingsEnum postings = null;
        Bits live = leaf.reader.getLiveDocs();
        for (int ordinal : ordinals) {
            if (keys.seekExact(OwnIndex.keyTerm(type, ordinal).bytes())) {
                postings = keys.postings(postings, PostingsEnum.NONE);
                for (int doc = postings.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = postings.nextDoc()) {
                    if (live == null || live.get(doc)) {
                        documents[size++] = doc;
                    }
                }
            }
        }
        int[] found = Arrays.copyOf(documents, size);
        Arrays.sort(found);
        return found;
    }

    /** The texts of a field that the view has as the index does. */
    IndexSnapshot.Texts texts(IndexedField field) throws IOException {
        IndexSnapshot.Texts known = texts.get(field.terms());
        if (known == null) {
            known = snapshot.texts(field);
            for (int i = 0; i < snapshot.leaves().size(); i++) {
                known = known.minus(hiddenTexts(field, i));
            }
            texts.put(field.terms(), known);
        }
        return known;
    }

    private IndexSnapshot.Texts hiddenTexts(IndexedField field, int leaf) throws IOException {
        int[] documents = hidden(field.type(), leaf);
        NumericDocValues lengths = documents.length == 0
                ? null
                : snapshot.leaves().get(leaf).reader.getNumericDocValues(field.length());
        long number = 0;
        long sum = 0;
        for (int i = 0; lengths != null && i < documents.length; i++) {
            if (lengths.advanceExact(documents[i])) {
                number++;
                sum += lengths.longValue();
            }
        }
        return new IndexSnapshot.Texts(number, sum);
    }

    /** How many of these texts have a term. */
    long having(IndexedField field, BytesRef term) throws IOException {
        String key = field.terms() + ' ' + term.utf8ToString();
        Long known = having.get(key);
        if (known == null) {
            long count = 0;
            for (int i = 0; i < snapshot.leaves().size(); i++) {
                IndexSnapshot.Leaf leaf = snapshot.leaves().get(i);
                count += leaf.having(field, term) - hiddenHaving(leaf, field, term, hidden(field.type(), i));
            }
            known = count;
            if (having.size() >= TERMS_KEPT) {
                having.clear();
            }
            having.put(key, known);
        }
        return known;
    }

    /** How many of some documents have a term. */
    private static int hiddenHaving(IndexSnapshot.Leaf leaf, IndexedField field, BytesRef term, int[] documents)
            throws IOException {
        TermsEnum found = documents.length == 0 ? null : leaf.find(field, term);
        if (found == null) {
            return 0;
        }
        PostingsEnum postings = found.postings(null, PostingsEnum.NONE);
        int count = 0;
        int at = postings.nextDoc();
        for (int i = 0; i < documents.length && at != DocIdSetIterator.NO_MORE_DOCS; i++) {
            if (at < documents[i]) {
                at = postings.advance(documents[i]);
            }
            count += at == documents[i] ? 1 : 0;
        }
        return count;
    }

    /** The touched texts of a field as the view has them; null before {@link #keep}. */
    @Nullable
    ShownTexts shown(IndexedField field) {
        return shown.get(field.terms());
    }

    void keep(IndexedField field, ShownTexts read) {
        shown.put(field.terms(), read);
    }

    /** The heap that it takes, about. */
    long bytes() {
        long bytes = 1_024;
        for (int[] ordinals : touched.values()) {
            bytes += 8L * ordinals.length;
        }
        for (ShownTexts each : shown.values()) {
            bytes += each.bytes();
        }
        return bytes + (long) ENTRY_BYTES * having.size();
    }
}
