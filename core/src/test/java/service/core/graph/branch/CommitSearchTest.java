package service.core.graph.branch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.Event;
import service.core.graph.request.CommitFilter;
import service.core.graph.request.CommitQuery;
import service.core.graph.request.CommitRecord;
import service.core.graph.request.Page;
import service.core.graph.request.TimeBudget;
import service.core.policy.Action;
import service.core.policy.Caller;
import service.core.policy.Permissions;
import service.core.port.Branch;
import service.core.port.GraphSession;
import service.core.testkit.GeneratedHistory;
import service.core.testkit.MemoryStorage;
import service.core.testkit.Seed;
import service.core.testkit.SmallGraph;
import service.core.value.EntityKind;

/** Pages of commits under random filters, against a plain scan of all events. */
final class CommitSearchTest {
    private static final int EVENTS = 250;
    private static final int QUERIES = 400;

    private final MemoryStorage storage = new MemoryStorage(SmallGraph.CATALOG);
    private final List<Event.Commit> all = new ArrayList<>();

    @AfterEach
    void close() {
        storage.close();
    }

    /** May read the branches whose name is not hidden. */
    private record Hiding(String hidden) implements Permissions {
        @Override
        public boolean allow(Action action, String branch) {
            return !branch.equals(hidden);
        }

        @Override
        public boolean allowSomewhere(Action action) {
            return true;
        }

        @Override
        public boolean isProtected(String branch) {
            return false;
        }
    }

    @Test
    void pagesShowWhatAPlainScanFinds(@Seed long seed) {
        Random random = new Random(seed);
        new GeneratedHistory(seed, storage, 8).run(EVENTS, EVENTS);
        try (GraphSession session = storage.session()) {
            for (long offset = 0; offset <= session.appliedOffset(); offset++) {
                if (session.event(offset) instanceof Event.Commit commit) {
                    all.add(commit);
                }
            }
            int shown = 0;
            for (int i = 0; i < QUERIES; i++) {
                shown += check(session, random);
            }
            assertThat(shown).isGreaterThan(QUERIES);
        }
    }

    private int check(GraphSession session, Random random) {
        List<Branch> branches = session.branches();
        Branch branch = random.nextInt(3) == 0 ? null : branches.get(random.nextInt(branches.size()));
        String hidden = all.get(random.nextInt(all.size())).header().branch();
        Caller caller = random.nextBoolean() || (branch != null && branch.name().equals(hidden))
                ? Caller.unrestricted("ada")
                : new Caller("eve", new Hiding(hidden));
        CommitFilter filter = filter(random);
        List<CommitHeader> expected = new ArrayList<>();
        for (Event.Commit commit : line(session, branch)) {
            if (caller.may(Action.READ, commit.header().branch()) && accepts(filter, commit)) {
                expected.add(commit.header());
            }
        }
        expected.sort(Comparator.comparingLong(CommitHeader::offset).reversed());
        CommitSearch search = new CommitSearch(storage, 1 + random.nextInt(60));
        String name = branch == null ? null : branch.name();
        boolean counts = random.nextBoolean();
        List<CommitRecord> found = new ArrayList<>();
        String before = null;
        int limit = 1 + random.nextInt(20);
        do {
            CommitQuery query = new CommitQuery(name, limit, before, filter, counts);
            Page page = search.page(caller, query, TimeBudget.none("the list"));
            assertThat(page.commits()).hasSizeLessThanOrEqualTo(limit);
            found.addAll(page.commits());
            assertThat(page.nextBefore()).as("a page goes on").isNotEqualTo(before == null ? "" : before);
            before = page.nextBefore();
        } while (before != null);
        assertThat(found)
                .as("%s on %s for %s", filter, name, caller.actor())
                .extracting(CommitRecord::id)
                .containsExactlyElementsOf(
                        expected.stream().map(CommitHeader::id).toList());
        for (CommitRecord record : counts ? found : List.<CommitRecord>of()) {
            assertThat(Objects.requireNonNull(record.types()).stream()
                            .mapToInt(type -> type.inserted() + type.updated() + type.deleted())
                            .sum())
                    .isEqualTo(record.counts().nodes() + record.counts().edges());
        }
        return found.size();
    }

