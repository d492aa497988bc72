package service.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import service.core.testkit.Seed;
import service.core.value.EntityKind;
import service.core.value.PropertyRow;

/** The search forward finds what a search of the whole block finds. */
final class ChangeLookupTest {
    private static final int TYPES = 3;

    @Test
    void eachEntityIsFoundWhereTheBlockHasIt(@Seed long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            ChangeBlock block = block(random, sizeOf(random));
            for (int event = 0; event < 3; event++) {
                ChangeLookup lookup = new ChangeLookup(block);
                ChangeReader wanted = block(random, sizeOf(random)).reader();
                while (wanted.next()) {
                    assertThat(lookup.indexOf(wanted))
                            .as("%s of type %d", wanted.id(), wanted.type())
                            .isEqualTo(block.indexOf(wanted.type(), wanted.id()));
                }
            }
        }
    }

    private static int sizeOf(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> random.nextInt(20);
            default -> random.nextInt(400);
        };
    }

    private static ChangeBlock block(Random random, int size) {
        List<EntityChange> changes = new ArrayList<>();
        for (int type = 0; type < TYPES; type++) {
            // Many ids that both blocks have, ids that are prefixes of others, and ids beyond ASCII.
            TreeSet<String> ids = new TreeSet<>();
            int ofType = random.nextInt(size + 1);
            for (int i = 0; i < ofType; i++) {
                ids.add((random.nextInt(10) == 0 ? "é" : "n") + random.nextInt(2 * size));
            }
            for (String id : ids) {
                changes.add(new EntityChange(EntityKind.NODE, type, id, null, Image.ofNode(PropertyRow.EMPTY)));
            }
        }
        return ChangeBlock.sorting(changes);
    }
}
