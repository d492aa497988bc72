package service.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static service.core.testkit.SmallGraph.knows;
import static service.core.testkit.SmallGraph.person;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import service.core.event.ChangeBlock;
import service.core.event.ChangeReader;
import service.core.event.CommitHeader;
import service.core.event.CommitKind;
import service.core.event.CommitReader;
import service.core.event.EntityChange;
import service.core.event.Event;
import service.core.event.Fork;
import service.core.event.IdempotencyKey;
import service.core.event.Note;
import service.core.event.Origin;
import service.core.port.Branch;
import service.core.port.BranchMove;
import service.core.port.BranchStep;
import service.core.port.CommitPosition;
import service.core.port.DeletedBranch;
import service.core.port.GraphSession;
import service.core.port.GraphView;
import service.core.port.ReadPoint;
import service.core.port.RememberedWrite;
import service.core.port.Tag;
import service.core.port.WriteCommand.Draft;
import service.core.value.Ulid;
import service.core.value.UlidSuffix;

/** The contract of {@link GraphSession}: branches, histories, events and what keys are remembered. */
public abstract class GraphSessionContract extends StorageContract {
    private void fork(String name, String from) {
        write(new Draft.CreateBranch(name, branch(from), Origin.of("tester")));
    }

    @Test
    void branchesAreFoundByNameAndByIncarnationUntilTheyAreDeleted() {
        fork("b", "main");
        fork("a", "b");
        Branch a = branch("a");
        try (GraphSession session = storage().session()) {
            assertThat(session.branches()).extracting(Branch::name).containsExactly("a", "b", "main");
            assertThat(session.branchCount()).isEqualTo(3);
            assertThat(session.branchOf(a.incarnation())).isEqualTo(a);
            assertThat(session.branch("never")).isNull();
            assertThat(a.fork()).extracting(Fork::parentName).isEqualTo("b");
            assertThat(a.head()).isEqualTo(branch("main").head());
        }
        write(new Draft.DeleteBranch(a, Origin.of("tester")));
        try (GraphSession session = storage().session()) {
            assertThat(session.branch("a")).isNull();
            assertThat(session.branchOf(a.incarnation())).isNull();
            assertThat(session.branchCount()).isEqualTo(2);
        }
        fork("a", "main");
        assertThat(branch("a").incarnation()).isGreaterThan(a.incarnation());
    }

    private void tag(String name, Event.Commit commit, @Nullable String message) {
        CommitHeader of = commit.header();
        IdempotencyKey key = new IdempotencyKey("tag " + name, new byte[32], "{}");
        Origin origin = new Origin("ada", Note.of(message, Map.of()));
        write(new Draft.CreateTag(name, of.id(), of.incarnation(), origin, key));
    }

    @Test
    void tagsNameTheirCommitsUntilTheyAreDeleted() {
        Event.Commit first = (Event.Commit) commit("main", person("a", 1));
        fork("side", "main");
        Event.Commit second = (Event.Commit) commit("side", person("b", 1));
        tag("é", first, "the first one\nof all");
        tag("a/b", second, null);
        tag("z", first, "");
        write(new Draft.DeleteBranch(branch("side"), Origin.of("tester")));
        Tag tag;
        try (GraphSession session = storage().session()) {
            assertThat(session.tagCount()).isEqualTo(3);
            assertThat(session.tags(null, 9)).extracting(Tag::name).containsExactly("a/b", "z", "é");
            assertThat(session.tags("a", 1)).extracting(Tag::name).containsExactly("a/b");
            assertThat(session.tags("a/b", 9)).extracting(Tag::name).containsExactly("z", "é");
            assertThat(session.tags("é", 9)).isEmpty();
            assertThat(session.tag("main")).isNull();
            assertThat(session.tag("")).isNull();
            tag = Objects.requireNonNull(session.tag("a/b"));
            assertThat(tag.commit()).isEqualTo(second.header().id());
            assertThat(tag.position()).isEqualTo(new CommitPosition(second.offset(), second.incarnation()));
            assertThat(tag.branch()).isEqualTo("side");
            assertThat(tag.message()).isNull();
            assertThat(tag.createdBy()).isEqualTo("ada");
            assertThat(Objects.requireNonNull(session.tag("é")).message()).isEqualTo("the first one\nof all");
            RememberedWrite remembered = Objects.requireNonNull(session.remembered("ada", "tag é"));
            assertThat(session.outline(remembered.offset()))
                    .isInstanceOfSatisfying(
                            Event.TagCreated.class,
                            event -> assertThat(event.name()).isEqualTo("é"));
            assertThat(session.appliedOffset()).isEqualTo(7);
        }
        write(new Draft.DeleteTag(tag, Origin.of("ada"), null));
        tag("a/b", first, null);
        try (GraphSession session = storage().session()) {
            assertThat(Objects.requireNonNull(session.tag("a/b")).commit())
                    .isEqualTo(first.header().id());
            assertThat(session.tagCount()).isEqualTo(3);
        }
    }

