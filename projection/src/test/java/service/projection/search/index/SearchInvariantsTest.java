package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.search.DocIdSetIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.graph.load.LoadMode;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.search.TextAnalyzer;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/** What always holds between indexes, views and commits, each by its name in the design. */
class SearchInvariantsTest {
    private static final Catalog CATALOG =
            SchemaCompiler.compile("node Doc { body: String? @search }\nnode Memo { body: String? @search }");
    private static final List<String> TYPES = List.of("Doc", "Memo");
    private static final int DOCUMENTS = 40;
    private static final int OWN_INDEX = 5;

    /** The event of a call of a method. */
    private static final String CALL = "jdk.MethodTrace";

    @TempDir
    Path temporary;

    private LmdbGraphStorage storage;

    @BeforeEach
    void create() {
        StorageOptions options = StorageOptions.defaults(CatalogCodec::decode)
                .withMapBytes(1L << 28, 1L << 30)
                .withCheckpointEvents(0)
                .withSearch(SearchOptions.of(
                        Duration.ofMillis(5), 0, 1 << 20, new SearchOptions.Branches(OWN_INDEX, 3, 1L << 30)));
        storage = LmdbGraphStorage.create(temporary.resolve("graph"), options, TestEngine.schema(CATALOG), "tester");
    }

    @AfterEach
    void close() {
        storage.close();
    }

    private void load(String branch, String word, int from, int to) {
        StringBuilder lines = new StringBuilder();
        for (int i = from; i < to; i++) {
            String type = TYPES.get(i % TYPES.size());
            lines.append(
                    "{\"type\":\"%s\",\"data\":{\"id\":\"d%d\",\"body\":\"%s and more\"}}\n".formatted(type, i, word));
        }
        TestEngine.load(TestEngine.graph(storage), branch, LoadMode.MERGE, lines.toString());
    }

    private void awaitIndex() {
        await().until(() ->
                storage.search().status().position() >= storage.events().tail().offset());
    }

    private ReadPoint head(String branch) {
        return SmallGraph.branch(storage, branch).headPoint();
    }

    /** A view reads no index that knows a commit which its transaction does not. */
    @SuppressWarnings("MustBeClosedChecker") // all are closed at its end
    @Test
    void indexNeverAhead() {
        int versions = 8;
        List<GraphSession> sessions = new ArrayList<>();
        List<ReadPoint> points = new ArrayList<>();
        IndexedField field = IndexedField.of(CATALOG).getFirst();
        int indexed = 0;
        try {
            for (int i = 0; i < versions; i++) {
                load("main", "version" + i, 0, DOCUMENTS);
                awaitIndex();
                sessions.add(storage.session());
                points.add(head("main"));
            }
            for (int i = 0; i < versions; i++) {
                try (GraphView view = sessions.get(i).view(points.get(i))) {
                    ViewIndexes texts = (ViewIndexes) view.texts();
                    if (texts != null) {
                        indexed++;
                        ViewTexts known = Objects.requireNonNull(texts.texts());
                        long applied = sessions.get(i).appliedOffset();
                        assertThat(known.reading.difference.parts())
                                .isNotEmpty()
                                .allMatch(part -> part.snapshot().position() <= applied);
                        List<String> words = List.of("version" + i, "version" + (i + 1));
                        assertThat(Objects.requireNonNull(texts.statistics(
                                                field.type(), field.property().identity(), words, TextIndex.Payer.NONE))
                                        .having())
                                .containsExactly(DOCUMENTS / 2, 0);
                    }
                }
            }
        } finally {
            sessions.forEach(GraphSession::close);
        }
        // The last snapshots are kept. Older transactions have none that is not ahead of them.
        assertThat(indexed).isBetween(2, versions - 1);
    }

