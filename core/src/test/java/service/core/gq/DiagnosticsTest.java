package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import service.core.error.Diagnostic;
import service.core.error.SourceText;
import service.core.schema.Catalog;

/**
 * What a person reads for each mistake. The cases stand in {@code diagnostics.txt}: a source, a
 * line of dashes, the rendered findings, a line of equals signs. Run with {@code
 * -Dservice.diagnostics.print=true} to print what comes out now.
 */
class DiagnosticsTest {
    private record Case(String source, String expected) {}

    private final Catalog catalog = Catalogs.people();

    private String render(String source) {
        List<Diagnostic> findings = GqCompiler.lint(source, catalog);
        return new SourceText(source).render(findings);
    }

    private static List<Case> cases() throws IOException {
        try (InputStream in = DiagnosticsTest.class.getResourceAsStream("diagnostics.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            List<Case> cases = new ArrayList<>();
            for (String part : text.split("\n=+\n", -1)) {
                String[] halves = part.split("\n-+\n", 2);
                cases.add(new Case(halves[0].strip(), halves.length < 2 ? "" : halves[1].strip()));
            }
            return cases;
        }
    }

    @TestFactory
    Stream<DynamicTest> eachMistakeIsExplained() throws IOException {
        return cases().stream()
                .map(
                        each ->
                                DynamicTest.dynamicTest(
                                        each.source().lines().findFirst().orElse(""),
                                        () -> {
                                            String found = render(each.source());
                                            if (System.getenv("SERVICE_PRINT_DIAGNOSTICS")
                                                    != null) {
                                                System.out.println(
                                                        each.source()
                                                                + "\n---\n"
                                                                + found
                                                                + "\n===");
                                                return;
                                            }
                                            assertThat(found).isEqualTo(each.expected());
                                        }));
    }

    /** R1 comes at run time (EvaluatorTest), L201 from lint over a whole cluster. */
    @Test
    void everyCodeOfTheTableHasACase() throws IOException {
        Set<String> codes = new LinkedHashSet<>();
        for (Case each : cases()) {
            GqCompiler.lint(each.source(), catalog).forEach(finding -> codes.add(finding.code()));
        }
        List<String> table = new ArrayList<>(List.of("Q000", "T40", "T17", "T21"));
        for (int i = 1; i <= 27; i++) {
            if (i < 17 || i > 21) {
                table.add("T" + i);
            }
        }
        assertThat(codes).containsAll(table);
        assertThat(Arrays.asList(codes.toArray())).hasSize(table.size());
    }
}
