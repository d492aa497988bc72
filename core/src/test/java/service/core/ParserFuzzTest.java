package service.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.gq.GqCompiler;
import service.core.schema.Catalog;
import service.core.schema.SchemaCompiler;
import service.core.testkit.Seed;

/**
 * Fuzzes both parsers and the checks after them: no crash, no hang, no finding without its position in the source.
 *
 * <p>Sources are made from a corpus of seeds by edits of bytes, of tokens and of nesting. A source with a new
 * combination of findings joins the corpus, so that the search continues from there. {@code -Dfuzz.seconds=600} runs
 * for ten minutes instead of a few thousand rounds.
 */
class ParserFuzzTest {
    private static final int ROUNDS = 2500;
    private static final int LENGTH_MAX = 20_000;
    private static final int CORPUS_MAX = 4000;

    /**
     * Far more processor time than any such source takes; only a hang exceeds it. Elapsed time would also count the
     * work of other processes.
     */
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Pattern TOKEN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*|\\$[a-z_0-9]*|\"[^\"]*\"|[0-9.]+|\\S");

    /** The two languages. */
    enum Language {
        GQ("gq"),
        SCHEMA("schema");

        private final String folder;

        Language(String folder) {
            this.folder = folder;
        }

        /** The findings of a source; none when it compiles. */
        List<Diagnostic> findings(String source, Catalog catalog) {
            if (this == GQ) {
                List<Diagnostic> findings = GqCompiler.lint(source, catalog);
                if (findings.isEmpty()) {
                    GqCompiler.queryNames(source);
                }
                return findings;
            }
            try {
                SchemaCompiler.compile(source);
                return List.of();
            } catch (ServiceException e) {
                assertThat(e.detail()).isInstanceOf(ErrorDetail.Diagnostics.class);
                return ((ErrorDetail.Diagnostics) e.detail()).diagnostics();
            }
        }
    }

    private final Set<String> seen = new HashSet<>();
    private final List<String> corpus = new ArrayList<>();
    private Random random;

    @ParameterizedTest
    @EnumSource
    void noSourceCrashesHangsOrLosesItsPosition(Language language, @Seed long seed) throws IOException {
        long seconds = Long.getLong("fuzz.seconds", 0);
        random = new Random(seed);
        Catalog catalog = SchemaCompiler.compile(seeds(Language.SCHEMA).getLast());
        corpus.addAll(seeds(language));
        List<String> tokens = tokens();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long rounds = 0;
        for (; seconds > 0 ? System.nanoTime() < end : rounds < ROUNDS; rounds++) {
            String source = corpus.get(random.nextInt(corpus.size()));
            for (int edits = 1 + random.nextInt(4); edits > 0; edits--) {
                source = edit(source, tokens);
            }
            if (source.length() <= LENGTH_MAX) {
                tryOne(language, source, catalog, "round " + rounds);
            }
        }
        System.out.printf(
                "ParserFuzzTest %s: %d rounds, corpus of %d, %d kinds of answers%n",
                language, rounds, corpus.size(), seen.size());
        assertThat(seen).hasSizeGreaterThan(50);
    }

    private void tryOne(Language language, String source, Catalog catalog, String where) {
        long start = cpuNanos();
        List<Diagnostic> findings;
        try {
            findings = language.findings(source, catalog);
            List<String> lines = List.of(source.split("\n", -1));
            findings.forEach(finding -> hasAPlace(finding, lines));
        } catch (RuntimeException | Error e) {
            throw new AssertionError(where + ":\n" + source, e);
        }
        assertThat(cpuNanos() - start).as(where + "\n" + source).isLessThan(HANG_NANOS);
        StringBuilder answer = new StringBuilder();
        findings.forEach(f -> answer.append(f.code()).append(f.message().replaceAll("`[^`]*`|\"[^\"]*\"|[0-9]+", "…")));
        if (seen.add(answer.toString()) && corpus.size() < CORPUS_MAX) {
            corpus.add(source);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static void hasAPlace(Diagnostic finding, List<String> lines) {
        assertThat(finding.code()).isNotBlank();
        assertThat(finding.message()).isNotBlank();
        assertThat(finding.line()).as(finding.toString()).isBetween(1, lines.size());
        String line = lines.get(finding.line() - 1);
        assertThat(finding.column())
                .as(finding + " in " + line)
                .isBetween(1, line.codePointCount(0, line.length()) + 1);
    }

    private String edit(String source, List<String> tokens) {
        int length = source.length();
        int at = random.nextInt(length + 1);
        int to = Math.min(length, at + random.nextInt(random.nextInt(8) == 0 ? 200 : 12));
        String other = corpus.get(random.nextInt(corpus.size()));
        int from = random.nextInt(other.length() + 1);
        String piece = other.substring(from, Math.min(other.length(), from + random.nextInt(60)));
        return switch (random.nextInt(9)) {
            case 0 -> source.substring(0, at) + source.substring(to);
            case 1 -> source.substring(0, to) + source.substring(at);
            case 2 -> source.substring(0, at) + piece + source.substring(to);
            case 3 -> source.substring(0, at) + " " + token(tokens) + " " + source.substring(at);
            case 4 -> replaced(source, tokens);
            case 5 -> source.substring(0, at) + token(tokens).repeat(1 + random.nextInt(150)) + source.substring(at);
            case 6 -> {
                String open = random.nextBoolean() ? "(" : "not { ";
                String close = open.equals("(") ? ")" : " }";
                int deep = 1 + random.nextInt(130);
                yield source.substring(0, at)
                        + open.repeat(deep)
                        + source.substring(at, to)
                        + close.repeat(deep)
                        + source.substring(to);
            }
            case 7 -> source.substring(0, at) + strange() + source.substring(at);
            default -> other + "\n" + source;
        };
    }

    private String strange() {
        int kind = random.nextInt(5);
        return switch (kind) {
            case 0 -> String.valueOf((char) random.nextInt(32));
            case 1 -> String.valueOf((char) (0xD800 + random.nextInt(0x800)));
            case 2 -> new String(Character.toChars(0x1F600 + random.nextInt(50)));
            case 3 -> String.valueOf((char) random.nextInt(0x3000));
            default -> "99999999999999999999999e999";
        };
    }

    private String token(List<String> tokens) {
        return tokens.get(random.nextInt(tokens.size()));
    }

    /** Replaces one token of the source. */
    private String replaced(String source, List<String> tokens) {
        List<int[]> places = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(source);
        while (matcher.find() && places.size() < 2000) {
            places.add(new int[] {matcher.start(), matcher.end()});
        }
        if (places.isEmpty()) {
            return token(tokens);
        }
        int[] place = places.get(random.nextInt(places.size()));
        return source.substring(0, place[0]) + token(tokens) + source.substring(place[1]);
    }

    private List<String> tokens() {
        Set<String> tokens = new HashSet<>();
        for (String source : corpus) {
            Matcher matcher = TOKEN.matcher(source);
            while (matcher.find()) {
                tokens.add(matcher.group());
            }
        }
        return tokens.stream().sorted().toList();
    }

    private static List<String> seeds(Language language) throws IOException {
        Path folder = Path.of(
                System.getProperty("service.root"), "core/src/test/resources/service/core/fuzz", language.folder);
        List<String> seeds = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                seeds.add(Files.readString(file, StandardCharsets.UTF_8));
            }
        }
        return seeds;
    }
}
