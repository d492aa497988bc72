package service.projection.search.index;

import java.io.IOException;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.KnnVectorsFormat;
import org.apache.lucene.codecs.KnnVectorsReader;
import org.apache.lucene.codecs.KnnVectorsWriter;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.codecs.lucene99.Lucene99HnswVectorsFormat;
import org.apache.lucene.index.SegmentReadState;
import org.apache.lucene.index.SegmentWriteState;

/** Lucene's graph of neighbours, with the dimensions that a schema may have: Lucene allows 1,024. */
final class NeighborsFormat extends KnnVectorsFormat {
    private static final int DIMENSIONS_MAX = 4_096;

    /** Its names are those of Lucene, so indexes are read without it. */
    static final Codec CODEC = new Lucene104Codec() {
        private final KnnVectorsFormat neighbors = new NeighborsFormat(new Lucene99HnswVectorsFormat());

        @Override
        public KnnVectorsFormat getKnnVectorsFormatForField(String field) {
            return neighbors;
        }
    };

    private final KnnVectorsFormat format;

    private NeighborsFormat(KnnVectorsFormat format) {
        super(format.getName());
        this.format = format;
    }

    @Override
    public KnnVectorsWriter fieldsWriter(SegmentWriteState state) throws IOException {
        return format.fieldsWriter(state);
    }

    @Override
    public KnnVectorsReader fieldsReader(SegmentReadState state) throws IOException {
        return format.fieldsReader(state);
    }

    @Override
    public int getMaxDimensions(String field) {
        return DIMENSIONS_MAX;
    }
}
