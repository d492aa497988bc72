package service.projection.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import service.core.schema.AnalyzerName;
import service.core.value.Value;

class TextAnalyzerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "STANDARD | The QUICK brown-fox's 3.14 can't | the quick brown fox's 3.14 can't",
                "STANDARD | Zürich ÉCOLE İ | zürich école i",
                "STANDARD | to be or not to be | to be or not to be",
                "STANDARD | 👩‍🚀 ok 🇨🇭 | 👩‍🚀 ok 🇨🇭",
                "STANDARD | 漢字 かな カナ | 漢 字 か な カナ",
                "STANDARD | a_b user@example.com | a_b user example.com",
                "STANDARD | ... -- ! | -",
                "FOLDED | Zürich ÉCOLE ｆｕｌｌ Straße ᴀ | zurich ecole full strasse a",
                "CJK | 東京都 is カタカナ 한국어 字 | 東京 京都 is カタ タカ カナ 한국 국어 字",
                "ENGLISH | Running runners RAN the ponies | run runner ran the poni",
                "GERMAN | Häuser und Bücher | haus und buch",
                "FRENCH | continuellement | continuel",
                "RUSSIAN | важный | важн",
            })
    void terms(AnalyzerName name, String text, String terms) {
        assertThat(TextAnalyzer.of(name).terms(text)).isEqualTo(terms == null ? List.of() : List.of(terms.split(" ")));
    }

    @Test
    void halfASurrogatePairEndsNoText() {
        assertThat(QueryTerms.of(AnalyzerName.STANDARD, "one \ud83d two \ude00 three \ud83d")
                        .distinct())
                .containsExactly("one", "two", "three");
    }

    @Test
    void wholeIsTheValueInLowerCase() {
        TextAnalyzer whole = TextAnalyzer.of(AnalyzerName.WHOLE);
        assertThat(whole.terms("Ab-12 ÇX")).containsExactly("ab-12 çx");
        assertThat(whole.terms("")).isEmpty();
        assertThat(whole.terms("X".repeat(100_000))).containsExactly("x".repeat(100_000));
    }

    /** Words are cut after 255 code points, wherever they stand and however long the text is. */
    @Test
    void longWordsAreCut() {
        Random random = new Random(37);
        TextAnalyzer standard = TextAnalyzer.of(AnalyzerName.STANDARD);
        for (int length : List.of(254, 255, 256, 510, 511, 4_095, 4_096, 4_097, 9_000, 100_000)) {
            // Deseret letters are pairs of chars, and have a lower case.
            int[] points = random.ints(length, 0, 2)
                    .map(bit -> bit == 0 ? 'A' + random.nextInt(26) : 0x10400 + random.nextInt(40))
                    .toArray();
            List<String> expected = new ArrayList<>(List.of("before"));
            for (int at = 0; at < length; at += 255) {
                StringBuilder piece = new StringBuilder();
                for (int i = at; i < Math.min(length, at + 255); i++) {
                    piece.appendCodePoint(Character.toLowerCase(points[i]));
                }
                expected.add(piece.toString());
            }
            expected.add("after");
            String word = new String(points, 0, length);
            assertThat(standard.terms("before " + word + " after")).isEqualTo(expected);
        }
    }

    @Test
    void onePlaceStaysFreeBetweenTheElementsOfAList() {
        List<String> terms = new ArrayList<>();
        Value list =
                new Value.ListOf(List.of(new Value.Text("one two"), new Value.Text(""), new Value.Text("three four")));
        TextAnalyzer.of(AnalyzerName.STANDARD)
                .terms(list, (term, length, position) -> terms.add(position + new String(term, 0, length)));
        assertThat(terms).containsExactly("0one", "1two", "4three", "5four");
    }

    /** A stream is used again, also after a sink threw in the middle of a text. */
    @ParameterizedTest
    @EnumSource
    void streamsAreAsNew(AnalyzerName name) {
        TextAnalyzer analyzer = TextAnalyzer.of(name);
        String text = "Über 東京都 running " + "y".repeat(300);
        List<String> first = analyzer.terms(text);
        try {
            analyzer.terms(text, 0, (term, length, position) -> {
                throw new IllegalStateException("enough");
            });
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("enough");
        }
        assertThat(analyzer.terms(text)).isEqualTo(first);
        assertThat(AnalyzerName.named(name.text())).isEqualTo(name);
    }
}
