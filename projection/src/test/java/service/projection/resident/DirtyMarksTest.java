package service.projection.resident;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DirtyMarksTest {
    private static final int TYPE = 7;
    private static final int MAIN = 0;
    private static final int SIBLING = 1;
    private static final int BRANCH = 2;
    private static final int[] LINEAGE = {BRANCH, MAIN};

    private final DirtyMarks marks = DirtyMarks.none();

    @Test
    void anEventIsMarkedForItsBranchAndThoseThatItDescendsFrom() {
        for (Part.Kind kind : Part.Kind.values()) {
            DirtySet main = set(kind, MAIN, false);
            DirtySet shared = set(kind, MAIN, true);
            DirtySet branch = set(kind, BRANCH, false);
            DirtySet sibling = set(kind, SIBLING, false);
            marks.entity(LINEAGE, TYPE, 3);
            marks.pair(LINEAGE, TYPE, 3, 3);
            marks.entity(LINEAGE, TYPE + 1, 4);
            for (DirtySet each : new DirtySet[] {main, shared, branch}) {
                assertThat(each.isClean(3)).as("%s", kind).isFalse();
                assertThat(each.marked()).isEqualTo(1);
            }
            assertThat(sibling.marked()).isZero();
        }
    }

    @Test
    void aSetThatWasRemovedIsNotMarked() {
        DirtySet removed = new DirtySet(10);
        DirtySet other = set(Part.Kind.LIVE, BRANCH, false);
        Part part = new Part(Part.Kind.LIVE, TYPE, 0, BRANCH);
        marks.add(part, removed);
        marks.remove(part, removed);
        marks.entity(LINEAGE, TYPE, 3);
        assertThat(removed.marked()).isZero();
        assertThat(other.marked()).isEqualTo(1);
    }

    private DirtySet set(Part.Kind kind, int incarnation, boolean shared) {
        DirtySet set = new DirtySet(10);
        marks.add(new Part(kind, TYPE, 0, incarnation, shared), set);
        return set;
    }
}
