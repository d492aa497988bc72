package service.cli.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.value.VisibleText;

final class VisibleWriterTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Screen COLOURED = new Screen(0, true);

    /** Each character that may steer a terminal or turn a line round, between two others. */
    private static final String HOSTILE = IntStream.concat(
                    IntStream.concat(IntStream.range(0, 0x20), IntStream.rangeClosed(0x7F, 0x9F)),
                    IntStream.of(
                            0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066,
                            0x2067, 0x2068, 0x2069))
            .mapToObj(Character::toString)
            .collect(Collectors.joining("é", "\u001b[2J\u001b[8mx\u001b]0;t\u0007\u009b31m\r\nk: forged", "ü"));

    private static ObjectNode rows() {
        ObjectNode result = JSON.createObjectNode();
        result.putArray("columns").add("a").add(HOSTILE);
        result.putArray("rows").addObject().put("a", HOSTILE).putArray(HOSTILE).add(HOSTILE);
        return result;
    }

    private static boolean isHarmless(String shown) {
        return shown.chars().noneMatch(c -> c != '\n' && c != '\t' && VisibleText.isHidden((char) c));
    }

    @ParameterizedTest
    @EnumSource
    void noFormatShowsWhatATerminalObeys(Rows.Format format) {
        StringWriter terminal = new StringWriter();
        Rows.print(rows(), format, new VisibleWriter(terminal, true), Screen.NONE);
        assertThat(isHarmless(terminal.toString())).as(terminal.toString()).isTrue();
        assertThat(terminal.toString()).containsIgnoringCase("\\u001b[2J").contains("\\u009b31m", "\\u202e", "\\u2069");
    }

    /** A value takes one line, whoever gets the output: it forges no field and no row. */
    @ParameterizedTest
    @EnumSource(names = {"table", "kv"})
    void aValueTakesOneLine(Rows.Format format) {
        StringWriter out = new StringWriter();
        Rows.print(rows(), format, new PrintWriter(out), Screen.NONE);
        assertThat(isHarmless(out.toString())).as(out.toString()).isTrue();
        assertThat(out.toString().lines()).noneMatch(line -> line.startsWith("k: forged"));
    }

    @ParameterizedTest
    @EnumSource(names = {"json", "jsonl"})
    void jsonKeepsItsValues(Rows.Format format) throws JsonProcessingException {
        StringWriter out = new StringWriter();
        Rows.print(rows(), format, new VisibleWriter(out, false), Screen.NONE);
        assertThat(isHarmless(out.toString())).isTrue();
        String row = format == Rows.Format.json
                ? JSON.readTree(out.toString()).path("rows").path(0).toString()
                : out.toString().lines().toList().get(1);
        assertThat(JSON.readTree(row)).isEqualTo(rows().path("rows").path(0));
    }

    @Test
    void aFileOfCsvKeepsItsValues() {
        StringWriter out = new StringWriter();
        Rows.print(rows(), Rows.Format.csv, new VisibleWriter(out, false), Screen.NONE);
        assertThat(out.toString()).contains('"' + HOSTILE + '"');
    }

    @Test
    void coloursPassOnATerminalOnly() {
        StringWriter terminal = new StringWriter();
        new VisibleWriter(terminal, true).println(COLOURED.red("a") + COLOURED.bold("b") + "\u001b[8m\u001b[2J\u001b");
        assertThat(terminal.toString())
                .isEqualTo("\u001b[31ma\u001b[0m\u001b[1mb\u001b[0m\\u001b[8m\\u001b[2J\\u001b\n");
        StringWriter file = new StringWriter();
        new VisibleWriter(file, false).println("\u001b[31ma");
        assertThat(file.toString()).isEqualTo("\\u001b[31ma\n");
        assertThat(isHarmless(
                        COLOURED.red(HOSTILE).substring("\u001b[31m".length()).replace("\u001b[0m", "")))
                .isTrue();
    }

    @Test
    void changesShowNoHostileValue() throws JsonProcessingException {
        String hostile = JSON.writeValueAsString(HOSTILE);
        StringWriter out = new StringWriter();
        EntityText.change(JSON.readTree("""
                        {"kind":"node","type":{"name":"P"},"id":"a","op":"update",
                         "before":{"properties":{"s":%s}},"after":{"properties":{"s":[%s]}}}
                        """.formatted(hostile, hostile)), new PrintWriter(out), Screen.NONE);
        EntityText.conflict(
                JSON.readTree("""
                        {"kind":"divergent_update","message":%s,"base":{"properties":{"s":%s}},
                         "source":{"properties":{"s":1}},"target":{"properties":{"s":2}}}
                        """.formatted(hostile, hostile)),
                "base",
                "source",
                "target",
                new PrintWriter(out),
                Screen.NONE);
        assertThat(isHarmless(out.toString())).as(out.toString()).isTrue();
    }
}
