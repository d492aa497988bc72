package service.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that would take the parser minutes, as the text of a proposal that a pipeline validates. */
final class YamlReaderTest {
    private static final int FILE_CHARS = 1 << 20;

    private final List<ConfigDiagnostic> found = new ArrayList<>();

    private boolean reads(String text) {
        found.clear();
        return new YamlReader("f.yaml", "CL", found).parse(text) != null;
    }

    /** The finding stands where the depth is passed: reading on is what took the time. */
    @ParameterizedTest
    @ValueSource(strings = {"[", "{", "[a,", "{a: ", "- ", "[\n", "? ", "[{", "[[a],", "{a: [", "[ "})
    void aDeepFileIsRefusedAtItsDepth(String level) {
        assertThat(reads(level.repeat(FILE_CHARS / level.length()))).isFalse();
        assertThat(found).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo("CL-001");
            assertThat(finding.message()).contains("deeper than " + YamlReader.DEPTH_MAX + " levels");
            assertThat(finding.line()).isBetween(1, 2 * YamlReader.DEPTH_MAX);
            assertThat(finding.column()).isBetween(1, 8 * YamlReader.DEPTH_MAX);
        });
    }

    @Test
    void theDepthIsTakenAtItsBoundAndRefusedBeyondIt() {
        assertThat(reads(nested(YamlReader.DEPTH_MAX))).isTrue();
        assertThat(found).isEmpty();
        assertThat(reads(nested(YamlReader.DEPTH_MAX + 1))).isFalse();
        assertThat(reads("- []\n".repeat(FILE_CHARS / 5))).as("long but flat").isTrue();
    }

    private static String nested(int depth) {
        return "[".repeat(depth) + "]".repeat(depth);
    }

    @ParameterizedTest
    @ValueSource(strings = {"- !x 1\n", "- *a\n", "- !x [*a]\n"})
    void theNumberOfFindingsIsBounded(String line) {
        assertThat(reads("- &a 1\n" + line.repeat(FILE_CHARS / line.length()))).isFalse();
        assertThat(found)
                .hasSize(YamlReader.FINDINGS_MAX)
                .allMatch(finding -> finding.code().equals("CL-002"));
    }
}
