package service.cli.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TextTableTest {
    private static String print(TextTable table, int width) {
        StringWriter text = new StringWriter();
        table.print(new PrintWriter(text), new Screen(width, false));
        return text.toString();
    }

    @Test
    void numbersStandToTheRight() {
        TextTable table = new TextTable("TYPE", "COUNT").row("Person", "7").row("City", "1200");
        assertThat(print(table, 0)).isEqualTo("TYPE    COUNT\nPerson      7\nCity     1200\n");
    }

    @Test
    void theWidestColumnIsCutFirst() {
        TextTable table = new TextTable("ID", "TEXT").row("a1", "a long text that does not fit");
        assertThat(print(table, 14).lines()).allMatch(line -> line.codePointCount(0, line.length()) <= 14);
        assertThat(print(table, 14)).contains("a1").contains("…");
    }

    @Test
    void aRowStaysOneLine() {
        assertThat(print(new TextTable("TEXT").row("two\nlines"), 0)).isEqualTo("TEXT\ntwo⏎lines\n");
    }

    @Test
    void aRowOfAnotherWidthIsAFault() {
        TextTable table = new TextTable("A", "B");
        assertThatThrownBy(() -> table.row("only one")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void agesAreRounded() {
        assertThat(Times.relative(Duration.ofSeconds(1))).isEqualTo("just now");
        assertThat(Times.relative(Duration.ofSeconds(90))).isEqualTo("90 seconds ago");
        assertThat(Times.relative(Duration.ofMinutes(90))).isEqualTo("90 minutes ago");
        assertThat(Times.relative(Duration.ofHours(30))).isEqualTo("30 hours ago");
        assertThat(Times.relative(Duration.ofDays(3))).isEqualTo("3 days ago");
        assertThat(Times.relative("yesterday")).isEqualTo("yesterday");
    }
}