    /** Each text of a view is either shown by one index of its links, or read as what differs, and none is both. */
    @Test
    void viewIsLinksMinusHiddenPlusShown(@Seed long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        load("main", "original", 0, DOCUMENTS);
        List<String> branches = new ArrayList<>(List.of("main"));
        List<ReadPoint> points = new ArrayList<>();
        int links = 0;
        for (int step = 0; step < 40; step++) {
            String branch = branches.get(random.nextInt(branches.size()));
            int from = random.nextInt(DOCUMENTS + 10);
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    if (branches.size() < 4) {
                        String name = "b" + branches.size();
                        TestEngine.graph(storage)
                                .createBranch(name, branch, null)
                                .join();
                        branches.add(name);
                    }
                }
                case 2 ->
                    TestEngine.mutate(
                            TestEngine.graph(storage),
                            branch,
                            "delete %s where @id = \"d%d\"".formatted(TYPES.get(from % 2), from));
                case 3 ->
                    TestEngine.mutate(
                            TestEngine.graph(storage),
                            branch,
                            "update %s set { body: null } where @id = \"d%d\"".formatted(TYPES.get(from % 2), from));
                default -> load(branch, "word" + step, from, from + 1 + random.nextInt(12));
            }
            points.add(head(branch));
            if (random.nextBoolean()) {
                awaitIndex();
            }
            links = Math.max(links, compare(points.get(random.nextInt(points.size()))));
        }
        for (String branch : branches) {
            awaitIndex();
            await().until(() -> storage.search().status().branches().stream().allMatch(each -> each.ownEntities() > 0));
            links = Math.max(links, compare(head(branch)));
        }
        assertThat(links).as("indexes of one view").isGreaterThan(1);
    }

    /** Returns how many indexes the view reads. */
    private int compare(ReadPoint point) throws IOException {
        try (GraphSession session = storage.session();
                GraphView view = session.view(point)) {
            ViewIndexes indexes = (ViewIndexes) view.texts();
            if (indexes == null) {
                return 0;
            }
            Difference difference = Objects.requireNonNull(indexes.texts()).reading.difference;
            for (IndexedField field : IndexedField.of(CATALOG)) {
                Set<Integer> expected = ofRecords(view, field);
                List<Integer> found = new ArrayList<>();
                Arrays.stream(difference.touched(field.type()))
                        .filter(expected::contains)
                        .forEach(found::add);
                for (IndexPart part : difference.parts()) {
                    addShown(part, field, found);
                }
                assertThat(found)
                        .as("%s at %s", field.terms(), point)
                        .doesNotHaveDuplicates()
                        .containsExactlyInAnyOrderElementsOf(expected);
            }
            return difference.parts().size();
        }
    }

    private static Set<Integer> ofRecords(GraphView view, IndexedField field) {
        Set<Integer> found = new TreeSet<>();
        EntityColumn rows = new EntityColumn();
        Column values = field.column();
        try (GraphView.Scan scan = view.scan(field.type())) {
            for (int n = scan.next(rows); n > 0; n = scan.next(rows)) {
                view.read(field.property().identity(), rows, n, values);
                IntStream.range(0, n).filter(i -> !values.isNull(i)).forEach(i -> found.add(rows.ordinals[i]));
            }
        }
        return found;
    }

    private static void addShown(IndexPart part, IndexedField field, List<Integer> into) throws IOException {
        for (int i = 0; i < part.snapshot().leaves().size(); i++) {
            LeafReader reader = part.snapshot().leaves().get(i).reader;
            NumericDocValues texts = reader.getNumericDocValues(field.length());
            NumericDocValues ordinals = reader.getNumericDocValues(OwnIndex.ORDINAL);
            int[] hidden = part.hidden(field.type(), i);
            while (texts != null && texts.nextDoc() != DocIdSetIterator.NO_MORE_DOCS) {
                int document = texts.docID();
                boolean isLive =
                        reader.getLiveDocs() == null || reader.getLiveDocs().get(document);
                if (isLive && Arrays.binarySearch(hidden, document) < 0) {
                    assertThat(ordinals.advanceExact(document)).isTrue();
                    into.add((int) ordinals.longValue());
                }
            }
        }
    }

    /**
     * Only the threads of indexes analyse what is committed. That the applier depends on no analyzer, ArchUnit says.
     */
    @Test
    void commitPathSeesNoAnalyzer() throws IOException {
        Assumptions.assumeTrue(Runtime.version().feature() >= 25, "a JDK below 25 records no calls of a method");
        Path file = temporary.resolve("calls.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(CALL).with("filter", TextAnalyzer.class.getName() + "::terms");
            recording.start();
            load("main", "first", 0, DOCUMENTS);
            TestEngine.mutate(
                    TestEngine.graph(storage), "main", "update Doc set { body: \"second\" } where @id = \"d0\"");
            TestEngine.graph(storage).createBranch("draft", "main", null).join();
            load("draft", "third", 0, DOCUMENTS);
            awaitIndex();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> calls = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(CALL))
                .toList();
        assertThat(calls)
                .isNotEmpty()
                .allSatisfy(call -> assertThat(call.getThread().getJavaName()).startsWith("search-index-"));
    }
}
