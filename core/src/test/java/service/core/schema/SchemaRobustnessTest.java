package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.testkit.Seed;

/** For any text, a compilation ends soon, with a catalog or with diagnostics that point into the text. */
final class SchemaRobustnessTest {
    private static final String[] PIECES = {
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "@",
        "@key(",
        "@range(",
        "..",
        "->",
        ":",
        "?",
        ",",
        "\"",
        "\\",
        "/*",
        "//",
        "-",
        "node ",
        "edge ",
        "interface ",
        "enum(",
        "Vector(",
        "9999999999999999999999",
        "1e999",
        "\uD800",
        "\u0000",
        "é",
        "\n"
    };

    private static String documentation() throws IOException {
        return Files.readString(Path.of(System.getProperty("service.root"), "docs", "schema.md"));
    }

    private static List<String> samples(String fence) throws IOException {
        Matcher samples =
                Pattern.compile("```" + fence + "\\n(.*?)```", Pattern.DOTALL).matcher(documentation());
        return samples.results().map(result -> result.group(1)).toList();
    }

    @Test
    void everySampleOfTheDocumentationCompiles() throws IOException {
        List<String> samples = samples("pg");
        assertThat(samples).hasSizeGreaterThan(3);
        for (String sample : samples) {
            Catalog catalog = SchemaCompiler.compile(sample);
            Catalog restored = CatalogCodec.decode(sample, CatalogCodec.encode(catalog));
            assertThat(restored.nodes()).containsExactlyElementsOf(catalog.nodes());
            assertThat(restored.edges()).containsExactlyElementsOf(catalog.edges());
        }
    }

    @Test
    void everyCodeOfTheSourcesIsDocumented() throws IOException {
        Path sources = Path.of(System.getProperty("service.root"), "core/src/main/java/service/core/schema");
        String documentation = documentation();
        try (var files = Files.walk(sources)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                Matcher codes = Pattern.compile("\"(PG-[A-Z]{2}-[0-9]{3})\"").matcher(Files.readString(file));
                while (codes.find()) {
                    assertThat(documentation).as(file.toString()).contains("`" + codes.group(1) + "`");
                }
            }
        }
    }

    @Test
    void mutatedSchemasGiveOnlyDiagnostics(@Seed long seed) throws IOException {
        Random random = new Random(seed);
        List<String> samples = samples("pg");
        for (int round = 0; round < 3_000; round++) {
            StringBuilder source = new StringBuilder(samples.get(random.nextInt(samples.size())));
            for (int change = random.nextInt(1, 6); change > 0 && !source.isEmpty(); change--) {
                int at = random.nextInt(source.length());
                int end = Math.min(source.length(), at + random.nextInt(12));
                switch (random.nextInt(4)) {
                    case 0 -> source.delete(at, end);
                    case 1 -> source.insert(at, PIECES[random.nextInt(PIECES.length)]);
                    case 2 -> source.insert(at, source.substring(at, end));
                    default -> source.setLength(Math.max(1, at));
                }
            }
            check(source.toString(), "round " + round);
        }
    }

    private static void check(String source, String label) {
        try {
            SchemaCompiler.compile(source);
        } catch (ServiceException refusal) {
            long lines = 1 + source.chars().filter(c -> c == '\n').count();
            assertThat(refusal.detail()).as(label).isInstanceOf(ErrorDetail.Diagnostics.class);
            assertThat(((ErrorDetail.Diagnostics) refusal.detail()).diagnostics())
                    .as(label)
                    .isNotEmpty()
                    .allSatisfy(found -> {
                        assertThat(found.code()).startsWith("PG-");
                        assertThat((long) found.line()).isBetween(1L, lines);
                        assertThat(found.column()).isPositive();
                    });
        } catch (RuntimeException | Error fault) {
            throw new AssertionError(label + " on:\n" + source, fault);
        }
    }

    /** Sources of nearly a mebibyte that a quadratic or an unbounded recursive compiler could not handle. */
    @Test
    void largeSourcesEndSoon() {
        List<String> sources = List.of(
                "node A { a: " + "[".repeat(1_000_000),
                "node A { a: I32 @x(" + "[".repeat(900_000),
                "{".repeat(1_000_000),
                "node A { a: String @check(a, \"" + "(".repeat(900_000) + "\") }",
                "node A { a: String @check(a, \"" + "(a{1000}){1000}".repeat(50) + "\") }",
                "node A { a: String @check(a, \"" + "(".repeat(400) + "a{999}".repeat(20) + ")".repeat(400) + "\") }",
                "node A { " + many(50_000, "p%d:I32@index ") + "}",
                "node A { a: I32 " + "@index(a) ".repeat(90_000) + "}",
                "node A { a: enum(" + many(100_000, "v%d,") + "z) }",
                many(60_000, "node N%d {} "),
                many(20_000, "node N%d { a: Strin }\n"),
                "node N {} " + many(25_000, "edge E%d: N -> Missing%<d "),
                "interface I { " + many(4_000, "p%d: I32 ") + "} " + many(20_000, "node N%d implements I {} "),
                many(9_000, "interface I%d {} ") + "node N implements " + many(9_000, "I%d, ") + "I0 {}",
                "/*".repeat(500_000),
                "\"".repeat(1_000_000),
                "a".repeat(1_000_000),
                "node " + "A".repeat(1_000_000) + " {}");
        for (String source : sources) {
            assertThat(source.length()).isLessThanOrEqualTo(SchemaCompiler.SOURCE_BYTES_MAX);
            Assertions.assertTimeoutPreemptively(Duration.ofSeconds(60), () -> check(source, source.substring(0, 40)));
        }
    }

    @Test
    void moreThanAMebibyteIsRefused() {
        check(" ".repeat(SchemaCompiler.SOURCE_BYTES_MAX), "blanks");
        Assertions.assertThrows(
                ServiceException.class, () -> SchemaCompiler.compile(" ".repeat(SchemaCompiler.SOURCE_BYTES_MAX + 1)));
    }

    private static String many(int n, String format) {
        return IntStream.range(0, n).mapToObj(format::formatted).collect(Collectors.joining());
    }
}
