package service.projection.search.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.batch.Column;
import service.core.batch.ValueColumn;
import service.core.port.TextIndex;
import service.core.value.Value;
import service.log.files.FileTrees;
import service.projection.search.Analyzers;
import service.projection.search.LuceneSetup;
import service.projection.search.Scores;

/**
 * The texts that {@code main} has at one offset, in a directory of Lucene: a document for each entity with a searched
 * text that is not null. That of a branch has what the branch has written: a document for each entity, also without
 * texts, because it stands in place of the document of a parent. The commit of Lucene says of which graph, of which
 * offset and of which fields it is.
 *
 * <p>One thread at a time. An exception of a method leaves it unusable: {@link #abandon} it and open it again.
 */
final class OwnIndex {
    /** The field that has type and ordinal of an entity. */
    static final String KEY = "k";

    /** The field that has its ordinal as a value of the document. */
    static final String ORDINAL = "o";

    /** The term of vectors that the graph of neighbours does not have. */
    static final String OTHER = "1";

    /** The square of a length from which on Lucene's arithmetic may overflow. */
    private static final double SQUARE_MAX = 1e30;

    private static final Logger LOG = LoggerFactory.getLogger(OwnIndex.class);
    private static final int LAYOUT = 1;

    /** From the directory of an index to that of its graph. */
    private static final String UP_TO_GRAPH = "../../..";

    private static final double MIB = 1 << 20;

    /** Heap of a merge for each document: its numbers before and after, and its length. */
    private static final long DOCUMENT_BYTES = 16;

    /** Changes with the version of Unicode, by which analyzers make lower case. */
    private static final int LOWER_CASE = lowerCase();

    private static final FieldType TERMS = new FieldType();

    static {
        LuceneSetup.apply();
        TERMS.setTokenized(true);
        TERMS.setIndexOptions(IndexOptions.DOCS_AND_FREQS_AND_POSITIONS);
        TERMS.freeze();
    }

    private final IndexPlace place;
    private final List<IndexedField> fields;
    private final Directory directory;
    private final IndexWriter writer;
    private final IndexMerges merges;
    private final Map<String, TermsStream> streams = new HashMap<>();
    private long position;

