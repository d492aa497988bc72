package service.projection.query.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.batch.BoolColumn;
import service.core.batch.Column;
import service.core.batch.Dictionary;
import service.core.batch.DoubleColumn;
import service.core.batch.EntityColumn;
import service.core.batch.LongColumn;
import service.core.batch.TextColumn;
import service.core.batch.ValueColumn;
import service.core.port.QueryExecutor.Limits;
import service.core.testkit.Seed;
import service.core.value.Value;
import service.projection.TestEngine;
import service.projection.query.vector.ExecutionBudget;

/** Columns of every kind, with nulls, against a map from rows to the numbers of their first appearance. */
class RowNumbersTest {
    private static final int BATCHES = 40;
    private static final List<Dictionary> DICTIONARIES = List.of(dictionary("abcdef"), dictionary("fedcba"));

    private final ExecutionBudget budget = new ExecutionBudget(
            null, new Limits(0, Long.MAX_VALUE / 2, 0, Long.MAX_VALUE, Long.MAX_VALUE, TestEngine.ample()));

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6})
    void equalRowsHaveOneNumber(int count, @Seed long seed) {
        Random random = new Random(seed + count);
        Column[] columns = new Column[count];
        for (int i = 0; i < count; i++) {
            columns[i] = column(count < 6 ? random.nextInt(6) : i);
        }
        RowNumbers numbers = new RowNumbers(budget, count);
        Map<List<Object>, Integer> model = new HashMap<>();
        int[] found = new int[Column.CAPACITY];
        for (int batch = 0; batch < BATCHES; batch++) {
            int size = 1 + random.nextInt(batch % 8 == 0 ? Column.CAPACITY : 20);
            // Nulls come late, so that numbers were given before.
            int nullEvery = batch < 5 ? Integer.MAX_VALUE : 7;
            List<List<Object>> rows = new ArrayList<>();
            for (int row = 0; row < size; row++) {
                rows.add(new ArrayList<>());
            }
            for (Column column : columns) {
                fill(column, size, nullEvery, random, rows);
            }
            numbers.number(columns, size, found);
            for (int row = 0; row < size; row++) {
                Integer first = model.putIfAbsent(rows.get(row), model.size());
                assertThat(found[row])
                        .as("%s", rows.get(row))
                        .isEqualTo(first == null ? Integer.valueOf(model.size() - 1) : first);
            }
        }
    }

    /** As those of an expansion; later batches do not look like the first one. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aColumnWithFewChangesMayBeAnyOne(int slow, @Seed long seed) {
        Random random = new Random(seed + slow);
        LongColumn[] columns = new LongColumn[3];
        Arrays.setAll(columns, i -> new LongColumn(LongColumn.Kind.INT));
        RowNumbers numbers = new RowNumbers(budget, columns.length);
        Map<List<Long>, Integer> model = new HashMap<>();
        int[] found = new int[Column.CAPACITY];
        for (int batch = 0; batch < 10; batch++) {
            for (LongColumn column : columns) {
                column.reset(Column.CAPACITY);
            }
            for (int row = 0; row < Column.CAPACITY; row++) {
                for (int i = 0; i < columns.length; i++) {
                    columns[i].values[row] = i == slow && batch < 5 ? 5 - batch + row / 300 : random.nextInt(9);
                }
            }
            numbers.number(columns, Column.CAPACITY, found);
            for (int row = 0; row < Column.CAPACITY; row++) {
                List<Long> values = List.of(columns[0].values[row], columns[1].values[row], columns[2].values[row]);
                Integer first = model.putIfAbsent(values, model.size());
                assertThat(found[row]).as("%s", values).isEqualTo(first == null ? model.size() - 1 : first);
            }
        }
    }

    private static Column column(int kind) {
        return switch (kind) {
            case 0 -> new LongColumn(LongColumn.Kind.INT);
            case 1 -> new DoubleColumn();
            case 2 -> new BoolColumn();
            case 3 -> new TextColumn();
            case 4 -> new EntityColumn();
            default -> new ValueColumn();
        };
    }

    private static void fill(Column column, int size, int nullEvery, Random random, List<List<Object>> rows) {
        column.reset(size);
        Dictionary dictionary = random.nextInt(3) == 0 ? null : DICTIONARIES.get(random.nextInt(2));
        if (column instanceof TextColumn texts && dictionary != null) {
            for (int row = 0; row < size; row++) {
                // A dictionary gives null the code 0.
                int code = row % nullEvery == nullEvery - 1 ? 0 : 1 + random.nextInt(dictionary.size() - 1);
                texts.codes(size)[row] = (char) code;
                rows.get(row).add(code == 0 ? "null" : letter(dictionary, code));
            }
            texts.decode(dictionary, size);
            return;
        }
        for (int row = 0; row < size; row++) {
            if (row % nullEvery == nullEvery - 1) {
                column.setNull(row);
                rows.get(row).add("null");
                continue;
            }
            int value = random.nextInt(5);
            rows.get(row).add(value);
            switch (column) {
                // Negative ones, and ones of more than 32 bits.
                case LongColumn c -> c.values[row] = value < 3 ? value - 2L : (long) value << 40;
                case DoubleColumn c -> c.values[row] = value == 0 ? random.nextBoolean() ? 0.0 : -0.0 : value / 2.0;
                case BoolColumn c -> {
                    c.values[row] = value > 2;
                    rows.get(row).set(rows.get(row).size() - 1, value > 2);
                }
                case TextColumn c -> {
                    byte[] letter = {(byte) ('a' + value)};
                    c.set(row, letter, 0, 1);
                    rows.get(row).set(rows.get(row).size() - 1, String.valueOf((char) ('a' + value)));
                }
                case EntityColumn c -> c.set(row, 1 + value % 2, value, EntityColumn.NO_RECORD);
                case ValueColumn c ->
                    c.values[row] = new Value.ListOf(List.of(new Value.Int(value), new Value.Text("x")));
            }
        }
    }

    private static String letter(Dictionary dictionary, int code) {
        return new String(dictionary.bytes, dictionary.starts[code], 1, StandardCharsets.US_ASCII);
    }

    private static Dictionary dictionary(String letters) {
        int[] ends = new int[letters.length()];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = i + 1;
        }
        return new Dictionary(letters.getBytes(StandardCharsets.US_ASCII), ends);
    }
}