    @Test
    void namesAroundAPlaceAreNeighboursInOrder() {
        for (String name : List.of("a", "c", "e", "g", "i")) {
            fork(name, "main");
        }
        try (GraphSession session = storage().session()) {
            assertThat(session.branchNamesAround("d", 4)).containsExactly("a", "c", "e", "g");
            assertThat(session.branchNamesAround("e", 2)).containsExactly("c", "e");
            assertThat(session.branchNamesAround("", 2)).containsExactly("a", "c");
            assertThat(session.branchNamesAround("f", 100)).containsExactly("a", "c", "e", "g", "i", "main");
        }
    }

    @Test
    void aHistoryBeginsWithThatOfTheParentAtTheFork() {
        long first = commit("main", person("a", 1)).offset();
        fork("side", "main");
        long main = commit("main", person("b", 1)).offset();
        long side = commit("side", person("c", 1)).offset();
        int incarnation = branch("side").incarnation();
        try (GraphSession session = storage().session()) {
            long[] offsets = new long[3];
            session.history(0, 0, offsets);
            assertThat(offsets).containsExactly(0, first, main);
            session.history(incarnation, 0, offsets);
            assertThat(offsets).containsExactly(0, first, side);
            assertThat(session.history(incarnation, 2)).isEqualTo(side);
            assertThat(session.sequence(new CommitPosition(side, incarnation))).isEqualTo(2);
            assertThat(session.sequence(new CommitPosition(0, 0))).isZero();
        }
    }

    @Test
    void aHistoryBeginsWithThatOfTheParentAtAnEarlierCommit() {
        Event.Commit first = (Event.Commit) commit("main", person("a", 1));
        commit("main", person("b", 1));
        forkAt("old", first);
        long own = commit("old", person("c", 1)).offset();
        Branch old = branch("old");
        assertThat(old.fork())
                .isEqualTo(new Fork(0, "main", first.offset(), first.header().id()));
        assertThat(old.historyLength()).isEqualTo(3);
        try (GraphSession session = storage().session();
                GraphView view = session.view(old.headPoint())) {
            long[] offsets = new long[3];
            session.history(old.incarnation(), 0, offsets);
            assertThat(offsets).containsExactly(0, first.offset(), own);
            assertThat(session.sequence(new CommitPosition(own, old.incarnation())))
                    .isEqualTo(2);
            assertThat(List.of("a", "b", "c"))
                    .filteredOn(id -> view.ordinal(SmallGraph.PERSON, id) >= 0
                            && view.isLive(SmallGraph.PERSON, view.ordinal(SmallGraph.PERSON, id)))
                    .containsExactly("a", "c");
            assertThat(view.count(SmallGraph.PERSON)).isEqualTo(2);
        }
    }

    /** Creates a branch from a commit that is not a head any more. */
    private void forkAt(String name, Event.Commit commit) {
        CommitHeader at = commit.header();
        try (GraphSession session = storage().session()) {
            long length = session.sequence(new CommitPosition(at.offset(), at.incarnation())) + 1;
            write(new Draft.CreateBranch(name, Branch.at(at, length), true, Origin.of("tester")));
        }
    }

