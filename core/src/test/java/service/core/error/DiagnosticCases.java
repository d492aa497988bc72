package service.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Cases with the rendered findings of a source, in a resource: a source, a line of dashes, the findings, a line of
 * equals signs. With {@code SERVICE_PRINT_DIAGNOSTICS} in the environment the test prints the current findings.
 */
public final class DiagnosticCases {
    private record Case(String source, String expected) {}

    private final List<Case> cases = new ArrayList<>();
    private final Function<String, List<Diagnostic>> compiler;

    /**
     * Reads the cases.
     *
     * @param resource a file in the package of the owner
     * @param compiler returns the findings of a source
     */
    public DiagnosticCases(Class<?> owner, String resource, Function<String, List<Diagnostic>> compiler)
            throws IOException {
        this.compiler = compiler;
        try (InputStream in = owner.getResourceAsStream(resource)) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (String part : text.split("\n=+\n", -1)) {
                String[] halves = part.split("\n-+\n", 2);
                cases.add(new Case(halves[0].strip(), halves.length < 2 ? "" : halves[1].strip()));
            }
        }
    }

    /** A test for each case. */
    public Stream<DynamicTest> tests() {
        return cases.stream()
                .map(each -> DynamicTest.dynamicTest(
                        each.source().lines().findFirst().orElse(""), () -> check(each)));
    }

    private void check(Case each) {
        String found = SourceText.render(compiler.apply(each.source()));
        if (System.getenv("SERVICE_PRINT_DIAGNOSTICS") != null) {
            System.out.println(each.source() + "\n---\n" + found + "\n===");
            return;
        }
        assertThat(found).isEqualTo(each.expected());
    }

    /** The codes that have a case. */
    public Set<String> codes() {
        Set<String> codes = new LinkedHashSet<>();
        for (Case each : cases) {
            compiler.apply(each.source()).forEach(finding -> codes.add(finding.code()));
        }
        return codes;
    }
}
