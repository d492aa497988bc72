package service.projection.query.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.Seed;
import service.projection.TestEngine;
import service.projection.query.vector.ExecutionBudget;

/** Each kind of column, with values of each form, against a set. */
class NewValuesTest {
    private static final int ROWS = 500;
    private static final int GROUPS = 3;
    private static final List<Long> NUMBERS =
            List.of(0L, 1L, -1L, 0x7FFF_FFFFL, 0x8000_0000L, 0xFFFF_FFFFL, 1L << 32, -(1L << 31), -(1L << 31) - 1);

    /** The values do not use the view. */
    private final NewValues values = new NewValues(new ExecutionBudget(
            null, new Limits(0, Long.MAX_VALUE / 2, 0, Long.MAX_VALUE, Long.MAX_VALUE, TestEngine.ample())));

    private final Set<List<Object>> model = new HashSet<>();

    private void check(int group, Column column, int row, Object value) {
        assertThat(values.add(group, column, row))
                .as("%s in group %s", value, group)
                .isEqualTo(model.add(List.of(group, value)));
    }

    @Test
    void numbersOfBothForms(@Seed long seed) {
        Random random = new Random(seed);
        LongColumn column = new LongColumn(LongColumn.Kind.INT);
        column.reset(1);
        for (int i = 0; i < ROWS; i++) {
            long value = NUMBERS.get(random.nextInt(NUMBERS.size()));
            column.values[0] = value;
            check(random.nextInt(GROUPS), column, 0, value);
        }
        column.setNull(0);
        check(0, column, 0, "null");
        check(0, column, 0, "null");
    }

    @Test
    void entitiesOfSeveralTypes(@Seed long seed) {
        Random random = new Random(seed);
        EntityColumn column = new EntityColumn();
        column.reset(1);
        for (int i = 0; i < ROWS; i++) {
            int type = 1 + random.nextInt(3);
            int ordinal = random.nextInt(10);
            column.set(0, type, ordinal, EntityColumn.NO_RECORD);
            check(random.nextInt(GROUPS), column, 0, List.of(type, ordinal));
        }
    }

    @Test
    void textsWithAndWithoutDictionaries(@Seed long seed) {
        Random random = new Random(seed);
        List<Dictionary> dictionaries = List.of(dictionary("abcdef"), dictionary("fedcba"), dictionary("x"));
        TextColumn column = new TextColumn();
        for (int i = 0; i < ROWS; i++) {
            column.reset(1);
            int from = random.nextInt(4);
            byte[] text;
            if (from < dictionaries.size()) {
                Dictionary dictionary = dictionaries.get(from);
                int code = 1 + random.nextInt(dictionary.size() - 1);
                column.codes(1)[0] = (char) code;
                column.decode(dictionary, 1);
                text = new byte[] {dictionary.bytes[dictionary.starts[code]]};
            } else {
                text = new byte[] {(byte) ('a' + random.nextInt(8))};
                column.set(0, text, 0, 1);
            }
            // Combinations of the last group are not remembered.
            int group = random.nextInt(GROUPS) == 0 ? 1 << 20 : random.nextInt(GROUPS);
            check(group, column, 0, new String(text, StandardCharsets.US_ASCII));
        }
    }

    private static Dictionary dictionary(String letters) {
        int[] ends = new int[letters.length()];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = i + 1;
        }
        return new Dictionary(letters.getBytes(StandardCharsets.US_ASCII), ends);
    }
}
