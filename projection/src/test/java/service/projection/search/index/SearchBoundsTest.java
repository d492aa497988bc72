package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.lucene.search.Query;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.budget.MemoryPool;
import service.core.graph.load.LoadMode;
import service.core.graph.request.WriteOptions;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.TextFilter;
import service.core.port.TextIndex;
import service.core.schema.Catalog;
import service.core.schema.CatalogCodec;
import service.core.schema.SchemaCompiler;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/** What searches take of the memory of the process: it is charged, bounded and given back. */
class SearchBoundsTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("node Doc { body: String @search }");
    private static final int TYPE = CATALOG.nodes().iterator().next().identity();
    private static final int BODY =
            CATALOG.nodes().iterator().next().properties().getFirst().identity();
    private static final int DOCUMENTS = 300;
    private static final int WORDS = 100;

    @TempDir
    Path temporary;

    private final MemoryPool pool = new MemoryPool(64 << 20);

    /** Counts what is charged, and refuses more than it has. */
    private static final class Ledger implements TextIndex.Payer {
        private final long max;
        private long held;
        private long most;
        private int examined;

        Ledger(long max) {
            this.max = max;
        }

        @Override
        public void examined(int count) {
            examined += count;
        }

        @Override
        public void bytes(int length) {}

        @Override
        public void charge(long bytes) {
            if (held + bytes > max) {
                throw new IllegalStateException("too much");
            }
            held += bytes;
            most = Math.max(most, held);
        }

        @Override
        public void release(long bytes) {
            held -= bytes;
            assertThat(held).isNotNegative();
        }

        @Override
        public void fills(int rows) {}
    }

    private static String text(int document, String of) {
        return IntStream.range(0, WORDS)
                .mapToObj(word -> of + document % 7 + "x" + word * (document + 1))
                .collect(Collectors.joining(" "));
    }

    /** Runs over a branch that has changed every text since the index was made. */
    private void inBranch(SearchMemory memory, Consumer<LmdbGraphStorage> test) {
        StorageOptions options = StorageOptions.defaults(CatalogCodec::decode)
                .withMapBytes(1L << 28, 1L << 30)
                .withCheckpointEvents(0)
                .withSearch(new SearchOptions(
                        Duration.ofMillis(5), 0, memory, SearchOptions.Branches.DEFAULT, Integer.MAX_VALUE));
        try (LmdbGraphStorage storage =
                LmdbGraphStorage.create(temporary.resolve("graph"), options, TestEngine.schema(CATALOG), "tester")) {
            load(storage, "main", null, "old");
            load(storage, "side", "main", "new");
            await().until(() -> storage.search().status().position()
                    >= storage.events().tail().offset());
            test.accept(storage);
        }
    }

    private static void load(LmdbGraphStorage storage, String branch, String from, String of) {
        String lines = IntStream.range(0, DOCUMENTS)
                .mapToObj(
                        i -> "{\"type\":\"Doc\",\"data\":{\"id\":\"d%d\",\"body\":\"%s\"}}\n".formatted(i, text(i, of)))
                .collect(Collectors.joining());
        TestEngine.graph(storage)
                .load(
                        WriteOptions.NONE,
                        branch,
                        from,
                        LoadMode.MERGE,
                        new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
                        TestEngine.ample())
                .join();
    }

    private static long having(LmdbGraphStorage storage, TextIndex.Payer payer) {
        return having(storage, SmallGraph.branch(storage, "side").headPoint(), "new0x0", payer);
    }

    private static long having(LmdbGraphStorage storage, ReadPoint point, String word, TextIndex.Payer payer) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(point)) {
            TextIndex texts = Objects.requireNonNull(view.texts());
            return Objects.requireNonNull(texts.statistics(TYPE, BODY, List.of(word, "old0x0"), payer))
                    .having()[0];
        }
    }

    @Test
    void whatIsKeptOfAViewIsTakenFromThePoolAndGivenBack() {
        SearchMemory memory = new SearchMemory(pool, 32 << 20);
        inBranch(memory, storage -> {
            Ledger first = new Ledger(Long.MAX_VALUE);
            long found = having(storage, first);
            assertThat(found)
                    .isEqualTo(IntStream.range(0, DOCUMENTS)
                            .filter(i -> i % 7 == 0)
                            .count());
            assertThat(first.held).as("left with the search").isZero();
            assertThat(first.most).isGreaterThan((long) DOCUMENTS * WORDS * 8);
            assertThat(first.examined).isEqualTo(DOCUMENTS);
            assertThat(memory.used()).isEqualTo(pool.used()).isGreaterThan((long) DOCUMENTS * WORDS * 8);
            Ledger again = new Ledger(0);
            assertThat(having(storage, again)).isEqualTo(found);
            assertThat(again.examined).isZero();
            assertThat(pool.tryReserve(pool.bytesMax()))
                    .as("a request gets what was kept")
                    .isTrue();
            assertThat(memory.used()).isZero();
            pool.release(pool.bytesMax());
            assertThat(having(storage, new Ledger(Long.MAX_VALUE))).isEqualTo(found);
        });
        assertThat(pool.used()).as("after the graph is closed").isZero();
    }

    @Test
    void whatIsKeptOfAllViewsIsWithinTheBound() {
        int max = 24 << 20;
        SearchMemory memory = new SearchMemory(pool, max);
        inBranch(memory, storage -> {
            List<ReadPoint> points = IntStream.range(0, 12)
                    .mapToObj(i -> {
                        TestEngine.load(
                                TestEngine.graph(storage),
                                "side",
                                LoadMode.MERGE,
                                "{\"type\":\"Doc\",\"data\":{\"id\":\"d0\",\"body\":\"again%d\"}}\n".formatted(i));
                        return SmallGraph.branch(storage, "side").headPoint();
                    })
                    .toList();
            long each = 0;
            for (int i = 0; i < 2 * points.size(); i++) {
                int view = i % points.size();
                Ledger ledger = new Ledger(Long.MAX_VALUE);
                assertThat(having(storage, points.get(view), "again" + view, ledger))
                        .isOne();
                assertThat(ledger.examined)
                        .as("texts that are read, again or not")
                        .isEqualTo(DOCUMENTS);
                assertThat(memory.used()).isEqualTo(pool.used()).isBetween(each, (long) max);
                each = each == 0 ? memory.used() : each;
            }
            assertThat(points.size() * each).as("all views together").isGreaterThan(max);
            assertThat(memory.used()).isGreaterThan(max - 2 * each);
            Ledger last = new Ledger(0);
            assertThat(having(storage, points.getLast(), "again" + (points.size() - 1), last))
                    .isOne();
            assertThat(last.examined).isZero();
        });
        assertThat(pool.used()).as("after the graph is closed").isZero();
    }

    @Test
    void textsThatAreTooLargeToKeepAreReadForTheirTerms() {
        SearchMemory memory = new SearchMemory(pool, 4 << 20);
        inBranch(memory, storage -> {
            Ledger first = new Ledger(Long.MAX_VALUE);
            long found = having(storage, first);
            assertThat(found)
                    .isEqualTo(IntStream.range(0, DOCUMENTS)
                            .filter(i -> i % 7 == 0)
                            .count());
            assertThat(memory.used()).isLessThan(64 << 10);
            Ledger later = new Ledger(Long.MAX_VALUE);
            assertThat(having(storage, later)).isEqualTo(found);
            assertThat(first.examined).as("with the attempt to keep them").isGreaterThan(later.examined);
            assertThat(later.examined).isEqualTo(DOCUMENTS);
        });
    }

    @Test
    void aSearchThatMayNotHaveTheMemoryLeavesNone() {
        SearchMemory memory = new SearchMemory(pool, 32 << 20);
        inBranch(memory, storage -> {
            assertThatThrownBy(() -> having(storage, new Ledger(1 << 20))).hasMessage("too much");
            assertThat(memory.used()).isEqualTo(pool.used()).isLessThan(64 << 10);
            pool.tryReserve(pool.bytesMax());
            try (GraphSession session = storage.session();
                    GraphView view =
                            session.view(SmallGraph.branch(storage, "side").headPoint())) {
                assertThat(view.texts()).as("nothing is learned without memory").isNull();
            }
            pool.release(pool.used());
        });
    }

    /** Lucene allocates no more for the query of a filter than was charged, and that is little for the longest. */
    @Test
    void theQueriesOfFiltersArePaidFor() {
        IndexedField field = IndexedField.of(CATALOG).getFirst();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (String letters : List.of("abcdefghij", "αβγδεζηθικ", "一二三四五六七八九十", "😀😁😂😃😄😅😆😇😈😉")) {
            for (int length : new int[] {3, 8, 16, 31, 64, 127}) {
                for (int edits = 0; edits <= 2; edits++) {
                    List<String> terms = IntStream.range(0, 64)
                            .mapToObj(term -> word(letters, length, term))
                            .toList();
                    TextFilter one = new TextFilter(TextFilter.Kind.FUZZY, terms.subList(0, 1), edits);
                    FilterQueries.of(field, one, new Ledger(Long.MAX_VALUE));
                    Ledger paid = new Ledger(Long.MAX_VALUE);
                    long before = threads.getCurrentThreadAllocatedBytes();
                    Query query = FilterQueries.of(field, one, paid);
                    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
                    String what = "%s of %d, %d edits".formatted(letters, length, edits);
                    assertThat(query == null)
                            .as(what)
                            .isEqualTo(edits > 0 && bytes(terms.getFirst()) > (edits == 1 ? 256 : 64));
                    assertThat(allocated).as(what).isLessThan(paid.most + (32 << 10));
                    TextFilter many = new TextFilter(TextFilter.Kind.FUZZY, terms, edits);
                    Ledger bounded = new Ledger(24 << 20);
                    FilterQueries.of(field, many, bounded);
                    assertThat(bounded.held).as(what).isLessThan(8 << 20);
                }
            }
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String word(String letters, int length, int seed) {
        int[] points = letters.codePoints().toArray();
        return IntStream.range(0, length)
                .mapToObj(i -> Character.toString(points[(i * i + seed * (i + 1)) % points.length]))
                .collect(Collectors.joining());
    }
}
