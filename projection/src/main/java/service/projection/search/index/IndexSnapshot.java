package service.projection.search.index;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.agrona.collections.IntArrayList;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/** An index at one offset. Stays open while anybody reads it. Any thread. */
final class IndexSnapshot {
    /** Number and lengths of the texts of a field. */
    record Texts(long texts, long length) {
        Texts plus(Texts more) {
            return new Texts(texts + more.texts, length + more.length);
        }

        Texts minus(Texts less) {
            return new Texts(texts - less.texts, length - less.length);
        }
    }

    /** What is known of a segment and its deletions. */
    static final class Leaf {
        final LeafReader reader;
        private final Map<String, Texts> texts = new HashMap<>();
        private final TermCounts having;

        private Leaf(LeafReader reader, List<IndexedField> fields, SearchMemory memory) throws IOException {
            this.reader = reader;
            this.having = new TermCounts(memory);
            for (IndexedField field : fields) {
                texts.put(field.terms(), count(field));
            }
        }

        private Texts count(IndexedField field) throws IOException {
            NumericDocValues lengths = reader.getNumericDocValues(field.length());
            Bits live = reader.getLiveDocs();
            long number = 0;
            long sum = 0;
            if (lengths != null) {
                for (int doc = lengths.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = lengths.nextDoc()) {
                    if (live == null || live.get(doc)) {
                        number++;
                        sum += lengths.longValue();
                    }
                }
            }
            return new Texts(number, sum);
        }

        Texts texts(IndexedField field) {
            return texts.getOrDefault(field.terms(), new Texts(0, 0));
        }

        /** How many texts have a term. */
        long having(IndexedField field, BytesRef term) throws IOException {
            if (reader.getLiveDocs() == null) {
                return count(field, term);
            }
            long known = having.find(field, term);
            if (known < 0) {
                known = count(field, term);
                having.put(field, term, known);
            }
            return known;
        }

        private int count(IndexedField field, BytesRef term) throws IOException {
            TermsEnum found = find(field, term);
            Bits live = reader.getLiveDocs();
            if (found == null || live == null) {
                return found == null ? 0 : found.docFreq();
            }
            PostingsEnum postings = found.postings(null, PostingsEnum.NONE);
            int count = 0;
            while (postings.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
                count += live.get(postings.docID()) ? 1 : 0;
            }
            return count;
        }

        /** The term in the dictionary; null when no text has it. */
        @Nullable
        TermsEnum find(IndexedField field, BytesRef term) throws IOException {
            Terms terms = reader.terms(field.terms());
            TermsEnum all = terms == null ? null : terms.iterator();
            return all != null && all.seekExact(term) ? all : null;
        }
    }

    private final DirectoryReader reader;
    private final long position;
    private final List<IndexedField> fields;
    private final List<Leaf> leaves;
    private final SearchMemory memory;
    private volatile boolean retired;

    private IndexSnapshot(
            DirectoryReader reader, long position, List<IndexedField> fields, List<Leaf> leaves, SearchMemory memory) {
        this.memory = memory;
        this.reader = reader;
        this.position = position;
        this.fields = fields;
        this.leaves = leaves;
    }

    /** @param before takes what is known of segments that did not change; null for none */
    static IndexSnapshot of(
            DirectoryReader reader,
            long position,
            List<IndexedField> fields,
            @Nullable IndexSnapshot before,
            SearchMemory memory)
            throws IOException {
        try {
            Map<LeafReader, Leaf> known = new HashMap<>();
            if (before != null) {
                before.leaves.forEach(leaf -> known.put(leaf.reader, leaf));
            }
            List<Leaf> leaves = new java.util.ArrayList<>();
            for (LeafReaderContext context : reader.leaves()) {
                Leaf leaf = known.get(context.reader());
                leaves.add(leaf == null ? new Leaf(context.reader(), fields, memory) : leaf);
            }
            return new IndexSnapshot(reader, position, fields, List.copyOf(leaves), memory);
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    DirectoryReader reader() {
        return reader;
    }

    long position() {
        return position;
    }

    List<IndexedField> fields() {
        return fields;
    }

    /** In the order of the reader's leaves. */
    List<Leaf> leaves() {
        return leaves;
    }

    /** How many documents it has. */
    int documents() {
        return reader.numDocs();
    }

    /** How many others it still holds, because no merge has removed them. */
    int deleted() {
        return reader.numDeletedDocs();
    }

    /** All texts of a field. */
    Texts texts(IndexedField field) {
        Texts all = new Texts(0, 0);
        for (Leaf leaf : leaves) {
            all = all.plus(leaf.texts(field));
        }
        return all;
    }

    /** The ordinals of the entities of a type that have a document, ascending. */
    int[] entities(int type) throws IOException {
        IntArrayList found = new IntArrayList();
        for (Leaf leaf : leaves) {
            addEntities(leaf, type, found);
        }
        int[] ordinals = found.toIntArray();
        Arrays.sort(ordinals);
        return ordinals;
    }

    private static void addEntities(Leaf leaf, int type, IntArrayList into) throws IOException {
        Terms terms = leaf.reader.terms(OwnIndex.KEY);
        if (terms == null) {
            return;
        }
        TermsEnum keys = terms.iterator();
        PostingsEnum postings = null;
        Bits live = leaf.reader.getLiveDocs();
        boolean found = keys.seekCeil(OwnIndex.keyTerm(type, 0).bytes()) != TermsEnum.SeekStatus.END;
        while (found && OwnIndex.typeOf(keys.term()) == type) {
            int ordinal = OwnIndex.ordinalOf(keys.term());
            postings = keys.postings(postings, PostingsEnum.NONE);
            for (int doc = postings.nextDoc(); doc != DocIdSetIterator.NO_MORE_DOCS; doc = postings.nextDoc()) {
                if (live == null || live.get(doc)) {
                    into.addInt(ordinal);
                }
            }
            found = keys.next() != null;
        }
    }

    /** Keeps it open; false when it is closed already. */
    boolean take() {
        return reader.tryIncRef();
    }

    /** Whether later searches do not read it any more. */
    boolean isRetired() {
        return retired;
    }

    /**
     * Says that later searches do not read it, and forgets what was counted in its segments.
     *
     * @param used snapshots whose segments are still searched
     */
    void retire(List<IndexSnapshot> used) {
        retired = true;
        for (Leaf leaf : leaves) {
            if (used.stream().noneMatch(each -> each.leaves.contains(leaf))) {
                memory.forget(leaf.having);
            }
        }
    }

    /** Lets it be closed. */
    void give() {
        try {
            reader.decRef();
        } catch (IOException e) {
            org.slf4j.LoggerFactory.getLogger(IndexSnapshot.class).debug("a snapshot was not closed", e);
        }
    }
}
