package service.core.gq;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import service.core.error.DiagnosticCases;
import service.core.schema.Catalog;

/** The rendered findings of mistakes in GQ; {@code diagnostics.txt} holds the cases. */
class DiagnosticsTest {
    private final Catalog catalog = Catalogs.people();

    private DiagnosticCases cases() throws IOException {
        return new DiagnosticCases(
                DiagnosticsTest.class, "diagnostics.txt", source -> GqCompiler.lint(source, catalog));
    }

    @TestFactory
    Stream<DynamicTest> eachMistakeIsExplained() throws IOException {
        return cases().tests();
    }

    /** R1 is a run-time error (EvaluatorTest); L201 needs all queries (LintTest). */
    @Test
    void everyCodeOfTheTableHasACase() throws IOException {
        List<String> table = new ArrayList<>(List.of("Q000", "T30", "T31", "T32", "T33", "T34"));
        for (int i = 1; i <= 28; i++) {
            table.add("T" + i);
        }
        assertThat(cases().codes()).containsExactlyInAnyOrderElementsOf(table);
    }
}
