package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.gq.CompiledSource.Request;
import service.core.gq.GqCompiler;
import service.core.gq.plan.Plan;
import service.core.testkit.HeapGraph;
import service.core.testkit.HeapView;
import service.core.testkit.Seed;
import service.core.value.Value;

/** Blocks that end with a hop have the same matches whether the view counts neighbours or lists them. */
class BlockDegreesTest {
    private static final int PEOPLE = 1_200;
    private static final int EDGES = 3_600;
    private static final int HUBS = 2;

    private final HeapGraph graph = new HeapGraph(QuerySchema.CATALOG);
    private final List<TreeSet<Integer>> out = new ArrayList<>();
    private final int[] edges = new int[PEOPLE];

    private void build(Random random) {
        for (int i = 0; i < PEOPLE; i++) {
            graph.add(QuerySchema.PERSON, "p" + i).properties.put(QuerySchema.AGE, new Value.Int(i));
            out.add(new TreeSet<>());
        }
        List<HeapGraph.Entity> people = graph.all(QuerySchema.PERSON);
        for (int i = 0; i < EDGES; i++) {
            int from = i < PEOPLE / 2 ? i % HUBS : random.nextInt(PEOPLE);
            int to = random.nextInt(PEOPLE / 2);
            int parallel = random.nextInt(4) == 0 ? 2 : 1;
            for (int edge = 0; edge < parallel; edge++) {
                graph.addEdge(QuerySchema.KNOWS, "k" + i + "-" + edge, people.get(from), people.get(to));
            }
            edges[from] += parallel;
            out.get(from).add(to);
        }
    }

    /** @param step of a view that counts neighbours of two thirds of the nodes, or of one that lists them only */
    @ParameterizedTest
    @ValueSource(ints = {1022, 1023})
    void blocksThatEndWithAHopMatchTheSame(int step, @Seed long seed) {
        build(new Random(seed));
        HeapView view = new HeapView(graph, step);
        assertThat(people(view, "exists { $a knows $b }"))
                .isEqualTo(matching(a -> !out.get(a).isEmpty()));
        assertThat(people(view, "not { $a knows $b }"))
                .isEqualTo(matching(a -> out.get(a).isEmpty()));
        assertThat(people(view, "count { $a knows $b } > 4"))
                .isEqualTo(matching(a -> out.get(a).size() > 4));
        assertThat(people(view, "count { $a knows $b } = 0"))
                .isEqualTo(matching(a -> out.get(a).isEmpty()));
        assertThat(people(view, "count { $a knows $b $b.age < 300 $b knows $c } >= 5"))
                .isEqualTo(matching(a -> pathsOverYoung(a) >= 5));
        assertThat(people(view, "exists { $a knows $b $b.age < 300 $b knows $c }"))
                .isEqualTo(matching(a -> pathsOverYoung(a) > 0));
        assertThat(people(view, "count { $a $w:knows $b } > 4")).isEqualTo(matching(a -> edges[a] > 4));
    }

    private long pathsOverYoung(int a) {
        return out.get(a).stream()
                .filter(b -> b < 300)
                .mapToLong(b -> out.get(b).size())
                .sum();
    }

    private static List<Integer> matching(IntPredicate person) {
        return IntStream.range(0, PEOPLE).filter(person).boxed().toList();
    }

    private List<Integer> people(HeapView view, String block) {
        Request request = GqCompiler.compile(
                        "query q() { match { $a: Person " + block + " } return { $a.age as age } }",
                        null,
                        graph.catalog)
                .request();
        Plan.Read plan = (Plan.Read) ((Request.Query) request).plan();
        return PlanTrials.run(plan, List.of(), view).stream()
                .map(row -> (int) ((Value.Int) row.getFirst()).value())
                .sorted()
                .toList();
    }
}
