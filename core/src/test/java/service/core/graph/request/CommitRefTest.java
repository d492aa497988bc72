package service.core.graph.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommitRefTest {
    @ParameterizedTest
    @CsvSource({
        "main, Name[text=main], []",
        "a/b.c~, Name[text=a/b.c], [Back[commits=1]]",
        "main~0, Name[text=main], [Back[commits=0]]",
        "main^, Name[text=main], [Back[commits=1]]",
        "main~2^2~, Name[text=main], '[Back[commits=2], Merged[], Back[commits=1]]'",
        "branch:main, OfBranch[branch=main], []",
        "commit:4RBY7J~1, OfCommit[id=4RBY7J], [Back[commits=1]]",
        "main@2h, 'AtTime[branch=main, time=2h]', []",
        "@2026-11-25T10:00:00+01:00~1, 'AtTime[branch=main, time=2026-11-25T10:00:00+01:00]', [Back[commits=1]]",
        "branch:a@5m^2, 'AtTime[branch=a, time=5m]', [Merged[]]"
    })
    void isABaseAndSteps(String text, String base, String steps) {
        CommitRef ref = CommitRef.parse(text);
        assertThat(ref).isNotNull();
        assertThat(ref.base()).hasToString(base);
        assertThat(ref.steps()).hasToString(steps);
        assertThat(ref.text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "~", "^2", "~1", "main^3", "main~1234567890", "main~x", "main^-1"})
    void othersAreNone(String text) {
        assertThat(CommitRef.parse(text)).isNull();
    }

    @Test
    void aLongTextIsNone() {
        assertThat(CommitRef.parse("main" + "~".repeat(900))).isNotNull();
        assertThat(CommitRef.parse("main" + "~1".repeat(10_000))).isNull();
    }
}
