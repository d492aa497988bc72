package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import service.core.error.Diagnostic;
import service.core.gq.function.Function;
import service.core.gq.plan.Expression.AggregateFunction;

/** Every sample of {@code docs/gq-grammar.md} compiles against the schema of the tests. */
class GrammarDocTest {
    private static final Pattern SAMPLE = Pattern.compile("```gq\n(.*?)```", Pattern.DOTALL);

    static List<String> samples() throws IOException {
        Path page = Path.of(System.getProperty("service.root"), "docs", "gq-grammar.md");
        List<String> samples = new ArrayList<>();
        Matcher matcher = SAMPLE.matcher(Files.readString(page));
        while (matcher.find()) {
            samples.add(matcher.group(1));
        }
        return samples;
    }

    @TestFactory
    Stream<DynamicTest> everySampleCompiles() throws IOException {
        List<String> samples = samples();
        assertThat(samples).hasSizeGreaterThanOrEqualTo(8);
        return samples.stream()
                .map(sample ->
                        DynamicTest.dynamicTest(sample.lines().findFirst().orElse(""), () -> {
                            List<Diagnostic> findings = GqCompiler.lint(sample, Catalogs.people());
                            assertThat(findings).isEmpty();
                        }));
    }

    /** The list of functions of the grammar, and the table of {@code docs/gq.md}. */
    @Test
    void everyFunctionIsDocumented() throws IOException {
        Path docs = Path.of(System.getProperty("service.root"), "docs");
        assertThat(Files.readString(docs.resolve("gq-grammar.md")).replaceAll("\\s+", " "))
                .contains("The functions are `" + String.join(" ", Function.words()) + "`; the aggregates `"
                        + String.join(" ", AggregateFunction.words()) + "`");
        List<String> rows = Files.readAllLines(docs.resolve("gq.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .toList();
        for (String word : Function.words()) {
            assertThat(rows).as("a row of docs/gq.md").anyMatch(row -> row.contains("`" + word + "("));
        }
    }
}
