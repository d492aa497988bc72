package service.projection.search.index;

import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.AcceptDocs;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopKnnCollector;
import org.apache.lucene.util.Bits;
import org.jspecify.annotations.Nullable;
import service.core.port.TextIndex;

/** What the graph of neighbours of {@code main} knows about one view. */
final class ViewVectors {
    /** More neighbours are asked for than are wanted: so fewer of those are missing. */
    private static final int MORE = 50;

    private final IndexReading reading;

    ViewVectors(IndexReading reading) {
        this.reading = reading;
    }

    /** {@link TextIndex#coverage}. */
    TextIndex.@Nullable Coverage coverage(int type, int property) {
        return reading.coverage(type, property);
    }

    /** {@link TextIndex#nearest}. */
    TextIndex.@Nullable Proposal nearest(int type, int property, float[] sought, int most, TextIndex.Payer payer) {
        return reading.of(type, property, field -> {
            float[] target = field.comparable(sought);
            try (Tab tab = new Tab(payer)) {
                FoundOrdinals found = new FoundOrdinals(tab);
                int size = target == null ? 0 : find(field, target, most + MORE, found, tab);
                if (size < most) {
                    return null;
                }
                int[] touched = reading.difference.touched(type);
                for (int ordinal : touched) {
                    if (reading.view.isLive(type, ordinal)) {
                        found.accept(ordinal);
                    }
                }
                return new TextIndex.Proposal(found.sorted(), reading.indexes.names(), touched.length);
            }
        });
    }

    /** Finds neighbours in each segment and returns how many. */
    private int find(IndexedField field, float[] target, int most, FoundOrdinals into, Tab tab) throws IOException {
        int size = 0;
        for (IndexPart part : reading.difference.parts()) {
            for (int leaf = 0; leaf < part.snapshot().leaves().size(); leaf++) {
                LeafReader reader = part.snapshot().leaves().get(leaf).reader;
                Bits shown = shown(reader, part.hidden(field.type(), leaf));
                try (Tab ofLeaf = new Tab(tab)) {
                    // The queues of the walk, and the nodes that it has seen.
                    ofLeaf.charge(2L * Long.BYTES * most + reader.maxDoc() / Byte.SIZE);
                    size += addNearest(reader, field, target, most, shown, into, ofLeaf);
                }
                size += addOthers(reader, field, shown, into);
            }
        }
        return size;
    }

    private static @Nullable Bits shown(LeafReader reader, int[] hidden) {
        Bits live = reader.getLiveDocs();
        if (hidden.length == 0) {
            return live;
        }
        return new Bits() {
            @Override
            public boolean get(int document) {
                return (live == null || live.get(document)) && Arrays.binarySearch(hidden, document) < 0;
            }

            @Override
            public int length() {
                return reader.maxDoc();
            }
        };
    }

    private static int addNearest(
            LeafReader reader,
            IndexedField field,
            float[] target,
            int most,
            @Nullable Bits shown,
            FoundOrdinals into,
            TextIndex.Payer payer)
            throws IOException {
        if (reader.getFloatVectorValues(field.terms()) == null) {
            return 0;
        }
        TopKnnCollector collector = new TopKnnCollector(most, Integer.MAX_VALUE);
        reader.searchNearestVectors(field.terms(), target, collector, AcceptDocs.fromLiveDocs(shown, reader.maxDoc()));
        payer.examined((int) Math.min(Integer.MAX_VALUE, collector.visitedCount()));
        ScoreDoc[] found = collector.topDocs().scoreDocs;
        int[] documents =
                Arrays.stream(found).mapToInt(each -> each.doc).sorted().toArray();
        NumericDocValues ordinals = reader.getNumericDocValues(OwnIndex.ORDINAL);
        for (int document : documents) {
            if (ordinals != null && ordinals.advanceExact(document)) {
                into.accept((int) ordinals.longValue());
            }
        }
        return documents.length;
    }

    /** Vectors that the graph does not have. */
    private static int addOthers(LeafReader reader, IndexedField field, @Nullable Bits shown, FoundOrdinals into)
            throws IOException {
        PostingsEnum others = reader.postings(new Term(field.others(), OwnIndex.OTHER), PostingsEnum.NONE);
        NumericDocValues ordinals = others == null ? null : reader.getNumericDocValues(OwnIndex.ORDINAL);
        int size = 0;
        while (others != null && ordinals != null && others.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
            int document = others.docID();
            if ((shown == null || shown.get(document)) && ordinals.advanceExact(document)) {
                into.accept((int) ordinals.longValue());
                size++;
            }
        }
        return size;
    }

    void close() {
        reading.close();
    }
}
