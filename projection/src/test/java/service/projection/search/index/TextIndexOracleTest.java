package service.projection.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.batch.Column;
import service.core.batch.EntityColumn;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.TextFilter;
import service.core.port.TextIndex;
import service.core.schema.CatalogCodec;
import service.core.testkit.Seed;
import service.projection.resident.BranchedHistory;
import service.projection.storage.StorageOptions;

/** What the index knows about views of random histories, compared with maps of the terms of all their texts. */
class TextIndexOracleTest {
    private static final List<String> WORDS =
            List.of("ada", "bob", "é", "e", "zoë", "zoe", "😀", "long", "x", "adda", "lo", "z", "nothing");

    private static final int ROUNDS = Integer.getInteger("service.search.rounds", 8);

    @TempDir
    Path temporary;

    private Random random = new Random();

    /** How often each question was answered by the index, and how often by none. */
    private final Map<String, Integer> answered = new TreeMap<>();

    @Test
    void theIndexProposesAllThatMatchAndCountsExactly(@Seed long seed) {
        random = new Random(seed);
        StorageOptions options = StorageOptions.defaults(CatalogCodec::decode)
                .withMapBytes(1L << 30, 4L << 30)
                .withCheckpointEvents(0)
                .withSearch(SearchOptions.of(Duration.ofMillis(10), 0, 1 << 20, SearchOptions.Branches.DEFAULT));
        BranchedHistory history = new BranchedHistory(random, temporary.resolve("graph"), options, true);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                for (int step = random.nextInt(8); step >= 0; step--) {
                    history.step();
                }
                if (random.nextInt(3) > 0) {
                    waitForIndex(history);
                }
                for (int i = 0; i < 4; i++) {
                    compare(history, history.point());
                }
            }
            waitForIndex(history);
            assertThat(history.storage().search().compare("main").difference()).isNull();
        } finally {
            history.storage().close();
        }
        assertThat(answered.get("index")).as(answered + " " + history.outcomes).isGreaterThan(5);
    }

    private static void waitForIndex(BranchedHistory history) {
        long head;
        try (GraphSession session = history.storage().session()) {
            head = session.appliedOffset();
        }
        await().until(() -> history.storage().search().status().position() >= head);
    }

    private void compare(BranchedHistory history, ReadPoint point) {
        try (GraphSession session = history.storage().session();
                GraphView view = session.view(point)) {
            TextIndex texts = view.texts();
            answered.merge(texts == null ? "none" : "index", 1, Integer::sum);
            if (texts != null) {
                for (IndexedField field : IndexedField.of(view.catalog())) {
                    compare(view, texts, field, field + " at " + point);
                }
            }
        } catch (ServiceException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_RECLAIMED);
        }
    }

    /** The terms of a text by their positions. */
    private record Text(int ordinal, TreeMap<Integer, String> terms) {
        List<String> list() {
            return List.copyOf(terms.values());
        }

        boolean passes(TextFilter filter) {
            List<String> query = filter.terms();
            return switch (filter.kind()) {
                case ANY -> query.stream().anyMatch(list()::contains);
                case ALL -> list().containsAll(query);
                case PREFIX ->
                    list().containsAll(query.subList(0, query.size() - 1))
                            && list().stream().anyMatch(term -> term.startsWith(query.getLast()));
                case PHRASE ->
                    terms.keySet().stream()
                            .anyMatch(from -> IntStream.range(0, query.size())
                                    .allMatch(i -> query.get(i).equals(terms.get(from + i))));
                case FUZZY ->
                    query.stream()
                            .allMatch(word -> list().stream().anyMatch(term -> edits(word, term) <= filter.edits()));
            };
        }
    }

    /** Restricted distance over code points. */
    private static int edits(String from, String to) {
        int[] a = from.codePoints().toArray();
        int[] b = to.codePoints().toArray();
        int[][] d = new int[a.length + 1][b.length + 1];
        for (int i = 0; i <= a.length; i++) {
            for (int j = 0; j <= b.length; j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                d[i][j] = Math.min(
                        Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1));
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length][b.length];
    }

    private static List<Text> texts(GraphView view, IndexedField field) {
        List<Text> texts = new ArrayList<>();
        EntityColumn rows = new EntityColumn();
        Column values = field.column();
        try (GraphView.Scan scan = view.scan(field.type())) {
            for (int n = scan.next(rows); n > 0; n = scan.next(rows)) {
                view.read(field.property().identity(), rows, n, values);
                for (int i = 0; i < n; i++) {
                    if (!values.isNull(i)) {
                        TreeMap<Integer, String> terms = new TreeMap<>();
                        field.analyse(
                                TextIndex.Payer.NONE,
                                values,
                                i,
                                (term, length, position) -> terms.put(position, new String(term, 0, length)));
                        texts.add(new Text(rows.ordinals[i], terms));
                    }
                }
            }
        }
        return texts;
    }

    private void compare(GraphView view, TextIndex index, IndexedField field, String what) {
        List<Text> texts = texts(view, field);
        List<String> query = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            query.add(WORDS.get(random.nextInt(WORDS.size())));
        }
        List<String> distinct = query.stream().distinct().toList();
        TextIndex.Statistics said =
                index.statistics(field.type(), field.property().identity(), distinct, TextIndex.Payer.NONE);
        if (said == null) {
            answered.merge("no statistics", 1, Integer::sum);
            return;
        }
        long[] having = distinct.stream()
                .mapToLong(term -> texts.stream()
                        .filter(text -> text.list().contains(term))
                        .count())
                .toArray();
        assertThat(said.texts()).as(what).isEqualTo(texts.size());
        assertThat(said.length())
                .as(what)
                .isEqualTo(texts.stream().mapToLong(text -> text.terms.size()).sum());
        assertThat(said.having()).as(what + " " + distinct).isEqualTo(having);
        for (TextFilter.Kind kind : TextFilter.Kind.values()) {
            TextFilter filter = new TextFilter(kind, query, kind == TextFilter.Kind.FUZZY ? random.nextInt(3) : 0);
            TextIndex.Proposal found =
                    index.find(field.type(), field.property().identity(), filter, TextIndex.Payer.NONE);
            assertThat(found).isNotNull();
            Set<Integer> proposed =
                    new TreeSet<>(Arrays.stream(found.ordinals()).boxed().toList());
            assertThat(proposed).hasSameSizeAs(found.ordinals());
            assertThat(proposed)
                    .as(what + " " + filter)
                    .containsAll(texts.stream()
                            .filter(text -> text.passes(filter))
                            .map(Text::ordinal)
                            .toList());
        }
        best(index, field, texts, distinct, said, what);
    }

    private void best(
            TextIndex index,
            IndexedField field,
            List<Text> texts,
            List<String> query,
            TextIndex.Statistics statistics,
            String what) {
        double average = (double) statistics.length() / Math.max(1, statistics.texts());
        Map<Integer, Double> scores = new HashMap<>();
        for (Text text : texts) {
            double score = 0;
            for (int i = 0; i < query.size(); i++) {
                String term = query.get(i);
                double f = text.list().stream().filter(term::equals).count();
                double n = statistics.having()[i];
                if (f > 0) {
                    score += Math.log(1 + (statistics.texts() - n + 0.5) / (n + 0.5))
                            * f
                            / (f + 1.2 * (0.25 + 0.75 * text.terms.size() / average));
                }
            }
            if (score > 0) {
                scores.put(text.ordinal, score);
            }
        }
        int most = 1 + random.nextInt(5);
        int without = random.nextInt(4);
        IntPredicate among = without == 0 ? TextIndex.ALL : ordinal -> ordinal % 4 != without;
        scores.keySet().removeIf(ordinal -> !among.test(ordinal));
        List<Double> sorted = scores.values().stream()
                .sorted(java.util.Comparator.reverseOrder())
                .toList();
        double least = sorted.size() < most ? 0 : sorted.get(most - 1);
        TextIndex.Proposal best = index.best(
                field.type(),
                field.property().identity(),
                new TextIndex.Ranked(query, statistics),
                most,
                among,
                TextIndex.Payer.NONE);
        assertThat(best).isNotNull();
        List<Integer> wanted = scores.entrySet().stream()
                .filter(each -> each.getValue() >= least)
                .map(Map.Entry::getKey)
                .toList();
        assertThat(Arrays.stream(best.ordinals()).boxed().toList())
                .as(what + " best " + most + " of " + query)
                .containsAll(wanted);
        assertThat(scores.keySet())
                .containsAll(Arrays.stream(best.ordinals()).boxed().toList());
    }
}
