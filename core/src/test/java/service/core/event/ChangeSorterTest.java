package service.core.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.budget.RequestBudget;
import service.core.budget.TestBudgets;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.Seed;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;
import service.core.value.Value;

final class ChangeSorterTest {
    private final long seed;

    ChangeSorterTest(@Seed long seed) {
        this.seed = seed;
    }

    private record Entity(EntityKind kind, int type, String id) {}

    private static final Comparator<Entity> ORDER = Comparator.comparing(Entity::kind)
            .thenComparingInt(Entity::type)
            .thenComparing(
                    Entity::id,
                    (a, b) -> Arrays.compareUnsigned(
                            a.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                            b.getBytes(java.nio.charset.StandardCharsets.UTF_8)));

    private static Image image(Random random, EntityKind kind) {
        PropertyRow row = PropertyRow.of(new java.util.TreeMap<>(
                Map.of(1, new Value.Int(random.nextInt(3)), 2, new Value.Text("x".repeat(random.nextInt(40))))));
        return kind == EntityKind.NODE
                ? Image.ofNode(row)
                : Image.ofEdge(row, "n" + random.nextInt(3), "m" + random.nextInt(3));
    }

    /** A history of changes: the image before each is the image after the previous one. */
    private static List<EntityChange> history(Random random, int length) {
        List<EntityChange> changes = new ArrayList<>();
        Map<Entity, Image> state = new HashMap<>();
        while (changes.size() < length) {
            EntityKind kind = random.nextInt(3) == 0 ? EntityKind.EDGE : EntityKind.NODE;
            String id =
                    random.nextBoolean() ? "id" + random.nextInt(length) : "\uD83D\uDE00é\uFF5E" + random.nextInt(50);
            Entity entity = new Entity(kind, random.nextInt(3) + (kind == EntityKind.NODE ? 0 : 10), id);
            Image before = state.get(entity);
            Image after = before != null && random.nextInt(4) == 0 ? null : image(random, kind);
            if (!Objects.equals(before, after)) {
                changes.add(new EntityChange(kind, entity.type, id, before, after));
                state.put(entity, after);
            }
        }
        return changes;
    }

    private static List<EntityChange> net(List<EntityChange> history) {
        Map<Entity, EntityChange> first = new HashMap<>();
        Map<Entity, EntityChange> last = new HashMap<>();
        for (EntityChange change : history) {
            Entity entity = new Entity(change.kind(), change.typeIdentity(), change.id());
            first.putIfAbsent(entity, change);
            last.put(entity, change);
        }
        return first.keySet().stream()
                .sorted(ORDER)
                .filter(entity -> !Objects.equals(
                        first.get(entity).before(), last.get(entity).after()))
                .map(entity -> new EntityChange(
                        entity.kind,
                        entity.type,
                        entity.id,
                        first.get(entity).before(),
                        last.get(entity).after()))
                .toList();
    }

    private static void add(ChangeSorter sorter, List<EntityChange> changes) {
        for (EntityChange change : changes) {
            ChangeReader reader = ChangeBlock.of(List.of(change)).reader();
            reader.next();
            sorter.add(reader);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1_000, 10_000, 1 << 20})
    void foldsTheChangesOfEachEntityInTheOrderOfAnEvent(int runBytes) {
        Random random = new Random(seed);
        List<EntityChange> history = history(random, 2_000);
        TestBudgets budgets = new TestBudgets(1L << 30);
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            ChangeBlockWriter writer = new ChangeBlockWriter(budget);
            try (ChangeSorter sorter = new ChangeSorter(budget, runBytes)) {
                add(sorter, history);
                assertThat(sorter.added()).isEqualTo(history.size());
                sorter.merge(writer::addNet);
            }
            assertThat(budgets.spilledBytes() > 0).isEqualTo(runBytes < 1 << 20);
            assertThat(budgets.openSpills()).isZero();
            ChangeBlock block = writer.finish();
            assertThat(block.changes()).isEqualTo(net(history));
            assertThat(block).isEqualTo(ChangeBlock.of(net(history)));
            assertThat(block.counts()).isEqualTo(ChangeCounts.of(net(history)));
            for (int i = 0; i < block.count(); i += 7) {
                EntityChange change = block.change(i);
                assertThat(block.indexOf(change.typeIdentity(), change.id())).isEqualTo(i);
                assertThat(block.find(change.typeIdentity(), change.id() + "'")).isNull();
            }
            assertThat(block.find(99, "id1")).isNull();
            assertThat(block.touches(99)).isFalse();
        }
        assertThat(budgets.process().memory().used()).isZero();
    }

    @Test
    void aLargeBlockLeavesTheHeap() {
        List<EntityChange> changes = new ArrayList<>();
        PropertyRow row = PropertyRow.of(new java.util.TreeMap<>(Map.of(1, new Value.Text("v".repeat(1_000)))));
        for (int i = 10_000; i < 20_000; i++) {
            changes.add(new EntityChange(EntityKind.NODE, 1, "n" + i, null, Image.ofNode(row)));
        }
        TestBudgets budgets = new TestBudgets(16 << 20);
        try (RequestBudget budget = budgets.process().open(() -> false)) {
            ChangeBlockWriter writer = new ChangeBlockWriter(budget);
            changes.forEach(writer::add);
            try (ChangeBlock block = writer.finish()) {
                assertThat(budgets.spilledBytes()).isEqualTo(block.length());
                assertThat(block).isEqualTo(ChangeBlock.of(changes));
                assertThat(block.find(1, "n15000")).isEqualTo(changes.get(5_000));
            }
            assertThat(budgets.openSpills()).isZero();
        }
    }

    @Test
    void chargesWhatItHoldsOnTheHeap() {
        TestBudgets budgets = new TestBudgets(4_096);
        try (RequestBudget budget = budgets.process().open(() -> false);
                ChangeSorter sorter = new ChangeSorter(budget)) {
            assertThatThrownBy(() -> add(sorter, history(new Random(seed), 1_000)))
                    .isInstanceOfSatisfying(
                            ServiceException.class,
                            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.RESOURCE_LIMIT));
        }
    }

    @Test
    void refusesChangesOutOfOrder() {
        List<EntityChange> ordered = net(history(new Random(seed), 50));
        List<EntityChange> swapped = new ArrayList<>(ordered);
        swapped.add(ordered.getFirst());
        assertThatThrownBy(() -> ChangeBlock.of(swapped)).isInstanceOf(IllegalArgumentException.class);
    }
}