    private List<Event.Commit> line(GraphSession session, Branch branch) {
        if (branch == null) {
            return all;
        }
        List<Event.Commit> line = new ArrayList<>();
        for (long place = 0; place < branch.historyLength(); place++) {
            line.add((Event.Commit) session.event(session.history(branch.incarnation(), place)));
        }
        return line;
    }

    private CommitFilter filter(Random random) {
        boolean one = random.nextInt(3) == 0;
        boolean entity = random.nextInt(3) == 0;
        Event.Commit any = all.get(random.nextInt(all.size()));
        String type = List.of("Person", "City", "Knows").get(random.nextInt(3));
        String id = any.changes().isEmpty()
                ? "none"
                : any.changes().changes().getFirst().id();
        return new CommitFilter(
                random.nextInt(3) == 0 ? List.of("tester", "other", "nobody").get(random.nextInt(3)) : null,
                random.nextInt(3) == 0
                        ? Set.of(List.of(CommitKind.values()).get(random.nextInt(3)))
                        : random.nextInt(3) == 0 ? Set.of(CommitKind.LOAD, CommitKind.GENESIS) : Set.of(),
                random.nextInt(3) == 0 ? any.timeMicros() : null,
                random.nextInt(3) == 0 ? all.get(random.nextInt(all.size())).timeMicros() : null,
                entity ? List.of(type) : one ? List.of("Person", type) : List.of(),
                entity ? new CommitFilter.Entity(type.equals("Knows") ? "edge" : "node", id) : null,
                new TreeMap<>(random.nextInt(4) == 0 ? Map.of("even", "" + random.nextBoolean()) : Map.of()));
    }

    private static boolean accepts(CommitFilter filter, Event.Commit commit) {
        CommitHeader header = commit.header();
        Predicate<String> named = name -> SmallGraph.CATALOG.node(name) != null
                ? has(commit, filter, SmallGraph.CATALOG.node(name).identity())
                : has(commit, filter, SmallGraph.CATALOG.edge(name).identity());
        return (filter.actor() == null || filter.actor().equals(header.actor()))
                && (filter.kinds().isEmpty() || filter.kinds().contains(header.kind()))
                && (filter.since() == null || header.timeMicros() >= filter.since())
                && (filter.until() == null || header.timeMicros() <= filter.until())
                && (filter.types().isEmpty() || filter.types().stream().anyMatch(named))
                && (filter.meta().isEmpty()
                        || (header.stamp().note() != null
                                && header.stamp()
                                        .note()
                                        .meta()
                                        .entrySet()
                                        .containsAll(filter.meta().entrySet())));
    }

    private static boolean has(Event.Commit commit, CommitFilter filter, int type) {
        return commit.changes().changes().stream()
                .anyMatch(change -> change.typeIdentity() == type
                        && (filter.entity() == null
                                || (filter.entity().id().equals(change.id())
                                        && (change.kind() == EntityKind.EDGE)
                                                == filter.entity().kind().equals("edge"))));
    }

    @Test
    void filtersHaveAForm() {
        assertThatThrownBy(() -> new CommitFilter(
                        null, Set.of(), null, null, List.of(), new CommitFilter.Entity("node", "x"), new TreeMap<>()))
                .hasMessageContaining("`type`");
        assertThatThrownBy(() -> CommitFilter.kinds(List.of("push"))).hasMessageContaining("genesis, mutation");
        assertThatThrownBy(() -> CommitFilter.micros("noon", "since")).hasMessageContaining("`since`");
        assertThatThrownBy(() -> CommitQuery.of("main", 1, "offset:x").beforeOffset())
                .hasMessageContaining("`before`");
    }
}
