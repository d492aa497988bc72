package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import service.core.error.ServiceException;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.schema.CatalogCodec;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.resident.BranchedHistory;
import service.projection.search.index.SearchOptions;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;
import service.projection.view.Sessions;
import service.projection.view.ViewSource;

/** Searches give the same rows, order and score bits with the index and without. */
class IndexedSearchTest {
    private static final List<String> WORDS = List.of("ada", "bob zoë", "zoe", "é", "long", "x ada", "adda", "z", "?");
    private static final List<String> FILTERS = List.of(
            "search($p.%1$s, \"%2$s\")",
            "search($p.%1$s, \"%2$s\", \"all\")",
            "search($p.%1$s, \"%2$s\", \"prefix\")",
            "match_text($p.%1$s, \"%2$s\")",
            "fuzzy($p.%1$s, \"%2$s\")",
            "not search($p.%1$s, \"%2$s\")",
            "search($p.%1$s, \"%2$s\")  $p.age > 3",
            "");

    private static final String OF_BRANCH = "with an index of a branch";

    /** More, when what is asked for did not happen. */
    private static final int ROUNDS_MAX = 60;

    private static final int ROUNDS = Integer.getInteger("service.search.rounds", 6);

    @TempDir
    Path temporary;

    private final Map<String, Integer> asked = new TreeMap<>();

    @Test
    void rowsOrderAndScoresDoNotDependOnTheIndex(@Seed long seed) {
        compare(new Random(seed), SearchOptions.Branches.DEFAULT, "with index");
        assertThat(asked).doesNotContainKey(OF_BRANCH);
    }

    @Test
    void norOnOwnIndexesOfBranches(@Seed long seed) {
        compare(new Random(seed), new SearchOptions.Branches(2, 3, 1L << 30), OF_BRANCH);
        assertThat(asked.get(OF_BRANCH)).as(asked + "").isPositive();
    }

    /**
     * Compares both at random points of a random history.
     *
     * @param branches of which indexes are kept
     * @param met what must have been asked
     */
    private void compare(Random random, SearchOptions.Branches branches, String met) {
        StorageOptions options = StorageOptions.defaults(CatalogCodec::decode)
                .withMapBytes(1L << 30, 4L << 30)
                .withCheckpointEvents(0)
                .withSearch(SearchOptions.of(Duration.ofMillis(10), 0, 1 << 20, branches));
        BranchedHistory history = new BranchedHistory(random, temporary.resolve("graph"), options, true);
        try {
            for (int round = 0; round < ROUNDS || (round < ROUNDS_MAX && asked.getOrDefault(met, 0) < 5); round++) {
                for (int step = 0; step < 6; step++) {
                    history.step();
                }
                LmdbGraphStorage storage = history.storage();
                if (round % 4 > 0) {
                    await().until(() -> storage.search().status().position()
                            >= storage.events().tail().offset());
                }
                for (int i = 0; i < 6; i++) {
                    ReadPoint point = history.point();
                    awaitOwnIndexes(storage, point);
                    compare(storage, point, random);
                }
            }
        } finally {
            history.storage().close();
        }
        assertThat(asked.get("with index")).as(asked + " " + history.outcomes).isGreaterThan(5);
        assertThat(asked).containsKeys("TextSeek", "TextTop");
    }

    /** A first search of a branch with many changes has its index made. */
    private void awaitOwnIndexes(LmdbGraphStorage storage, ReadPoint point) {
        try (GraphSession session = storage.session();
                GraphView view = session.view(point)) {
            asked.merge(view.texts() == null ? "first without" : "first with", 1, Integer::sum);
        } catch (ServiceException e) {
            assertThat(e.getMessage()).contains("reclaimed");
        }
        await().until(() -> storage.search().status().branches().stream().allMatch(branch -> branch.ownEntities() > 0));
        if (storage.search().status().branches().stream()
                .anyMatch(branch -> branch.incarnation() == point.incarnation())) {
            asked.merge(OF_BRANCH, 1, Integer::sum);
        }
    }

    private void compare(LmdbGraphStorage storage, ReadPoint point, Random random) {
        Sessions plain = new Sessions(storage.environment(), storage.events(), CatalogCodec::decode, ViewSource.TABLES);
        try (GraphSession first = storage.session();
                GraphSession second = plain.reading();
                GraphView with = first.view(point);
                GraphView without = second.view(point)) {
            asked.merge(with.texts() == null ? "without index" : "with index", 1, Integer::sum);
            assertThat(without.texts()).isNull();
            for (int i = 0; i < 3; i++) {
                String source = query(random);
                Request request =
                        GqCompiler.compile(source, null, with.catalog()).request();
                Plan.Read plan = (Plan.Read) ((Request.Query) request).plan();
                new VectorExecutor(1 << 20)
                        .explain(plan, List.of(), with, PlanTrials.wide(), false)
                        .forEach(row -> asked.merge(row.operator(), 1, Integer::sum));
                List<List<Value>> expected = PlanTrials.run(plan, List.of(), without);
                assertThat(PlanTrials.run(plan, List.of(), with))
                        .as(source + " at " + point)
                        .isEqualTo(expected);
            }
        } catch (ServiceException e) {
            assertThat(e.getMessage()).contains("reclaimed");
        }
    }

    private static String query(Random random) {
        String property = random.nextInt(3) == 0 ? "tags" : "name";
        String word = WORDS.get(random.nextInt(WORDS.size()));
        String filter = FILTERS.get(random.nextInt(FILTERS.size())).formatted(property, word);
        String ranked = random.nextInt(4) == 0 ? "ada" : word;
        String tail = random.nextInt(4) == 0 ? "" : "order { score }  limit " + (1 + random.nextInt(6));
        return "query q() { match { $p: Person  %s }  return { $p.@id, bm25($p.%s, \"%s\") as score }  %s }"
                .formatted(filter, property, ranked, tail);
    }
}
