package service.core.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import service.core.testkit.LiveHeap;
import service.core.testkit.Seed;

final class TextPatternTest {
    private static final int ROUNDS = Integer.getInteger("service.patterns", 10_000);

    /** Instructions that every program has: one that fails and one that matches. */
    private static final int FIXED = 2;

    private static TextPattern compile(String expression) {
        return TextPattern.compile(expression, bytes -> {});
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a+b",
                "[A-Z]{2}[0-9]{1,6}",
                "(?:x{10}){10}",
                "\\{1000}",
                "(a|b){1000}",
                "[(]{1000}",
                "\\Q((((\\E{1000}",
                "^.{0,1000}$",
                "^(\\w+\\s?){1,200}$",
                "([a-z]{1,90},){1,90}"
            })
    void compilesPatternsThatUnrollToFewInstructions(String expression) {
        assertThat(compile(expression).text()).isEqualTo(expression);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a{1000}){1000}",
                "((a{30}){30}){30}",
                "(a{999}b{0,999}){12}",
                "(((((a{9}){9}){9}){9}){9}){9}",
                // What the parser reads as characters must not hide what a group holds.
                "((a{1000}[(]){1000}[(]){1000}",
                "((a{1000}\\Q(\\E){1000}\\Q(\\E){1000}",
                "(a{1000}\\(){1000}",
                "(?:(?:a{1000}[)]){1000}[]()]){1000}",
                "(?i)(?P<x>a{1000}[[:alpha:](]){1000}",
                "((?:a{500}[^](]){100})",
                "(?:(?:a|b{1000}){1000}|c)",
                "(?:a{1000}\\x{28}){1000}",
                "(?:a{1000}\\050){1000}",
                "(?:a{1000,}){1000}",
                "(?:(?:(?:a{1000}){0,1}){1000})*",
                "(a{1000}{){1000}",
                "(a{1000}{,3}){1000}"
            })
    void refusesRepetitionsThatMultiply(String expression) {
        assertThatThrownBy(() -> compile(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("instructions");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(a?a?a?a?a?){980}b",
                "(|a){1000}",
                "(?:(?:a*)*){1000}",
                "(?:(?:^|b)?){1000}",
                "(?:\\b){1000}\\b",
                "(?:){1000}(?:)",
                "(?:a*|b*){700}"
            })
    void refusesPatternsWhoseMatchingRecursesDeeply(String expression) {
        assertThatThrownBy(() -> compile(expression))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("match nothing");
    }

    @Test
    void refusesLongOrMalformedPatterns() {
        assertThatThrownBy(() -> compile("a".repeat(1_001))).hasMessageContaining("1000");
        assertThatThrownBy(() -> compile("(")).hasMessageContaining("missing");
        assertThatThrownBy(() -> compile("a{3,2}")).hasMessageContaining("does not parse");
    }

    private static final List<String> PARTS = List.of(
            "a",
            "b",
            "é",
            "\ud83d\ude00",
            "(",
            "(",
            "(?:",
            "(?:",
            "(?i)",
            "(?s-m:",
            "(?P<n>",
            "(?<x>",
            "(?",
            ")",
            ")",
            ")",
            ")",
            "|",
            "|",
            "*",
            "+",
            "?",
            "*?",
            "??",
            "{2}",
            "{0,3}",
            "{3,}",
            "{0}",
            "{1}",
            "{7,9}?",
            "{0,30}",
            "{,3}",
            "{2",
            "{2,x}",
            "{02}",
            "[a-z]",
            "[^]a]",
            "[]a-]",
            "[[:alpha:]]",
            "[[:alpha]",
            "[\\d(]",
            "[(]",
            "[)\\]]",
            "[a-\\x{7A}]",
            "[\\pL|]",
            "[",
            "]",
            "{",
            "}",
            "-",
            "\\Q(a{9})\\E",
            "\\Q|*",
            "\\E",
            "\\pL",
            "\\p{Greek}",
            "\\PN",
            "\\p{^L}",
            "\\p",
            "\\d",
            "\\W",
            "\\b",
            "\\B",
            "\\A",
            "\\z",
            "^",
            "$",
            ".",
            "\\(",
            "\\x{28}",
            "\\x28",
            "\\x",
            "\\050",
            "\\0",
            "\\7",
            "\\n",
            "\\",
            "\\_",
            ",");

    private static String random(Random random) {
        if (random.nextInt(3) == 0) {
            return grown(random, 4);
        }
        StringBuilder expression = new StringBuilder();
        for (int n = 1 + random.nextInt(random.nextInt(10) == 0 ? 60 : 14); n > 0; n--) {
            expression.append(PARTS.get(random.nextInt(PARTS.size())));
        }
        return expression.toString();
    }

    /** A well-formed expression. */
    private static String grown(Random random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return List.of("a", "ab", "[a-c(]", ".", "\\pL", "\\Q()\\E", "^", "\\b", "(?:)", "\\x{28}", "ac", "")
                    .get(random.nextInt(12));
        }
        String first = grown(random, depth - 1);
        return switch (random.nextInt(7)) {
            case 0 -> first + grown(random, depth - 1) + grown(random, depth - 1);
            case 1 -> "(" + first + "|" + grown(random, depth - 1) + "|" + grown(random, depth - 1) + ")";
            case 2 -> "(?:" + first + ")" + List.of("*", "+", "?", "*?").get(random.nextInt(4));
            case 3 -> "(" + first + "){" + random.nextInt(4) + ",}";
            case 4 -> "(?:" + first + "){" + random.nextInt(3) + "," + (3 + random.nextInt(9)) + "}";
            case 5 -> "(" + first + ")";
            default -> "(?:" + first + "|" + first + grown(random, depth - 1) + ")";
        };
    }

    @Test
    void neverMeasuresLessThanTheProgramThatComesOfIt(@Seed long seed) {
        Random random = new Random(seed);
        int compiled = 0;
        int exact = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String expression = random(random);
            PatternScanner scanner = new PatternScanner(expression);
            PatternSize size = scanner.size();
            if (size.instructions() > TextPattern.INSTRUCTIONS_MAX) {
                continue;
            }
            Pattern pattern;
            try {
                pattern = Pattern.compile(expression);
            } catch (PatternSyntaxException malformed) {
                continue;
            }
            RealProgram real = new RealProgram(pattern);
            compiled++;
            exact += real.size() == size.instructions() + FIXED ? 1 : 0;
            assertThat((long) real.size()).as(expression).isLessThanOrEqualTo(size.instructions() + FIXED);
            assertThat(real.deepest()).as(expression).isLessThanOrEqualTo(size.chain() + FIXED);
            assertThat(pattern.groupCount()).as(expression).isLessThanOrEqualTo(scanner.groups());
        }
        assertThat(compiled).isGreaterThan(ROUNDS / 10);
        assertThat(exact).as("of " + compiled).isGreaterThan(compiled / 2);
    }

    @Test
    void refusesEveryMistakeInOneWay(@Seed long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < ROUNDS; i++) {
            String expression = random(random);
            try {
                TextPattern pattern = compile(expression);
                pattern.isIn("ab(a)()b aab", steps -> {});
                pattern.matches("", steps -> {});
            } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageStartingWith("the regular expression `");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "[a-z]+@[a-z]+",
                "a{1000}",
                "(?:[a-z]{1000}){9}",
                "(a|bc|d){500}",
                "(?:a?){900}b",
                "([a-z]?){300}",
                "(a)(b)(c)(d)(e)(f)(g)(?:[a-z]?){900}",
                "(?:(?:(a)(b)(c)(d)(e)(f)(g))?[a-z]*){60}",
                "[\\pL][\\pN]\\PM\\p{Greek}",
                "(?i)[\\pL\\pN]{1000}",
                "(?i)[a-z\\x{100}-\\x{400}]{2}"
            })
    void chargesWhatThePatternAndItsMatcherHold(String expression) {
        String text = "abcdefg".repeat(60);
        AtomicLong charged = new AtomicLong();
        TextPattern.compile(expression, charged::addAndGet).isIn(text, steps -> {});
        double held = LiveHeap.ofEach((int) Math.max(8, (4 << 20) / charged.get()), i -> {
            TextPattern pattern = compile(expression);
            pattern.isIn(text, steps -> {});
            pattern.matches(text, steps -> {});
            return pattern;
        });
        assertThat(charged.doubleValue()).as(expression).isGreaterThan(0.95 * held);
    }

    @Test
    void countsWorkInProportionToTheProgram() {
        AtomicLong few = new AtomicLong();
        AtomicLong many = new AtomicLong();
        String text = "a".repeat(2_000);
        compile("a{20}b").isIn(text, few::addAndGet);
        compile("(?:[a-z]{1000}){9}b").isIn(text, many::addAndGet);
        assertThat(many.get()).isGreaterThan(100 * few.get());
    }

    /** Expressions that are refused today, but which a graph may have since before there were these limits. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "(?:a?b?){600}",
                "(?:a?a?a?a?a?){980}b?",
                "(|a){1000}a{0,1000}",
                "(?:(?:^|b)?a?){1000}",
                "(?:(?:a{0,9}){9}){200}b?",
                "(a{999}b{0,999}){12}|a{2}"
            })
    void whatAGraphHasIsTakenAndMatches(String expression) {
        assertThatThrownBy(() -> compile(expression)).isInstanceOf(IllegalArgumentException.class);
        String source = "node N { k: String @key s: String? @check(s, \"%s\") }";
        Catalog catalog = SchemaCompiler.compile(source.formatted("a"));
        Catalog stored = CatalogCodec.decode(source.formatted(expression), CatalogCodec.encode(catalog));
        assertThat(stored.node("N").constraints()).contains(new Constraint.Check(3, expression));
        TextPattern pattern = TextPattern.stored(expression);
        AtomicLong work = new AtomicLong();
        assertThat(pattern.matches("aa", work::addAndGet)).isTrue();
        assertThat(pattern.isIn("ccaacc", work::addAndGet)).isTrue();
        assertThat(pattern.matches("aac", work::addAndGet)).isFalse();
        assertThat(work).hasPositiveValue();
        assertThatThrownBy(() -> pattern.matches("aa", steps -> {
                    throw new IllegalStateException("over");
                }))
                .hasMessage("over");
    }
}
