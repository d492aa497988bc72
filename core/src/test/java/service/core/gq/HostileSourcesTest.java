package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.error.Diagnostic;
import service.core.schema.Catalog;
import service.core.testkit.Seed;

/** Hostile sources give a diagnostic: no stack overflow, no internal error, no quadratic time. */
class HostileSourcesTest {
    private static final int MEBI = 1 << 20;
    private static final int FINDINGS_MAX = 20;

    private final Catalog catalog = Catalogs.people();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "[",
                "{",
                "not ",
                "-",
                "not { ",
                "$a: ",
                "$a ",
                "query q(",
                "/*",
                "\"",
                "\\",
                "$",
                "@",
                "<",
                "1+",
                "a.",
                "$p.age = 1 and (",
                "optional { $p knows $q ",
                "coalesce(",
                "\n",
                "match {\n",
                "1 ",
                ")",
                "}",
                "\u0000",
                "\uD800",
                "date(",
                "$p.age + ",
                "($p.age + 1) * ",
                "case when true then ",
                "let $x = 1 ",
                "$p.tags[1..",
                "{a: ",
                "query q() { match { $p: Person } return { $p } }\n"
            })
    void aMebibyteOfAnyTextGivesFewDiagnostics(String piece) {
        String filler = piece.repeat(MEBI / piece.length());
        String inMatch = "query q() { match { $p: Person " + filler;
        for (String source : List.of(filler, inMatch)) {
            List<Diagnostic> findings =
                    Assertions.assertTimeout(Duration.ofSeconds(60), () -> GqCompiler.lint(source, catalog));
            assertThat(findings).hasSizeLessThanOrEqualTo(FINDINGS_MAX);
        }
    }

    /**
     * A source of four times the length takes about four times the work. Work is measured in allocated bytes, which are
     * the same in every run; time depends on the machine.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(",
                "not { ",
                "optional { $p knows $q ",
                "$p.age = 1 ",
                "$p knows $q ",
                "1+",
                "\"x\" ",
                "$nope.x ",
                "$p: Persn "
            })
    void workGrowsWithTheSource(String piece) {
        long small = allocated(piece, MEBI / 16);
        long large = allocated(piece, MEBI / 4);
        assertThat(large).isLessThan(8 * small + MEBI);
    }

    private long allocated(String piece, int length) {
        String source = "query q() { match { $p: Person " + piece.repeat(length / piece.length());
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        GqCompiler.lint(source, catalog);
        long before = threads.getCurrentThreadAllocatedBytes();
        GqCompiler.lint(source, catalog);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** Each of these once made the planner run for minutes or exhaust the heap. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$p knows $q ",
                "$p: Person ",
                "optional { $p: Person } ",
                "exists { $p knows $_ } ",
                "count { $p knows $_ } > 1 ",
                "sum($p.age) { $p knows $_ } > 1 "
            })
    void theNumberOfPartsOfAMatchIsBounded(String clause) {
        String start = "query q() { match { $p: Person ";
        String end = " } return { $p } }";
        int most = clause.contains("{") ? 99 : 199;
        assertThat(GqCompiler.lint(start + clause.repeat(most) + end, catalog)).isEmpty();
        assertThat(GqCompiler.lint(start + clause.repeat(5000) + end, catalog))
                .extracting(Diagnostic::message)
                .containsExactly("the match holds more than 200 bindings, traversals and blocks");
    }

    @Test
    void aResultHoldsAThousandColumns() {
        StringBuilder columns = new StringBuilder();
        for (int i = 0; i < 1000; i++) {
            columns.append("1 as c").append(i).append(", ");
        }
        String start = "query q() { match { $p: Person } return { " + columns;
        assertThat(GqCompiler.lint(start + "} }", catalog)).isEmpty();
        assertThat(GqCompiler.lint(start + "1 as d } }", catalog))
                .extracting(Diagnostic::message)
                .containsExactly("`return` holds more than 1000 expressions");
    }

    @Test
    void longFlatSourcesCompile() {
        String manyOperands = "$p.age = 1 or ".repeat(50_000) + "true";
        String manyItems = "1, ".repeat(50_000) + "1";
        String source =
                "query q() { match { $p: Person " + manyOperands + " $p.age in [" + manyItems + "] } return { $p } }";
        assertThat(GqCompiler.lint(source, catalog)).isEmpty();
    }

    @Test
    void theDeepestExpressionThatParsesAlsoCompiles() {
        String deep = "(".repeat(98) + "$p.age" + " + 1".repeat(200) + ")".repeat(98);
        String blocks = "exists { $p knows $a ".repeat(48) + "}".repeat(48);
        String source = "query q() { match { $p: Person "
                + deep
                + " > 3 "
                + blocks
                + " } return { count($p), "
                + deep
                + " as x } order { x, "
                + deep
                + " } }";
        assertThat(GqCompiler.lint(source, catalog)).isEmpty();
    }

    @Test
    void mutatedSourcesGiveOnlyDiagnostics(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        List<String> corpus = corpus();
        for (int round = 0; round < 10_000; round++) {
            String source = corpus.get(random.nextInt(corpus.size()));
            int edits = 1 + random.nextInt(4);
            for (int i = 0; i < edits; i++) {
                source = mutate(source, corpus, random);
            }
            String tried = source;
            try {
                GqCompiler.lint(tried, catalog);
            } catch (RuntimeException | StackOverflowError e) {
                throw new AssertionError("round " + round + ":\n" + tried, e);
            }
        }
    }

    private static String mutate(String source, List<String> corpus, Random random) {
        int from = random.nextInt(source.length() + 1);
        int to = Math.min(source.length(), from + random.nextInt(12));
        String other = corpus.get(random.nextInt(corpus.size()));
        int otherFrom = random.nextInt(other.length() + 1);
        int otherTo = Math.min(other.length(), otherFrom + random.nextInt(30));
        return switch (random.nextInt(4)) {
            case 0 -> source.substring(0, from) + source.substring(to);
            case 1 -> source.substring(0, from) + other.substring(otherFrom, otherTo) + source.substring(from);
            case 2 -> source.substring(0, from) + other.substring(otherFrom, otherTo) + source.substring(to);
            default -> source.substring(0, to) + source.substring(from);
        };
    }

    private static List<String> corpus() throws IOException {
        List<String> corpus = new ArrayList<>();
        try (InputStream in = HostileSourcesTest.class.getResourceAsStream("diagnostics.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String part : text.split("\n=+\n", -1)) {
                corpus.add(part.split("\n-+\n", 2)[0]);
            }
        }
        corpus.addAll(GrammarDocTest.samples());
        return corpus;
    }
}
