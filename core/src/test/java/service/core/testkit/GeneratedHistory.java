package service.core.testkit;

import static service.core.testkit.SmallGraph.*;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import service.core.error.ServiceException;
import service.core.event.ChangeBlock;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Fork;
import service.core.event.Image;
import service.core.event.Note;
import service.core.event.Origin;
import service.core.port.Branch;
import service.core.port.CommitLog;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.Tag;
import service.core.port.WritableGraphStorage;
import service.core.port.WriteCommand.Draft;
import service.core.value.EntityKind;
import service.core.value.KeyText;
import service.core.value.PropertyRow;
import service.core.value.PropertyType;
import service.core.value.Value;

/**
 * A random history on branches that are nested three deep and deeper, some deleted, names used again, some
 * fast-forwarded.
 */
public final class GeneratedHistory {
    private static final List<String> WORDS = List.of("ada", "b", "bob", "carol", "d\u0000d", "é", "zoë", "😀");

    private final Random random;
    private CommitLog log;
    private WritableGraphStorage storage;
    public final FoldOfLog fold = new FoldOfLog();

    /** Points at which the state was copied, with the copy. */
    public final Map<ReadPoint, NavigableMap<FoldOfLog.Name, Image>> copies = new LinkedHashMap<>();

    private final Set<String> deleted = new HashSet<>();
    private final Map<String, Integer> depths = new HashMap<>(Map.of("main", 0));
    private final int branchesMax;
    private int named;
    private boolean forksFromThePast;
    public int pastForks;
    public int commits;
    public int tags;
    public int fastForwards;
    public int deletions;
    public int reusedNames;
    public int depthMax;
    public int branchesSeen = 1;

    public GeneratedHistory(long seed, WritableGraphStorage storage, int branchesMax) {
        this.branchesMax = branchesMax;
        this.random = new Random(seed);
        this.storage = storage;
        this.log = storage.log();
    }

    /** Continues on the same graph, opened again. */
    public void continueOn(WritableGraphStorage reopened) {
        storage = reopened;
        log = reopened.log();
    }

    public void run(int events, int copyEvery) {
        for (int i = 0; i < events; i++) {
            step();
            if (i % copyEvery == 0) {
                Branch branch = branch(pick());
                copies.put(branch.headPoint(), new TreeMap<>(fold.state(branch.incarnation())));
            }
        }
    }

    /** {@link #run} until there are so many commits, copying the state at every so many of them. */
    public void runCommits(int wanted, int copyEvery) {
        int copied = 0;
        while (commits < wanted) {
            step();
            if (commits / copyEvery > copied) {
                copied = commits / copyEvery;
                Branch branch = branch(pick());
                copies.put(branch.headPoint(), new TreeMap<>(fold.state(branch.incarnation())));
            }
        }
    }

    private Branch branch(String name) {
        try (var session = storage.session()) {
            return java.util.Objects.requireNonNull(session.branch(name));
        }
    }

    /** One of two actors; every third event has a note. */
    private Origin origin() {
        int events = commits + deletions + fastForwards;
        Map<String, String> pairs = Map.of("n", "" + commits, "even", "" + (commits % 2 == 0));
        return new Origin(
                events % 5 == 2 ? "other" : "tester",
                events % 3 != 0 ? null : Note.of("after " + commits + " commits", pairs));
    }

    private String pick() {
        List<String> names = new ArrayList<>(depths.keySet());
        names.sort(null);
        return names.get(random.nextInt(names.size()));
    }

    /** Also forks from earlier commits, which may be those of other branches, from now on. */
    public GeneratedHistory withPastForks() {
        forksFromThePast = true;
        return this;
    }

    /** Tags an earlier commit of a branch, or deletes a tag. */
    private void tag(Branch of) {
        String name = "v" + random.nextInt(6);
        try (GraphSession session = storage.session()) {
            Tag tag = session.tag(name);
            long place = random.nextLong(of.historyLength());
            CommitHeader at = session.header(session.history(of.incarnation(), place));
            if (tag != null) {
                fold.apply(write(log, new Draft.DeleteTag(tag, Origin.of("tester"), null)));
            } else if (isReadable(session, new ReadPoint(at.incarnation(), at.offset()))) {
                fold.apply(write(
                        log,
                        new Draft.CreateTag(
                                name,
                                at.id(),
                                at.incarnation(),
                                new Origin("tester", random.nextBoolean() ? Note.of("for " + place, Map.of()) : null),
                                null)));
                tags++;
            }
        }
    }

