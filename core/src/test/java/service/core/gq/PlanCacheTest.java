package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.text.Work;

/** The weight of compiled sources: it follows the heap that they hold, not the number of their characters. */
final class PlanCacheTest {
    private static final Catalog CATALOG = SchemaCompiler.compile("node Person { name: String @key  age: I32? }");
    private static final long MIB = 1 << 20;

    /** {@code part} is repeated; every source has another name, so that it is another entry. */
    private static String source(int number, String before, String part, int times, String after) {
        return "query q" + number + "() { " + before + part.repeat(times) + after + " }";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            match { $p: Person } return { 1         | +1                           | 180 | as x }
            match { $p: Person                      | ' $p.age > 1'                | 200 | } return { $p.age }
            match { $p: Person $p.age in [1         | , 2                          | 900 | ] } return { $p.age }
            ''                                      | 'insert Person { name: "a" }'| 100 | ''
            match { $p: Person { name: "            | x                            | 2000| " } } return { $p.age }
            """)
    void theWeightIsAboutTheHeapThatAPlanHolds(String before, String part, int times, String after) {
        int characters = source(0, before, part, times, after).length();
        CompiledSource[] kept = new CompiledSource[400_000 / (characters + 100)];
        long empty = usedHeap();
        long weight = 0;
        for (int i = 0; i < kept.length; i++) {
            kept[i] = GqCompiler.compile(source(i, before, part, times, after), null, CATALOG);
            weight += PlanWeight.of(kept[i]);
        }
        long held = usedHeap() - empty;
        assertThat(kept).doesNotContainNull();
        assertThat((double) weight / held).as("%d of %d bytes", weight, held).isBetween(0.6, 3.0);
    }

    @Test
    void theLeastUsedPlansAreDroppedAtTheBound() {
        PlanCache cache = new PlanCache(MIB);
        int sources = 0;
        long weight = 0;
        while (weight < 3 * MIB) {
            String source = source(sources++, "match { $p: Person } return { 1", "+1", 180, " as x }");
            weight += PlanWeight.of(cache.compile(source, null, CATALOG, Work.UNCOUNTED));
            assertThat(cache.bytes()).isLessThanOrEqualTo(MIB);
        }
        assertThat(cache.bytes()).isGreaterThan(MIB / 2);
        assertThat(sources).as("their texts alone would fit").isLessThan(200);
    }

    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            used = Math.min(
                    used,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }
}
