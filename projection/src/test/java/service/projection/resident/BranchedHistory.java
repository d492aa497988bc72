package service.projection.resident;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import service.core.batch.EntityColumn;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.graph.GraphAccess;
import service.core.graph.branch.MergeRequest;
import service.core.graph.load.LoadMode;
import service.core.graph.request.Settings;
import service.core.graph.request.WriteOptions;
import service.core.graph.schema.SchemaRequest;
import service.core.graph.schema.UpgradeRequest;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RetentionPolicy;
import service.core.schema.Catalog;
import service.core.schema.EntityType;
import service.core.schema.SchemaCompiler;
import service.core.schema.migrate.DropApproval;
import service.core.testkit.SmallGraph;
import service.projection.TestEngine;
import service.projection.storage.LmdbGraphStorage;
import service.projection.storage.StorageOptions;

/**
 * A random history through the use-cases: loads, mutations, deletes, branches, merges, changes of schema, cleanups and
 * restarts. It keeps no model; it only makes points to read.
 */
public final class BranchedHistory {
    private static final int BRANCHES_MAX = 5;
    private static final int IDS = 40;
    private static final List<String> WORDS =
            List.of("ada", "bob", "é", "zoë", "😀", "long ".repeat(60), "ada bob", "Bob, ada zoë");

    private final boolean searched;
    private final Random random;
    private final Path directory;
    private final StorageOptions options;
    private LmdbGraphStorage storage;
    private GraphAccess graph;
    private final List<String> branches = new ArrayList<>(List.of("main"));
    private int named;

    /** What a schema has. */
    private record Shape(boolean ranked, boolean indexed, boolean firms, boolean fourth, String nick) {}

    /** The schemas of branches. */
    private final Map<String, Shape> shapes = new TreeMap<>();

    /** Heads that branches have had. */
    final List<ReadPoint> points = new ArrayList<>();

    /** How often each kind of step had which outcome. */
    public final Map<String, Integer> outcomes = new TreeMap<>();

    BranchedHistory(Random random, Path directory, StorageOptions options) {
        this(random, directory, options, false);
    }

    /** @param searched whether texts have {@code @search} */
    public BranchedHistory(Random random, Path directory, StorageOptions options, boolean searched) {
        this.searched = searched;
        this.random = random;
        this.directory = directory;
        this.options = options;
        Shape shape = new Shape(false, false, false, false, "nick");
        shapes.put("main", shape);
        Catalog catalog = SchemaCompiler.compile(schema(shape, shape.nick));
        this.storage = LmdbGraphStorage.create(directory, options, TestEngine.schema(catalog), "tester");
        this.graph = TestEngine.graph(storage);
    }

    public LmdbGraphStorage storage() {
        return storage;
    }

    GraphAccess graph() {
        return graph;
    }