    private Draft forking(String child, String name) {
        Branch parent = branch(name);
        if (forksFromThePast && random.nextBoolean()) {
            try (GraphSession session = storage.session()) {
                long place = random.nextLong(parent.historyLength());
                CommitHeader at = session.header(session.history(parent.incarnation(), place));
                Branch then = Branch.at(at, place + 1);
                if (isReadable(session, then.headPoint())) {
                    pastForks++;
                    return new Draft.CreateBranch(child, then, true, origin());
                }
            }
        }
        return new Draft.CreateBranch(child, parent, origin());
    }

    private static boolean isReadable(GraphSession session, ReadPoint point) {
        try (GraphView view = session.view(point)) {
            return view != null;
        } catch (ServiceException e) {
            return false;
        }
    }

    private void step() {
        int what = random.nextInt(100);
        String name = pick();
        if (what < 8 && depths.size() < branchesMax) {
            String child = "b" + (random.nextInt(3) == 0 ? random.nextInt(Math.max(1, named)) : named++);
            if (!depths.containsKey(child)) {
                fold.apply(write(log, forking(child, name)));
                depths.put(child, depths.getOrDefault(name, 0) + 1);
                depthMax = Math.max(depthMax, depths.getOrDefault(name, 0) + 1);
                branchesSeen = Math.max(branchesSeen, depths.size());
                reusedNames += deleted.remove(child) ? 1 : 0;
                return;
            }
        }
        if (what < 11 && !name.equals("main")) {
            fold.apply(write(log, new Draft.DeleteBranch(branch(name), origin())));
            depths.remove(name);
            deleted.add(name);
            deletions++;
            return;
        }
        if (what == 11) {
            tag(branch(name));
            return;
        }
        if (what < 20 && fastForwardAny()) {
            return;
        }
        List<EntityChange> changes = changes(fold.state(branch(name).incarnation()));
        if (!changes.isEmpty()) {
            Branch on = branch(name);
            fold.apply(write(
                    log,
                    new Draft.Commit(
                            commits % 4 == 1 ? CommitKind.LOAD : CommitKind.MUTATION,
                            on,
                            null,
                            origin(),
                            null,
                            null,
                            ChangeBlock.sorting(changes))));
            commits++;
        }
    }

    private boolean fastForwardAny() {
        List<String> names = new ArrayList<>(depths.keySet());
        names.sort(null);
        for (String name : names) {
            if (fastForward(branch(name))) {
                return true;
            }
        }
        return false;
    }

    /** Moves the parent to the child's head when the parent has not moved since the fork. */
    private boolean fastForward(Branch source) {
        Fork fork = source.fork();
        if (fork == null || !depths.containsKey(fork.parentName())) {
            return false;
        }
        Branch target = branch(fork.parentName());
        if (target.incarnation() != fork.parentIncarnation()
                || !target.head().equals(fork.commit())
                || target.head().equals(source.head())) {
            return false;
        }
        List<EntityChange> changes = difference(fold.state(target.incarnation()), fold.state(source.incarnation()));
        Event moved = write(log, new Draft.FastForward(target, source, origin(), null, ChangeBlock.sorting(changes)));
        fold.apply(moved);
        fastForwards++;
        return true;
    }

    private List<EntityChange> changes(NavigableMap<FoldOfLog.Name, Image> before) {
        NavigableMap<FoldOfLog.Name, Image> after = new TreeMap<>(before);
        int n = 1 + random.nextInt(random.nextInt(20) == 0 ? 60 : 6);
        for (int i = 0; i < n; i++) {
            change(after);
        }
        return difference(before, after);
    }

    private void change(NavigableMap<FoldOfLog.Name, Image> state) {
        int what = random.nextInt(10);
        List<FoldOfLog.Name> all = new ArrayList<>(state.keySet());
        if (what < 3 || all.size() < 10) {
            state.put(new FoldOfLog.Name(PERSON, id("p", 60)), Image.ofNode(person()));
        } else if (what < 4) {
            Map<Integer, Value> city = Map.of(CITY_NAME, word());
            state.put(new FoldOfLog.Name(CITY, id("c", 12)), Image.ofNode(PropertyRow.of(city)));
        } else if (what < 7) {
            edge(state, all);
        } else if (what < 8) {
            delete(state, all.get(random.nextInt(all.size())));
        } else {
            FoldOfLog.Name name = all.get(random.nextInt(all.size()));
            if (name.type() == PERSON) {
                state.put(name, Image.ofNode(person()));
            }
        }
    }