    @Test
    void commitsAreFoundByTheirIds() {
        Event.Commit commit = (Event.Commit) commit("main", person("a", 1));
        try (GraphSession session = storage().session()) {
            Ulid id = commit.header().id();
            assertThat(session.position(id)).isEqualTo(new CommitPosition(1, 0));
            assertThat(session.position(id.next())).isNull();
            assertThat(session.header(1)).isEqualTo(commit.header());
            for (int length = UlidSuffix.LENGTH_MIN; length < Ulid.TEXT_LENGTH; length++) {
                String end = id.toString().substring(Ulid.TEXT_LENGTH - length);
                assertThat(session.commits(Objects.requireNonNull(UlidSuffix.parse(end)), 9, () -> {}))
                        .as(end)
                        .containsExactly(id);
            }
            UlidSuffix other = UlidSuffix.parse(id.next().toString().substring(Ulid.TEXT_LENGTH - 8));
            assertThat(session.commits(Objects.requireNonNull(other), 9, () -> {}))
                    .isEmpty();
            assertThat(UlidSuffix.parse("12345")).isNull();
            assertThat(UlidSuffix.parse(id.toString())).isNull();
            assertThat(UlidSuffix.parse("main~11")).isNull();
        }
    }

    @Test
    void anEventIsReadWholeAsAnOutlineAndChangeByChange() {
        List<EntityChange> changes = List.of(person("a", 1), person("b", 2), knows("k", "a", "b"));
        Event.Commit commit = (Event.Commit) commit("main", changes.toArray(EntityChange[]::new));
        try (GraphSession session = storage().session()) {
            assertThat(session.event(1)).isEqualTo(commit);
            assertThat(session.outline(1)).isEqualTo(new Event.Commit(commit.header(), ChangeBlock.EMPTY));
            CommitReader reader = session.commit(1, 0);
            assertThat(session.isReclaimed(0, 1)).isFalse();
            List<EntityChange> read = new ArrayList<>();
            long mark = 0;
            ChangeReader walk = reader.changes();
            while (walk.next()) {
                read.add(walk.change());
                if (read.size() == 1) {
                    mark = walk.mark();
                }
            }
            assertThat(read).isEqualTo(changes);
            ChangeReader rest = session.commit(1, mark).changes();
            assertThat(rest.next()).isTrue();
            assertThat(rest.change()).isEqualTo(changes.get(1));
        }
    }

    @Test
    void aFastForwardExtendsTheHistoryOfItsTarget() {
        fork("side", "main");
        long first = commit("side", person("a", 1)).offset();
        long second = commit("side", person("b", 1)).offset();
        ChangeBlock net = ChangeBlock.of(List.of(person("a", 1), person("b", 1)));
        Event moved = write(new Draft.FastForward(branch("main"), branch("side"), Origin.NONE, null, net));
        Branch main = branch("main");
        assertThat(main.head()).isEqualTo(branch("side").head());
        assertThat(main.headPoint()).isEqualTo(new ReadPoint(0, moved.offset()));
        assertThat(main.historyLength()).isEqualTo(3);
        try (GraphSession session = storage().session()) {
            long[] offsets = new long[3];
            session.history(0, 0, offsets);
            assertThat(offsets).containsExactly(0, first, second);
            assertThat(has(session, "b")).isTrue();
            assertThat(session.outline(moved.offset()).incarnation()).isZero();
        }
    }

    @Test
    void theLastMergeAtOrBelowAPlaceIsFound() {
        fork("side", "main");
        commit("side", person("a", 1));
        commit("main", person("b", 1));
        write(new Draft.Commit(
                CommitKind.MERGE,
                branch("main"),
                branch("side").head(),
                Origin.NONE,
                null,
                null,
                ChangeBlock.of(List.of(person("a", 1)))));
        commit("main", person("c", 1));
        try (GraphSession session = storage().session()) {
            assertThat(session.lastMerge(0, 1)).isEqualTo(-1);
            assertThat(session.lastMerge(0, 2)).isEqualTo(2);
            assertThat(session.lastMerge(0, 3)).isEqualTo(2);
        }
    }