    private String schema(Shape shape, String nickBefore) {
        String renamed = nickBefore.equals(shape.nick) ? "" : " @rename_from(\"" + nickBefore + "\")";
        String search = searched ? " @search" : "";
        return """
                node Person {
                  name: String?%s
                  age: I64?%s
                  score: F64?
                  active: Bool?
                  born: Date?
                  place: Vector(3)?
                  kind: enum(a, b, c%s)?
                  %s: String?%s
                  tags: [String]?%s%s
                }
                node City { name: String? }
                edge Knows: Person -> Person { since: Date?  weight: I32? }
                edge Lives: Person -> City
                %s
                """.formatted(
                        search,
                        shape.indexed ? " @index" : "",
                        shape.fourth ? ", d" : "",
                        shape.nick,
                        renamed + search + (searched && shape.ranked ? "(folded)" : ""),
                        search,
                        shape.ranked ? "\n  rank: I64 @default(7)" : "",
                        shape.firms
                                ? "node Firm { size: I32? }\nedge Works: Person -> Firm { role: String?" + search + " }"
                                : "");
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    public void step() {
        int what = random.nextInt(100);
        if (what < 44) {
            // More than 512 changes take the sorted way into the tables.
            load(any(branches), random.nextInt(40) == 0 ? 600 : 1 + random.nextInt(12));
        } else if (what < 60) {
            mutate(any(branches));
        } else if (what < 70) {
            fork(any(branches));
        } else if (what < 84) {
            merge();
        } else if (what < 88) {
            delete();
        } else if (what < 92) {
            migrate();
        } else if (what < 96) {
            storage.cleanup().run(new RetentionPolicy(1L + random.nextInt(12), null), Duration.ZERO);
            count("cleanup");
        } else {
            restart();
        }
        remember();
    }

    private void count(String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
    }

    private void remember() {
        try (GraphSession session = storage.session()) {
            for (Branch branch : session.branches()) {
                if (!points.contains(branch.headPoint())) {
                    points.add(branch.headPoint());
                }
            }
        }
        while (points.size() > 40) {
            points.remove(random.nextInt(points.size() - 5));
        }
    }

    /** A head, or a point that was one. */
    public ReadPoint point() {
        try (GraphSession session = storage.session()) {
            return random.nextBoolean()
                    ? any(points)
                    : any(List.copyOf(session.branches())).headPoint();
        }
    }

    ReadPoint head(String branch) {
        return SmallGraph.branch(storage, branch).headPoint();
    }

    private void restart() {
        storage.close();
        storage = LmdbGraphStorage.open(directory, options);
        graph = TestEngine.graph(storage);
        count("restart");
    }

    private void run(String kind, Runnable write) {
        try {
            write.run();
            count(kind);
        } catch (CompletionException | ServiceException e) {
            Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            if (!(cause instanceof ServiceException refusal)
                    || refusal.code() == ErrorCode.INTERNAL
                    || refusal.code() == ErrorCode.BAD_REQUEST) {
                throw new AssertionError(kind + " failed", e);
            }
            count(kind + " " + refusal.code().wireName());
        }
    }

    private void load(String branch, int records) {
        Map<String, List<String>> ids = ids(branch);
        Shape shape = shape(branch);
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < records; i++) {
            record(lines, shape, ids, records > 512 ? 200 : IDS);
        }
        run(
                "load",
                () -> graph.load(
                                WriteOptions.NONE,
                                branch,
                                null,
                                LoadMode.MERGE,
                                new ByteArrayInputStream(lines.toString().getBytes(StandardCharsets.UTF_8)),
                                TestEngine.ample())
                        .join());
    }

    private Shape shape(String branch) {
        return Objects.requireNonNull(shapes.get(branch));
    }

    /** The live ids of each type of a branch. */
    private Map<String, List<String>> ids(String branch) {
        Map<String, List<String>> ids = new TreeMap<>();
        try (GraphSession session = storage.session();
                GraphView view = session.view(head(branch))) {
            List<EntityType> types = new ArrayList<>(view.catalog().nodes());
            types.addAll(view.catalog().edges());
            EntityColumn found = new EntityColumn();
            for (EntityType type : types) {
                List<String> all = ids.computeIfAbsent(type.name(), name -> new ArrayList<>());
                try (GraphView.Scan scan = view.scanById(type.identity(), null)) {
                    for (int n = scan.next(found); n > 0; n = scan.next(found)) {
                        for (int i = 0; i < n; i++) {
                            all.add(view.id(type.identity(), found.ordinals[i]));
                        }
                    }
                }
            }
        }
        return ids;
    }

    private void record(StringBuilder lines, Shape shape, Map<String, List<String>> ids, int of) {
        List<String> people = ids.get("Person");
        int what = random.nextInt(10);
        if (what < 4 || people.isEmpty()) {
            node(lines, people, "Person", id("p", of), person(shape));
        } else if (what < 5) {
            node(lines, ids.get("City"), "City", id("c", 9), "'name':'" + any(WORDS) + "'");
        } else if (what < 6 && shape.firms) {
            node(lines, ids.get("Firm"), "Firm", id("f", 9), "'size':" + random.nextInt(4));
        } else if (what < 8) {
            String data = "'since':'2026-01-0" + (1 + random.nextInt(9)) + "','weight':" + random.nextInt(5);
            edge(lines, "Knows", any(people), any(people), data);
        } else if (shape.firms && what < 9 && !ids.get("Firm").isEmpty()) {
            edge(lines, "Works", any(people), any(ids.get("Firm")), "'role':'" + any(WORDS) + "'");
        } else if (!ids.get("City").isEmpty()) {
            edge(lines, "Lives", any(people), any(ids.get("City")), "");
        }
    }

