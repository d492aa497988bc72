package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.testkit.LiveHeap;

/** {@link HeapBytes} against the heap: values are made, and what they hold is measured after a collection. */
class HeapBytesTest {
    /** Other threads allocate a little meanwhile. */
    private static final Percentage NOISE = Percentage.withPercentage(3);

    private static final int HEAP_BYTES = 8 << 20;

    record Kind(String name, IntFunction<Value> maker) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("Bool", i -> new Value.Bool(i % 2 == 0)),
                new Kind("Int", Value.Int::new),
                new Kind("UInt", Value.UInt::new),
                new Kind("Real", Value.Real::new),
                new Kind("Date", Value.Date::new),
                new Kind("DateTime", Value.DateTime::new),
                new Kind("short text", i -> new Value.Text(Integer.toString(100_000 + i))),
                new Kind("long text", i -> new Value.Text("x".repeat(1_000) + i)),
                new Kind("text of two bytes a character", i -> new Value.Text("\u20ac".repeat(50) + i)),
                new Kind("Latin text", i -> new Value.Text("\u00e9".repeat(50) + i)),
                new Kind("external blob", i -> new Value.ExternalBlob("https://example.org/" + (100_000 + i))),
                new Kind("managed blob", i -> new Value.ManagedBlob(new byte[32], i)),
                new Kind("vector", i -> new Value.Vector(new float[17])),
                new Kind("list of one", i -> new Value.ListOf(List.of(new Value.Int(i)))),
                new Kind("list of two", i -> new Value.ListOf(List.of(new Value.Int(i), new Value.Real(i)))),
                new Kind("list of numbers", i -> list(20, Value.Int::new)),
                new Kind("list of texts", i -> list(9, item -> new Value.Text("item " + item + " of " + i))));
    }

    private static Value list(int size, IntFunction<Value> item) {
        return new Value.ListOf(IntStream.range(0, size).mapToObj(item).toList());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void chargesWhatAValueHolds(Kind kind) {
        long charged = HeapBytes.of(kind.maker.apply(0));
        int count = (int) (HEAP_BYTES / charged);
        long all = IntStream.range(0, count)
                .mapToLong(i -> HeapBytes.of(kind.maker.apply(i)))
                .sum();
        double held = LiveHeap.ofEach(count, kind.maker::apply) * count;
        assertThat((double) all).isCloseTo(held, NOISE);
    }
}