    @Test
    void theStepsOfABranchAreItsEvents() {
        commit("main", person("z", 1));
        fork("side", "main");
        long created = branch("side").headOffset();
        long first = commit("side", person("a", 1)).offset();
        long second = commit("side", person("b", 1)).offset();
        ChangeBlock net = ChangeBlock.of(List.of(person("a", 1), person("b", 1)));
        long moved = write(new Draft.FastForward(branch("main"), branch("side"), Origin.NONE, null, net))
                .offset();
        long last = commit("main", person("c", 1)).offset();
        try (GraphSession session = storage().session()) {
            BranchStep genesis = new BranchStep(0, 0, 0);
            BranchStep own = new BranchStep(1, 1, 1);
            BranchStep forward = new BranchStep(moved, 2, 3);
            assertThat(session.steps(0, Long.MAX_VALUE, 9))
                    .containsExactly(new BranchStep(last, 4, 4), forward, own, genesis);
            assertThat(session.steps(0, last, 2)).containsExactly(forward, own);
            assertThat(session.steps(0, moved, 1)).containsExactly(own);
            assertThat(session.steps(0, 0, 9)).isEmpty();
            int side = branch("side").incarnation();
            assertThat(session.steps(side, Long.MAX_VALUE, 9))
                    .containsExactly(
                            new BranchStep(second, 3, 3), new BranchStep(first, 2, 2), new BranchStep(created, 2, 1));
            assertThat(session.steps(side, created + 1, 9)).containsExactly(new BranchStep(created, 2, 1));
            assertThat(session.deletedBranches(Integer.MAX_VALUE, 9)).isEmpty();
        }
        Branch side = branch("side");
        long deleted = write(new Draft.DeleteBranch(side, Origin.NONE)).offset();
        fork("side", "main");
        write(new Draft.DeleteBranch(branch("side"), Origin.NONE));
        try (GraphSession session = storage().session()) {
            assertThat(session.deletedBranches(Integer.MAX_VALUE, 9))
                    .extracting(branch -> branch.last().incarnation())
                    .containsExactly(2, 1);
            assertThat(session.deletedBranches(2, 9)).containsExactly(new DeletedBranch(side, deleted));
            assertThat(session.deletedBranches(Integer.MAX_VALUE, 1)).hasSize(1);
            assertThat(session.steps(1, Long.MAX_VALUE, 1)).containsExactly(new BranchStep(second, 3, 3));
        }
    }

    @Test
    void theMovesOfABranchAreFoundByTime() {
        long genesis = branch("main").createdMicros();
        Event.Commit commit = (Event.Commit) commit("main", person("a", 1));
        fork("side", "main");
        Branch side = branch("side");
        try (GraphSession session = storage().session()) {
            BranchMove first = Objects.requireNonNull(session.firstMove("main"));
            assertThat(first.point()).isEqualTo(new ReadPoint(0, 0));
            assertThat(session.moveAsOf("main", genesis - 1)).isNull();
            BranchMove last = Objects.requireNonNull(session.moveAsOf("main", Long.MAX_VALUE));
            assertThat(last)
                    .isEqualTo(
                            new BranchMove(new ReadPoint(0, 1), commit.header().id(), commit.timeMicros()));
            assertThat(session.moveAsOf("side", Long.MAX_VALUE))
                    .isEqualTo(new BranchMove(side.headPoint(), side.head(), side.createdMicros()));
            assertThat(session.firstMove("never")).isNull();
        }
        write(new Draft.DeleteBranch(side, Origin.NONE));
        try (GraphSession session = storage().session()) {
            assertThat(session.moveAsOf("side", Long.MAX_VALUE)).isNull();
            assertThat(session.firstMove("side")).isNotNull();
        }
    }

    @Test
    void aWriteIsRememberedByActorAndKey() {
        byte[] digest = new byte[32];
        digest[0] = 7;
        write(new Draft.Remember(branch("main"), Origin.of("ada"), new IdempotencyKey("k", digest, "{}")));
        commit("main", person("a", 1));
        try (GraphSession session = storage().session()) {
            RememberedWrite write = Objects.requireNonNull(session.remembered("ada", "k"));
            assertThat(write.requestDigest()).isEqualTo(digest);
            assertThat(write.offset()).isEqualTo(1);
            assertThat(write.commitsSince()).isEqualTo(1);
            assertThat(session.remembered(null, "k")).isNull();
            assertThat(session.remembered("ada", "other")).isNull();
        }
    }

    @Test
    void theSchemaOfAPointIsThatOfItsView() {
        try (GraphSession session = storage().session();
                var view = session.view(new ReadPoint(0, 0))) {
            assertThat(view.catalog()).isEqualTo(session.catalog(new ReadPoint(0, 0)));
            assertThat(view.point()).isEqualTo(new ReadPoint(0, 0));
            assertThat(Map.of(SmallGraph.PERSON, view.count(SmallGraph.PERSON))).containsValue(0L);
        }
    }
}