    private String person(Shape shape) {
        List<String> data = new ArrayList<>();
        data.add("'name':'" + any(WORDS) + "'");
        data.add("'age':" + (random.nextInt(8) == 0 ? "null" : random.nextInt(12)));
        data.add("'active':" + random.nextBoolean());
        if (random.nextBoolean()) {
            data.add("'score':" + random.nextInt(9) / 2.0);
            data.add("'born':'200" + random.nextInt(9) + "-02-03'");
            data.add("'place':[%d,0.5,%d]".formatted(random.nextInt(9), -random.nextInt(3)));
            data.add("'kind':'" + any(List.of("a", "b", shape.fourth ? "d" : "c")) + "'");
        }
        if (random.nextInt(3) == 0) {
            data.add("'" + shape.nick + "':'" + any(WORDS) + "'");
            data.add("'tags':['x','" + any(WORDS) + "']");
        }
        if (shape.ranked && random.nextBoolean()) {
            data.add("'rank':" + random.nextInt(9));
        }
        return String.join(",", data);
    }

    private static void node(StringBuilder lines, List<String> known, String type, String id, String data) {
        line(lines, "{'type':'%s','data':{'id':'%s',%s}}".formatted(type, id, data));
        if (!known.contains(id)) {
            known.add(id);
        }
    }

    /** An edge keeps its ends, so its id has them. */
    private void edge(StringBuilder lines, String type, String from, String to, String data) {
        String id = Integer.toHexString((from + ">" + to).hashCode()) + "-" + random.nextInt(2);
        String more = data.isEmpty() ? "" : "," + data;
        line(lines, "{'edge':'%s','from':'%s','to':'%s','data':{'id':'%s'%s}}".formatted(type, from, to, id, more));
    }

    private static void line(StringBuilder lines, String line) {
        lines.append(line.replace('\'', '"')).append('\n');
    }

    /** Some ids are longer than a key may be. */
    private String id(String kind, int of) {
        int n = random.nextInt(of);
        return n % 13 == 0 ? kind.repeat(900) + n : kind + n;
    }

    private void mutate(String branch) {
        List<String> people = ids(branch).get("Person");
        String id = people.isEmpty() ? "p1" : any(people);
        String statement = any(List.of(
                "delete Person where @id = \"" + id + "\"",
                "delete Knows where weight = " + random.nextInt(5),
                "update Person set { age: null, name: \"new\" } where @id = \"" + id + "\"",
                "update Person set { score: 2.5, place: [1, 2, 3] } where age < " + random.nextInt(6),
                "delete Person where age = " + random.nextInt(12)));
        run("mutation", () -> TestEngine.mutate(graph, branch, statement));
    }

    private void fork(String from) {
        if (branches.size() < BRANCHES_MAX) {
            String name = "b" + named++;
            graph.createBranch(name, from, null).join();
            branches.add(name);
            shapes.put(name, shape(from));
            count("branch");
        }
    }

    private void merge() {
        String source = any(branches);
        String target = any(branches);
        if (!source.equals(target)) {
            run(
                    "merge",
                    () -> count(graph.merge(
                                    WriteOptions.NONE,
                                    MergeRequest.of(source, target),
                                    Settings.DEFAULTS,
                                    TestEngine.ample())
                            .outcome()
                            .name()));
        }
    }

    private void delete() {
        if (branches.size() > 1) {
            String name = branches.remove(1 + random.nextInt(branches.size() - 1));
            graph.deleteBranch(name, null).join();
            count("deleted");
        }
    }

    private void upgrade(String branch) {
        run(
                "upgrade",
                () -> count(graph.upgrade(
                                WriteOptions.NONE,
                                new UpgradeRequest(branch, Set.of("Firm", "Works"), false),
                                TestEngine.ample())
                        .outcome()
                        .name()));
        shapes.put(branch, shape("main"));
    }

    /** Changes the schema of main; the other branches keep theirs. */
    private void migrate() {
        Shape before = shape("main");
        Shape after = switch (random.nextInt(5)) {
            case 0 -> new Shape(!before.ranked, before.indexed, before.firms, before.fourth, before.nick);
            case 1 -> new Shape(before.ranked, !before.indexed, before.firms, before.fourth, before.nick);
            case 2 -> new Shape(before.ranked, before.indexed, !before.firms, before.fourth, before.nick);
            case 3 -> new Shape(before.ranked, before.indexed, before.firms, !before.fourth, before.nick);
            default -> new Shape(before.ranked, before.indexed, before.firms, before.fourth, "nick" + named++);
        };
        String behind = any(branches);
        if (!behind.equals("main") && random.nextBoolean()) {
            upgrade(behind);
            return;
        }
        int applied = outcomes.getOrDefault("migration", 0);
        run(
                "migration",
                () -> graph.applySchema(
                        new SchemaRequest(schema(after, before.nick), DropApproval.every(), null), TestEngine.ample()));
        if (outcomes.getOrDefault("migration", 0) > applied) {
            shapes.put("main", after);
        }
    }
}