    private OwnIndex(IndexPlace place, List<IndexedField> fields, long position, KnownViews views) throws IOException {
        this.place = place;
        this.fields = fields;
        this.position = position;
        this.merges = new IndexMerges(
                views.memory(), views.times(), place.isOfVectors() ? VectorFields.HEAP_BYTES : DOCUMENT_BYTES);
        this.directory = FSDirectory.open(place.directory());
        try {
            IndexWriterConfig config = new IndexWriterConfig();
            config.setSimilarity(ExactLength.WRITING);
            config.setRAMBufferSizeMB(views.memory().bufferBytes() / MIB);
            config.setMergeScheduler(merges);
            // A cleanup removes every deleted text, also a single one of a large segment.
            config.setMergePolicy(new TieredMergePolicy().setForceMergeDeletesPctAllowed(0));
            config.setCommitOnClose(false);
            config.setCodec(NeighborsFormat.CODEC);
            this.writer = new IndexWriter(directory, config);
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    /**
     * Opens the index in a directory.
     *
     * @param applied the last offset of the tables: an index that is ahead of them is of another log
     * @return null when there is none that fits; what is there should be deleted
     */
    static @Nullable OwnIndex open(IndexPlace place, List<IndexedField> fields, long applied, KnownViews views)
            throws IOException {
        Path path = place.directory();
        Map<String, String> said = committed(path);
        long position = said == null ? -1 : Long.parseLong(said.getOrDefault("position", "-1"));
        if (position < 0 || position > applied || !said(place, fields, position).equals(said)) {
            return null;
        }
        try (Directory directory = FSDirectory.open(path);
                DirectoryReader reader = DirectoryReader.open(directory)) {
            checkIntegrity(reader);
        }
        return new OwnIndex(place, fields, position, views);
    }

    private static void checkIntegrity(DirectoryReader reader) throws IOException {
        for (var leaf : reader.leaves()) {
            leaf.reader().checkIntegrity();
        }
    }

    /**
     * What the last commit on disk has, also while another process writes the index.
     *
     * @param applied the last offset of the tables
     * @return null when there is none that fits
     */
    static @Nullable IndexSnapshot read(IndexPlace place, List<IndexedField> fields, long applied, SearchMemory memory)
            throws IOException {
        Path path = place.directory();
        if (committed(path) == null) {
            return null;
        }
        try (Directory directory = FSDirectory.open(path)) {
            DirectoryReader reader = DirectoryReader.open(directory);
            boolean fits = false;
            try {
                checkIntegrity(reader);
                Map<String, String> said = reader.getIndexCommit().getUserData();
                long position = Long.parseLong(said.getOrDefault("position", "-1"));
                fits = 0 <= position
                        && position <= applied
                        && said(place, fields, position).equals(said);
                return fits ? IndexSnapshot.of(reader, position, fields, null, memory) : null;
            } finally {
                if (!fits) {
                    reader.close();
                }
            }
        }
    }

    /** An empty index in a directory that is deleted before. */
    static OwnIndex create(IndexPlace place, List<IndexedField> fields, KnownViews views) throws IOException {
        Path path = place.directory();
        // A graph that another program moved or deleted must not get its directory back.
        if (!Files.isDirectory(path.resolve(UP_TO_GRAPH).normalize())) {
            throw new IOException(path + ": the directory of the graph is not there");
        }
        FileTrees.delete(path);
        Files.createDirectories(path);
        return new OwnIndex(place, fields, -1, views);
    }

    /** The offset that the index in a directory shows; −1 without one. For cleanup, in any process. */
    static long positionOf(Path path) {
        try {
            Map<String, String> said = committed(path);
            return said == null ? -1 : Long.parseLong(said.getOrDefault("position", "-1"));
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    private static @Nullable Map<String, String> committed(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return null;
        }
        try (Directory directory = FSDirectory.open(path)) {
            return DirectoryReader.indexExists(directory)
                    ? SegmentInfos.readLatestCommit(directory).getUserData()
                    : null;
        }
    }

    private static Map<String, String> said(IndexPlace place, List<IndexedField> fields, long position) {
        return Map.of(
                "graph", place.graph().toString(),
                "layout", LAYOUT + " " + Analyzers.VERSION + " " + LOWER_CASE,
                "fields", fields.stream().map(IndexedField::mark).sorted().collect(Collectors.joining("\n")),
                "position", Long.toString(position));
    }

    private static int lowerCase() {
        int hash = 0;
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            hash = 31 * hash + Character.toLowerCase(point);
        }
        return hash;
    }

    List<IndexedField> fields() {
        return fields;
    }

    /** The offset that it shows; −1 while it is being built. */
    long position() {
        return position;
    }

    /** Says that every change up to an offset was made. */
    void reached(long offset) {
        position = offset;
    }

    private static BytesRef key(int type, int ordinal) {
        return new BytesRef(ByteBuffer.allocate(8).putInt(type).putInt(ordinal).array());
    }

    /** The term of an entity. */
    static Term keyTerm(int type, int ordinal) {
        return new Term(KEY, key(type, ordinal));
    }

    /** The type in the term of an entity. */
    static int typeOf(BytesRef key) {
        return ByteBuffer.wrap(key.bytes, key.offset, key.length).getInt(key.offset);
    }

    /** The ordinal in the term of an entity. */
    static int ordinalOf(BytesRef key) {
        return ByteBuffer.wrap(key.bytes, key.offset, key.length).getInt(key.offset + Integer.BYTES);
    }

    /** Removes an entity; one that a branch has removed keeps a document without texts. */
    void delete(int type, int ordinal) throws IOException {
        if (place.isOfMain()) {
            writer.deleteDocuments(keyTerm(type, ordinal));
        } else {
            write(new Document(), type, ordinal, false);
        }
    }

    /**
     * Puts an entity.
     *
     * @param ofType its searched fields
     * @param columns the values of each, by the place in the list
     * @param row in the columns
     * @param isNew whether the index does not have it
     */
    void put(List<IndexedField> ofType, int ordinal, List<Column> columns, int row, boolean isNew) throws IOException {
        Document document = new Document();
        for (int i = 0; i < ofType.size(); i++) {
            if (!columns.get(i).isNull(row)) {
                add(document, ofType.get(i), columns.get(i), row);
            }
        }
        int type = ofType.getFirst().type();
        if (document.iterator().hasNext()) {
            write(document, type, ordinal, isNew);
        } else if (!isNew) {
            delete(type, ordinal);
        }
    }

    private void write(Document document, int type, int ordinal, boolean isNew) throws IOException {
        document.add(new StringField(KEY, key(type, ordinal), org.apache.lucene.document.Field.Store.NO));
        document.add(new NumericDocValuesField(ORDINAL, ordinal));
        if (isNew) {
            writer.addDocument(document);
        } else {
            writer.updateDocument(keyTerm(type, ordinal), document);
        }
    }

    private void add(Document document, IndexedField field, Column values, int row) {
        if (field.property().metric() == null) {
            addText(document, field, values, row);
        } else if (((ValueColumn) values).values[row] instanceof Value.Vector(float[] items)) {
            addVector(document, field, items);
        }
    }

    private static void addVector(Document document, IndexedField field, float[] vector) {
        document.add(new NumericDocValuesField(field.length(), 1));
        float[] comparable = field.comparable(vector);
        if (comparable == null) {
            // It is similar to nothing.
            return;
        }
        if (Scores.square(comparable) <= SQUARE_MAX) {
            document.add(new KnnFloatVectorField(field.terms(), comparable, field.similarity()));
        } else {
            document.add(new StringField(field.others(), OTHER, org.apache.lucene.document.Field.Store.NO));
        }
    }

    private void addText(Document document, IndexedField field, Column values, int row) {
        TermsStream stream = streams.computeIfAbsent(field.terms(), any -> new TermsStream());
        stream.clear();
        field.analyse(TextIndex.Payer.NONE, values, row, stream);
        document.add(new NumericDocValuesField(field.length(), stream.size()));
        if (stream.size() > 0) {
            document.add(new TermsField(field.terms(), stream));
        }
    }

    private static final class TermsField extends org.apache.lucene.document.Field {
        TermsField(String name, TermsStream stream) {
            super(name, stream, TERMS);
        }
    }

    /** What the index has now. */
    IndexSnapshot snapshot(@Nullable IndexSnapshot before, SearchMemory memory) throws IOException {
        DirectoryReader reader;
        if (before == null || !before.take()) {
            reader = DirectoryReader.open(writer);
        } else {
            DirectoryReader changed = DirectoryReader.openIfChanged(before.reader(), writer);
            reader = changed == null ? before.reader() : changed;
            if (changed != null) {
                before.give();
            }
        }
        return IndexSnapshot.of(reader, position, fields, before, memory);
    }

    boolean hasDeletions() {
        return writer.hasDeletions();
    }

    /** Makes what it has durable. */
    void commit() throws IOException {
        writer.setLiveCommitData(said(place, fields, position).entrySet());
        writer.commit();
    }

    /** Removes deleted texts from the files. Those of older snapshots go when these are closed. */
    void purge() throws IOException {
        writer.forceMergeDeletes(true);
        commit();
        writer.deleteUnusedFiles();
    }

    /** Bytes on disk. */
    long bytes() throws IOException {
        long bytes = 0;
        for (String name : directory.listAll()) {
            try {
                bytes += directory.fileLength(name);
            } catch (java.nio.file.NoSuchFileException | java.io.FileNotFoundException e) {
                // A merge has deleted it meanwhile.
                LOG.trace("{}: {} is gone", place.directory(), name);
            }
        }
        return bytes;
    }

    /** Gives up the merge that runs, and all later ones, soon. Any thread; searches and indexing continue. */
    void stopMerges() {
        merges.stop();
    }

    /** Closes it; what was not committed is made again by the next opening. */
    void abandon() {
        try (directory) {
            writer.rollback();
        } catch (IOException | RuntimeException e) {
            LOG.debug("{}: the index was not closed", place.directory(), e);
        }
    }
}
