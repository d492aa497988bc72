package service.core.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static service.core.graph.TestGraph.AGE;
import static service.core.graph.TestGraph.EMAIL;
import static service.core.graph.TestGraph.KNOWS;
import static service.core.graph.TestGraph.LEVEL;
import static service.core.graph.TestGraph.NAME;
import static service.core.graph.TestGraph.PERSON;
import static service.core.graph.TestGraph.equal;
import static service.core.graph.TestGraph.idIs;
import static service.core.graph.TestGraph.literal;
import static service.core.graph.TestGraph.set;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.event.Image;
import service.core.gq.plan.Expression;
import service.core.gq.plan.Plan;
import service.core.graph.request.MutationResult;
import service.core.testkit.Seed;
import service.core.value.PropertyType;
import service.core.value.Value;

/** Compares random scripts of mutations with a model of two maps. */
class MutationModelTest {
    private record Person(@Nullable Long age, @Nullable String email, long level) {}

    private record Knows(String from, String to) {}

    private record Model(Map<String, Person> people, List<Knows> knows) {
        Model copy() {
            return new Model(new TreeMap<>(people), new ArrayList<>(knows));
        }
    }

    private Model model = new Model(new TreeMap<>(), new ArrayList<>());

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void theGraphEqualsTheModel(long nth, @Seed long seed) {
        Random random = new Random(seed + nth);
        try (TestGraph test = new TestGraph()) {
            for (int step = 0; step < 150; step++) {
                Model before = model;
                Model after = model.copy();
                List<Plan.Statement> statements = script(random, after);
                boolean refused = !statements.isEmpty() && isWrong(after);
                String what = "step " + step + " " + statements;
                try {
                    MutationResult result = test.mutate(null, statements.toArray(Plan.Statement[]::new));
                    assertThat(refused).as(what).isFalse();
                    model = after;
                    assertThat(result.commit() == null).as(what).isEqualTo(sameAs(before, after));
                    assertThat(result.affectedNodes()).as(what).isEqualTo(changedPeople(before, after));
                } catch (ServiceException e) {
                    assertThat(refused).as(what + " " + e.getMessage()).isTrue();
                    model = before;
                }
                assertThat(stateOf(test)).as(what).isEqualTo(sorted(model));
            }
        }
    }

    private boolean orphaned;

    /** Makes statements and applies them to the model. */
    private List<Plan.Statement> script(Random random, Model model) {
        orphaned = false;
        boolean deletes = random.nextInt(4) == 0;
        List<Plan.Statement> statements = new ArrayList<>();
        int n = 1 + random.nextInt(4);
        for (int i = 0; i < n && !orphaned; i++) {
            statements.add(deletes ? delete(random, model) : change(random, model));
        }
        return statements;
    }

    private static String name(Random random) {
        return "p" + random.nextInt(8);
    }

    private Plan.Statement delete(Random random, Model model) {
        if (random.nextBoolean()) {
            String name = name(random);
            model.people.remove(name);
            model.knows.removeIf(knows -> knows.from.equals(name) || knows.to.equals(name));
            return new Plan.Statement.Delete(PERSON, idIs(name));
        }
        long age = random.nextInt(4);
        Set<String> gone = new HashSet<>();
        model.people.forEach((name, person) -> {
            if (person.age != null && person.age == age) {
                gone.add(name);
            }
        });
        model.people.keySet().removeAll(gone);
        model.knows.removeIf(knows -> gone.contains(knows.from) || gone.contains(knows.to));
        return new Plan.Statement.Delete(PERSON, equal(TestGraph.of(PERSON, AGE, PropertyType.I64), (int) age));
    }

    private Plan.Statement change(Random random, Model model) {
        return switch (random.nextInt(4)) {
            case 0 -> insert(random, model);
            case 1 -> email(random, model);
            case 2 -> {
                String from = name(random);
                String to = name(random);
                orphaned = !model.people.containsKey(from) || !model.people.containsKey(to);
                model.knows.add(new Knows(from, to));
                yield new Plan.Statement.InsertEdge(KNOWS, literal(from), literal(to), List.of());
            }
            default -> older(random, model);
        };
    }

    private static Plan.Statement insert(Random random, Model model) {
        String name = name(random);
        long age = random.nextInt(4);
        Person old = model.people.get(name);
        model.people.put(name, old == null ? new Person(age, null, 1) : new Person(age, old.email, old.level));
        return new Plan.Statement.InsertNode(PERSON, List.of(set(NAME, name), set(AGE, (int) age)));
    }

    private static Plan.Statement email(Random random, Model model) {
        String name = name(random);
        String email = random.nextInt(3) == 0 ? null : "e" + random.nextInt(4);
        model.people.computeIfPresent(name, (ignored, old) -> new Person(old.age, email, old.level));
        return new Plan.Statement.Update(
                PERSON, List.of(set(EMAIL, email == null ? Value.NULL : new Value.Text(email))), idIs(name));
    }

    private static Plan.Statement older(Random random, Model model) {
        long age = random.nextInt(4);
        int by = random.nextInt(60);
        model.people.replaceAll(
                (name, old) -> old.age != null && old.age == age ? new Person(old.age + by, old.email, 9) : old);
        Expression sum = new Expression.Arithmetic(
                Expression.ArithmeticOperator.ADD,
                TestGraph.of(PERSON, AGE, PropertyType.I64),
                literal(by),
                PropertyType.I64,
                new Expression.Origin(new SourceText("age"), 0, 3));
        return new Plan.Statement.Update(
                PERSON, List.of(set(AGE, sum), set(LEVEL, 9)), equal(TestGraph.of(PERSON, AGE, PropertyType.I64), (int)
                        age));
    }

    private boolean isWrong(Model model) {
        if (orphaned) {
            return true;
        }
        Set<String> emails = new HashSet<>();
        for (Person person : model.people.values()) {
            if ((person.age != null && person.age > 150) || (person.email != null && !emails.add(person.email))) {
                return true;
            }
        }
        return new HashSet<>(model.knows).size() < model.knows.size();
    }

    private static boolean sameAs(Model before, Model after) {
        return before.people.equals(after.people) && sorted(before).equals(sorted(after));
    }

    private static long changedPeople(Model before, Model after) {
        Set<String> names = new HashSet<>(before.people.keySet());
        names.addAll(after.people.keySet());
        return names.stream()
                .filter(name -> !java.util.Objects.equals(before.people.get(name), after.people.get(name)))
                .count();
    }

    private static List<String> sorted(Model model) {
        List<String> lines = new ArrayList<>();
        model.people.forEach((name, person) -> lines.add(name + " " + person));
        model.knows.stream().map(Knows::toString).sorted().forEach(lines::add);
        return lines;
    }

    private static List<String> stateOf(TestGraph test) {
        List<String> lines = new ArrayList<>();
        var entities = test.storage.head("main");
        entities.getOrDefault(PERSON, new TreeMap<>()).forEach((name, image) -> lines.add(name + " " + person(image)));
        entities.getOrDefault(KNOWS, new TreeMap<>()).values().stream()
                .map(image -> new Knows(String.valueOf(image.from()), String.valueOf(image.to())).toString())
                .sorted()
                .forEach(lines::add);
        return lines;
    }

    private static Person person(Image image) {
        Value age = image.properties().get(AGE);
        Value email = image.properties().get(EMAIL);
        return new Person(
                age == null ? null : ((Value.Int) age).value(),
                email == null ? null : ((Value.Text) email).value(),
                ((Value.Int) image.properties().get(LEVEL)).value());
    }
}
