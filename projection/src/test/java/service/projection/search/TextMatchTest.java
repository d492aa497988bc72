package service.projection.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.schema.AnalyzerName;
import service.core.text.Work;
import service.core.value.Value;

/** The conditions on texts against the plainest way to decide them, over random words of few letters. */
class TextMatchTest {
    private static final TextAnalyzer STANDARD = TextAnalyzer.of(AnalyzerName.STANDARD);
    private final long seed = Long.getLong("service.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private String word(int longest) {
        StringBuilder word = new StringBuilder();
        int length = 1 + random.nextInt(longest);
        for (int i = 0; i < length; i++) {
            word.appendCodePoint(random.nextInt(12) == 0 ? 0x10428 : 'a' + random.nextInt(3));
        }
        return word.toString();
    }

    private String words(int most, int longest) {
        List<String> words = new ArrayList<>();
        int n = 1 + random.nextInt(most);
        for (int i = 0; i < n; i++) {
            words.add(word(longest));
        }
        return String.join(" ", words);
    }

    private static boolean holds(TextMatch match, String text) {
        match.begin();
        STANDARD.terms(text, 0, match);
        return match.holds();
    }

    /** The restricted distance, by the whole table. */
    private static int distance(int[] a, int[] b) {
        int[][] d = new int[a.length + 1][b.length + 1];
        for (int i = 0; i <= a.length; i++) {
            for (int j = 0; j <= b.length; j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int cost = a[i - 1] == b[j - 1] ? 0 : 1;
                d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length][b.length];
    }

    @Test
    void fuzzyIsTheRestrictedDistance() {
        for (int round = 0; round < 4_000; round++) {
            String text = words(6, 9);
            String sought = words(3, 9);
            int edits = random.nextInt(4) - 1;
            QueryTerms terms = QueryTerms.of(AnalyzerName.STANDARD, sought);
            boolean expected = terms.distinct().stream().allMatch(term -> {
                int[] points = term.codePoints().toArray();
                int most = edits >= 0 ? edits : points.length <= 2 ? 0 : points.length <= 5 ? 1 : 2;
                return STANDARD.terms(text).stream()
                        .anyMatch(other -> distance(points, other.codePoints().toArray()) <= most);
            });
            assertThat(holds(new FuzzyMatch(terms, edits, Work.UNCOUNTED), text))
                    .as("seed %d: `%s` in `%s` by %d", seed, sought, text, edits)
                    .isEqualTo(expected);
        }
    }

    @Test
    void termsPhrasesAndPrefixes() {
        for (int round = 0; round < 4_000; round++) {
            // Now and then a phrase of more than 64 terms.
            boolean many = round % 100 == 0;
            String text = words(many ? 300 : 12, many ? 1 : 2);
            List<String> all = STANDARD.terms(text);
            int from = random.nextInt(all.size());
            String sought = random.nextBoolean() && all.size() > 1
                    ? String.join(" ", all.subList(from, Math.min(all.size(), from + (many ? 100 : 3))))
                    : words(3, 2);
            QueryTerms terms = QueryTerms.of(AnalyzerName.STANDARD, sought);
            List<String> sequence = STANDARD.terms(sought);
            String shown = "seed " + seed + ": `" + sought + "` in `" + text + "`";
            assertThat(holds(TextMatch.ofTerms(terms, false, Work.UNCOUNTED), text))
                    .as("any, " + shown)
                    .isEqualTo(sequence.stream().anyMatch(all::contains));
            assertThat(holds(TextMatch.ofTerms(terms, true, Work.UNCOUNTED), text))
                    .as("all, " + shown)
                    .isEqualTo(new HashSet<>(all).containsAll(sequence));
            assertThat(holds(TextMatch.ofPrefix(terms, Work.UNCOUNTED), text))
                    .as("prefix, " + shown)
                    .isEqualTo(all.containsAll(sequence.subList(0, sequence.size() - 1))
                            && all.stream().anyMatch(term -> term.startsWith(sequence.getLast())));
            assertThat(holds(TextMatch.ofPhrase(terms, Work.UNCOUNTED), text))
                    .as("phrase, " + shown)
                    .isEqualTo(Collections.indexOfSubList(all, sequence) >= 0);
        }
    }

    @Test
    void noPhraseCrossesTheElementsOfAList() {
        TextMatch phrase = TextMatch.ofPhrase(QueryTerms.of(AnalyzerName.STANDARD, "b c"), Work.UNCOUNTED);
        phrase.begin();
        STANDARD.terms(new Value.ListOf(List.of(new Value.Text("a b"), new Value.Text("c d"))), phrase);
        assertThat(phrase.holds()).isFalse();
    }
}
