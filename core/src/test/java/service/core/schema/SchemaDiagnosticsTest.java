package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import service.core.error.Diagnostic;
import service.core.error.DiagnosticCases;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.error.SourceText;

/** The rendered findings of mistakes in schemas; {@code diagnostics.txt} holds the cases. */
class SchemaDiagnosticsTest {
    private static DiagnosticCases cases() throws IOException {
        return new DiagnosticCases(SchemaDiagnosticsTest.class, "diagnostics.txt", SchemaDiagnosticsTest::findings);
    }

    /** The findings that the refusal carries; its message is their rendering. */
    private static List<Diagnostic> findings(String source) {
        try {
            SchemaCompiler.compile(source);
            return List.of();
        } catch (ServiceException refusal) {
            List<Diagnostic> found = ((ErrorDetail.Diagnostics) refusal.detail()).diagnostics();
            assertThat(refusal).hasMessage(SourceText.render(found));
            return found;
        }
    }

    @TestFactory
    Stream<DynamicTest> eachMistakeIsExplained() throws IOException {
        return cases().tests();
    }

    /** PG-LM-001 needs more types than a case can show (SchemaRobustnessTest). */
    @Test
    void everyCodeHasACase() throws IOException {
        assertThat(cases().codes())
                .containsExactlyInAnyOrder(
                        "PG-SY-001",
                        "PG-SY-002",
                        "PG-NA-001",
                        "PG-NA-002",
                        "PG-NA-003",
                        "PG-NA-004",
                        "PG-TY-001",
                        "PG-TY-002",
                        "PG-TY-003",
                        "PG-AN-001",
                        "PG-CO-001",
                        "PG-CO-002",
                        "PG-CO-003",
                        "PG-CO-004",
                        "PG-CO-005",
                        "PG-CO-006",
                        "PG-CO-007",
                        "PG-CO-008",
                        "PG-AN-002");
    }
}
