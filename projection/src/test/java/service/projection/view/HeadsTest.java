package service.projection.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import service.core.port.Branch;
import service.core.testkit.SmallGraph;
import service.core.value.Ulid;
import service.projection.temporal.Chain;

final class HeadsTest {
    private static Branch branch(String name, long offset) {
        return new Branch(name, 3, new Ulid(0, offset), offset, offset, null, 0, null);
    }

    private final Heads heads = new Heads();

    private static Heads.Head head(String name, long offset) {
        Branch branch = branch(name, offset);
        Chain chain = new Chain(new int[] {branch.incarnation()}, new long[] {offset});
        return new Heads.Head(branch, new Heads.Opened(chain, new Catalogs.Compiled(0, SmallGraph.CATALOG, Map.of())));
    }

    @Test
    void aHeadIsFoundAtItsStateOnly() {
        Heads.Head head = head("main", 5);
        heads.keep(7, head);
        assertThat(heads.find(7, "main")).isSameAs(head);
        assertThat(heads.find(7, "other")).isNull();
        assertThat(heads.find(6, "main")).isNull();
        assertThat(heads.find(8, "main")).isNull();
    }

    @Test
    void aLaterStateReplacesAnEarlierOneAndNotTheReverse() {
        heads.keep(7, head("main", 5));
        Heads.Head later = head("main", 6);
        heads.keep(8, later);
        heads.keep(7, head("main", 5));
        assertThat(heads.find(8, "main")).isSameAs(later);
        assertThat(heads.find(7, "main")).isNull();
    }

    @Test
    void theNumberOfHeadsIsBounded() {
        Heads.Head first = head("b0", 0);
        heads.keep(1, first);
        for (int i = 1; i <= Heads.KEPT_MAX; i++) {
            heads.keep(1, head("b" + i, i));
        }
        assertThat(heads.find(1, "b0")).isSameAs(first);
        assertThat(heads.find(1, "b" + Heads.KEPT_MAX)).isNull();
    }

    @Test
    void aHeadIsOpenedAlsoWhenNoOtherFits() {
        for (int i = 0; i < Heads.KEPT_MAX; i++) {
            heads.keep(1, new Heads.Head(branch("b" + i, i), null));
        }
        Heads.Head opened = head("b0", 0);
        heads.keep(1, opened);
        assertThat(heads.find(1, "b0")).isSameAs(opened);
    }
}