    private void edge(NavigableMap<FoldOfLog.Name, Image> state, List<FoldOfLog.Name> all) {
        List<FoldOfLog.Name> people =
                all.stream().filter(name -> name.type() == PERSON).toList();
        List<FoldOfLog.Name> cities =
                all.stream().filter(name -> name.type() == CITY).toList();
        if (people.isEmpty()) {
            return;
        }
        String from = people.get(random.nextInt(people.size())).id();
        if (random.nextBoolean() && !cities.isEmpty()) {
            String to = cities.get(random.nextInt(cities.size())).id();
            String id = key(from, to);
            if (KeyText.fault(id) == null) {
                state.put(new FoldOfLog.Name(LIVES, id), Image.ofEdge(PropertyRow.EMPTY, from, to));
            }
        } else {
            String to = people.get(random.nextInt(people.size())).id();
            Map<Integer, Value> since = Map.of(SINCE, new Value.Date(random.nextInt(100) - 50));
            state.put(new FoldOfLog.Name(KNOWS, id("k", 80)), Image.ofEdge(PropertyRow.of(since), from, to));
        }
    }

    /** The id of an edge whose key is its ends. */
    private static String key(String from, String to) {
        return KeyText.id(
                List.of(PropertyType.STRING, PropertyType.STRING), List.of(new Value.Text(from), new Value.Text(to)));
    }

    private static void delete(NavigableMap<FoldOfLog.Name, Image> state, FoldOfLog.Name name) {
        state.remove(name);
        if (name.type() == PERSON) {
            state.entrySet()
                    .removeIf(entry -> entry.getKey().type() >= KNOWS
                            && name.id().equals(entry.getValue().from()));
            state.entrySet()
                    .removeIf(entry -> entry.getKey().type() == KNOWS
                            && name.id().equals(entry.getValue().to()));
        } else if (name.type() == CITY) {
            state.entrySet()
                    .removeIf(entry -> entry.getKey().type() == LIVES
                            && name.id().equals(entry.getValue().to()));
        }
    }

    private PropertyRow person() {
        Map<Integer, Value> values = new HashMap<>();
        values.put(NAME, word());
        if (random.nextInt(8) > 0) {
            values.put(AGE, new Value.Int(random.nextInt(12) - 4));
        }
        if (random.nextBoolean()) {
            values.put(SCORE, new Value.Real(random.nextGaussian()));
        }
        if (random.nextBoolean()) {
            values.put(ACTIVE, new Value.Bool(random.nextBoolean()));
        }
        return PropertyRow.of(values);
    }

    private Value word() {
        String word = WORDS.get(random.nextInt(WORDS.size()));
        return new Value.Text(random.nextInt(6) == 0 ? word.repeat(200) + random.nextInt(4) : word);
    }

    /** Some ids are longer than a key may be, and differ only at their ends. */
    private String id(String kind, int of) {
        int n = random.nextInt(of);
        return n % 10 == 0 ? kind.repeat(900) + n : kind + n;
    }

    private static List<EntityChange> difference(
            NavigableMap<FoldOfLog.Name, Image> before, NavigableMap<FoldOfLog.Name, Image> after) {
        List<EntityChange> changes = new ArrayList<>();
        NavigableMap<FoldOfLog.Name, Image> all = new TreeMap<>(before);
        all.putAll(after);
        for (FoldOfLog.Name name : all.keySet()) {
            Image was = before.get(name);
            Image is = after.get(name);
            if (!java.util.Objects.equals(was, is)) {
                EntityKind kind = name.type() >= KNOWS ? EntityKind.EDGE : EntityKind.NODE;
                changes.add(new EntityChange(kind, name.type(), name.id(), was, is));
            }
        }
        changes.sort(Comparator.comparing(EntityChange::kind).thenComparingInt(EntityChange::typeIdentity));
        return changes;
    }
}
