package service.projection.search.index;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/**
 * One index of a view: that of {@code main}, or what a branch has written. It shows its documents but for hidden ones:
 * those that the view has otherwise, or that a nearer branch has written. It keeps what was counted. Any thread.
 */
final class IndexPart {
    private final IndexSnapshot snapshot;
    private final Hiding hiding;
    private final Map<Integer, int[][]> hidden = new ConcurrentHashMap<>();
    private final Map<String, IndexSnapshot.Texts> texts = new ConcurrentHashMap<>();
    private final TermCounts having;
    private final Heap heap;

    /** Says what is hidden. */
    interface Hiding {
        /** The ordinals of a type whose documents are hidden, ascending. */
        int[] ordinals(int type) throws IOException;
    }

    /** Pays for what it keeps. */
    interface Heap {
        /** Called before memory is allocated; throws when there is none. */
        void require(long bytes);
    }

    IndexPart(IndexSnapshot snapshot, Hiding hiding, TermCounts having, Heap heap) {
        this.snapshot = snapshot;
        this.hiding = hiding;
        this.having = having;
        this.heap = heap;
    }

    IndexSnapshot snapshot() {
        return snapshot;
    }

    /** The hidden documents of a type in a leaf of the snapshot, ascending. */
    int[] hidden(int type, int leaf) throws IOException {
        int[][] known = hidden.get(type);
        if (known == null) {
            int[] ordinals = hiding.ordinals(type);
            heap.require((long) Integer.BYTES * ordinals.length);
            known = new int[snapshot.leaves().size()][];
            for (int i = 0; i < known.length; i++) {
                known[i] = documents(snapshot.leaves().get(i), type, ordinals);
            }
            hidden.put(type, known);
        }
        return known[leaf];
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

    /** The texts of a field that it shows. */
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
        long known = having.find(field, term);
        if (known < 0) {
            known = 0;
            for (int i = 0; i < snapshot.leaves().size(); i++) {
                IndexSnapshot.Leaf leaf = snapshot.leaves().get(i);
                known += leaf.having(field, term) - hiddenHaving(leaf, field, term, hidden(field.type(), i));
            }
            having.put(field, term, known);
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
}
