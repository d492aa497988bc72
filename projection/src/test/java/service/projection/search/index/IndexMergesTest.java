package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.KnnFloatVectorField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MergePolicy;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.InfoStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.MemoryPool;
import service.projection.search.LuceneSetup;

/** Merges end when they are stopped or cannot be paid for, and nothing that was committed is lost. */
class IndexMergesTest {
    static {
        // Other tests of this process may see vectors whose products are not finite.
        LuceneSetup.apply();
    }

    private static final int SEGMENTS = 4;
    private static final int EACH = 600;
    private static final int DIMENSIONS = 8;

    @TempDir
    Path temporary;

    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final IndexMerges merges =
            new IndexMerges(new SearchMemory(pool, 1 << 16), new WorkTimes(), VectorFields.HEAP_BYTES);

    /** Holds the merge where the building of its graph begins, and notes whether it was built to the end. */
    private static final class Held extends InfoStream {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean isBuilt;

        @Override
        public void message(String component, String message) {
            if (message.startsWith("build graph") || message.startsWith("addVectors")) {
                reached.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            isBuilt |= message.startsWith("merge time");
        }

        @Override
        public boolean isEnabled(String component) {
            return component.equals("HNSW") || component.equals("IW");
        }

        @Override
        public void close() {}
    }

    private static IndexWriterConfig config() {
        return new IndexWriterConfig().setCodec(NeighborsFormat.CODEC).setCommitOnClose(false);
    }

    private static void addSegments(Directory directory) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        try (IndexWriter writer = new IndexWriter(directory, config().setMergePolicy(NoMergePolicy.INSTANCE))) {
            for (int segment = 0; segment < SEGMENTS; segment++) {
                for (int i = 0; i < EACH; i++) {
                    float[] vector = new float[DIMENSIONS];
                    for (int at = 0; at < DIMENSIONS; at++) {
                        vector[at] = (float) random.nextDouble(-1, 1);
                    }
                    Document document = new Document();
                    document.add(new KnnFloatVectorField("v", vector));
                    writer.addDocument(document);
                }
                writer.commit();
            }
        }
    }

    private static int segments(Directory directory) throws IOException {
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            assertThat(reader.numDocs()).isEqualTo(SEGMENTS * EACH);
            return reader.leaves().size();
        }
    }

    @Test
    void aGraphThatIsBuiltIsGivenUp() throws Exception {
        Held held = new Held();
        try (Directory directory = FSDirectory.open(temporary);
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            addSegments(directory);
            IndexWriterConfig config =
                    config().setMergePolicy(new TieredMergePolicy()).setMergeScheduler(merges);
            try (IndexWriter writer = new IndexWriter(directory, config.setInfoStream(held))) {
                Future<?> merging = threads.submit(() -> {
                    writer.forceMerge(1);
                    return null;
                });
                assertThat(held.reached.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(pool.used()).isEqualTo((long) SEGMENTS * EACH * VectorFields.HEAP_BYTES);
                merges.stop();
                held.goOn.countDown();
                assertThatThrownBy(merging::get).hasRootCauseInstanceOf(MergePolicy.MergeAbortedException.class);
                writer.commit();
            }
            assertThat(segments(directory)).isEqualTo(SEGMENTS);
        }
        assertThat(held.isBuilt).isFalse();
        assertThat(pool.used()).isZero();
    }

    @Test
    void aMergeWithoutMemoryIsLeftForLater() throws IOException {
        try (Directory directory = FSDirectory.open(temporary)) {
            addSegments(directory);
            IndexWriterConfig config = config().setMergeScheduler(merges);
            try (IndexWriter writer = new IndexWriter(directory, config)) {
                long most = pool.bytesMax() - (long) SEGMENTS * EACH * VectorFields.HEAP_BYTES + 1;
                assertThat(pool.tryReserve(most)).isTrue();
                assertThatThrownBy(() -> writer.forceMerge(1)).isInstanceOf(IOException.class);
                assertThat(segments(directory)).isEqualTo(SEGMENTS);
                pool.release(most);
                writer.forceMerge(1);
                writer.commit();
            }
            assertThat(segments(directory)).isEqualTo(1);
        }
    }
}
