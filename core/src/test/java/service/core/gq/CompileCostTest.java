package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;
import service.core.gq.check.QueryChecker;
import service.core.gq.syntax.GqFile;
import service.core.gq.syntax.GqParser;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.HostileSources;
import service.core.testkit.LiveHeap;
import service.core.text.Work;

/** Sources that would be slow, large or long in their refusal if any part of the compiler were careless. */
class CompileCostTest {
    private static final int LENGTH = 100_000;

    /** A refusal with all its findings, in characters. */
    private static final int REFUSAL_MAX = 200_000;

    /** CPU time for a source of {@link #LENGTH}; most take a tenth. */
    private static final long NANOS_MAX = 2_500_000_000L;

    private static final Catalog CATALOG = SchemaCompiler.compile("""
            interface Named { name: String }
            %s
            node Person { name: String @key age: I64? mood: enum(happy, sad)? }
            node City { name: String @key }
            edge Knows: Person -> Person
            """.formatted(types()));

    private static String types() {
        StringBuilder types = new StringBuilder();
        for (int i = 0; i < 60; i++) {
            types.append("node N").append(i).append(" implements Named { name: String }\n");
        }
        return types.toString();
    }

    static Set<String> names() {
        return HostileSources.of(1_000).keySet();
    }

    /** Sources whose every part is read. */
    private static final Set<String> REPEATED = Set.of(
            "numbers in a list",
            "sums",
            "conditions",
            "filters",
            "fields of a binding",
            "inserts",
            "queries",
            "settings",
            "patterns",
            "columns of aggregates");

    /** By length: making all of them takes longer than compiling one. */
    private static final Map<Integer, Map<String, String>> SOURCES = new HashMap<>();

    private static String source(String name, int length) {
        return SOURCES.computeIfAbsent(length, HostileSources::of).get(name);
    }

    /** Counts steps and charges. */
    private static final class Counted implements Work {
        private final AtomicLong steps = new AtomicLong();
        private final AtomicLong bytes = new AtomicLong();

        @Override
        public void steps(int count) {
            steps.addAndGet(count);
        }

        @Override
        public void charge(long more) {
            bytes.addAndGet(more);
        }

        @Override
        public void release(long less) {
            bytes.addAndGet(-less);
        }
    }

    private static long compile(String source, Work work) {
        try {
            GqCompiler.compile(source, null, CATALOG, work);
            return 0;
        } catch (ServiceException refused) {
            long length = refused.getMessage().length();
            if (refused.detail() instanceof ErrorDetail.Diagnostics found) {
                length += found.diagnostics().toString().length();
            }
            return length;
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void takesTimeAndMemoryInProportion(String name) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        compile(source(name, 10_000), Work.UNCOUNTED);
        List<Long> allocated = new ArrayList<>();
        long cpu = 0;
        for (int length : new int[] {LENGTH / 4, LENGTH}) {
            String source = source(name, length);
            long bytes = threads.getCurrentThreadAllocatedBytes();
            cpu = threads.getCurrentThreadCpuTime();
            long refusal = compile(source, Work.UNCOUNTED);
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            allocated.add(threads.getCurrentThreadAllocatedBytes() - bytes);
            assertThat(refusal).as("the refusal").isLessThan(REFUSAL_MAX);
        }
        // Four times the length; a part of what a source costs is the same for all.
        assertThat(allocated.getLast()).isLessThan(6 * allocated.getFirst() + (1 << 20));
        assertThat(cpu).isLessThan(NANOS_MAX);
    }

    @Test
    void namesTheLimitOfEachListThatHasOne() {
        assertThatThrownBy(() -> GqCompiler.compile(source("parameters", LENGTH), null, CATALOG))
                .hasMessageContaining("`q` has more than 1000 parameters")
                .hasMessageContaining("pass many values as one list");
        assertThatThrownBy(() -> GqCompiler.compile(source("words of an enum", LENGTH), null, CATALOG))
                .hasMessageContaining("the enum has more than 1000 values");
        assertThatThrownBy(() -> GqCompiler.compile(source("blocks", LENGTH), null, CATALOG))
                .hasMessageContaining("more than 200 bindings, traversals and blocks");
    }

    @ParameterizedTest
    @MethodSource("names")
    void holdsNoMoreThanWasCharged(String name) {
        String source = source(name, LENGTH);
        Object[] held = new Object[3];
        Counted work = new Counted();
        long before = LiveHeap.bytes();
        SourceText text = new SourceText(source);
        GqParser.Outcome parsed = GqParser.parse(text, work);
        held[0] = parsed;
        held[1] = text;
        if (parsed.findings().isEmpty() && !parsed.file().queries().isEmpty()) {
            GqFile.Query query = parsed.file().queries().getFirst();
            held[2] = QueryChecker.check(query, text, CATALOG, work);
        }
        long after = LiveHeap.bytes() - before;
        assertThat(Stream.of(held).filter(o -> o != null).count()).isPositive();
        assertThat(after).isLessThan(GqCompiler.BYTES_PER_CHAR * source.length() + (1 << 16));
    }

    @ParameterizedTest
    @MethodSource("names")
    void asksAgainAndAgainWhetherToContinue(String name) {
        Counted work = new Counted();
        String source = source(name, LENGTH);
        compile(source, work);
        // Some sources are one long token, or have one mistake after which nothing is read.
        assertThat(work.steps.get()).isPositive();
        if (REPEATED.contains(name)) {
            assertThat(work.steps.get()).isGreaterThan(LENGTH / 100);
        }
    }
}
