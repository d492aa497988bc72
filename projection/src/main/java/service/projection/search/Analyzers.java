package service.projection.search;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.cjk.CJKBigramFilter;
import org.apache.lucene.analysis.miscellaneous.ASCIIFoldingFilter;
import org.apache.lucene.analysis.snowball.SnowballFilter;
import org.tartarus.snowball.SnowballStemmer;
import org.tartarus.snowball.ext.ArabicStemmer;
import org.tartarus.snowball.ext.DanishStemmer;
import org.tartarus.snowball.ext.DutchStemmer;
import org.tartarus.snowball.ext.EnglishStemmer;
import org.tartarus.snowball.ext.FinnishStemmer;
import org.tartarus.snowball.ext.FrenchStemmer;
import org.tartarus.snowball.ext.GermanStemmer;
import org.tartarus.snowball.ext.GreekStemmer;
import org.tartarus.snowball.ext.HungarianStemmer;
import org.tartarus.snowball.ext.ItalianStemmer;
import org.tartarus.snowball.ext.NorwegianStemmer;
import org.tartarus.snowball.ext.PortugueseStemmer;
import org.tartarus.snowball.ext.RomanianStemmer;
import org.tartarus.snowball.ext.RussianStemmer;
import org.tartarus.snowball.ext.SpanishStemmer;
import org.tartarus.snowball.ext.SwedishStemmer;
import org.tartarus.snowball.ext.TurkishStemmer;
import service.core.schema.AnalyzerName;

/** What each {@link AnalyzerName} does with the words of a text. */
public final class Analyzers {
    /**
     * Names what the analyzers give: Lucene's release, which fixes word boundaries and stemmers, and a number that
     * grows with each other change. An index of another version is rebuilt.
     */
    public static final String VERSION = org.apache.lucene.util.Version.LATEST + "/1";

    private static final Map<AnalyzerName, TextAnalyzer> ALL = all();

    private Analyzers() {}

    static TextAnalyzer of(AnalyzerName name) {
        TextAnalyzer analyzer = ALL.get(name);
        if (analyzer == null) {
            throw new IllegalArgumentException("no analyzer " + name);
        }
        return analyzer;
    }

    private static Map<AnalyzerName, TextAnalyzer> all() {
        Map<AnalyzerName, TextAnalyzer> all = new EnumMap<>(AnalyzerName.class);
        for (AnalyzerName name : AnalyzerName.values()) {
            all.put(name, new TextAnalyzer(name, filters(name)));
        }
        return all;
    }

    private static UnaryOperator<TokenStream> filters(AnalyzerName name) {
        return switch (name) {
            case STANDARD, WHOLE -> LowerCaseFilter::new;
            // Folding gives a few capitals, for small capitals, so the lower case comes after it.
            case FOLDED -> words -> new LowerCaseFilter(new ASCIIFoldingFilter(words));
            case CJK -> words -> new CJKBigramFilter(new LowerCaseFilter(words));
            case ARABIC -> stemmed(ArabicStemmer::new);
            case DANISH -> stemmed(DanishStemmer::new);
            case DUTCH -> stemmed(DutchStemmer::new);
            case ENGLISH -> stemmed(EnglishStemmer::new);
            case FINNISH -> stemmed(FinnishStemmer::new);
            case FRENCH -> stemmed(FrenchStemmer::new);
            case GERMAN -> stemmed(GermanStemmer::new);
            case GREEK -> stemmed(GreekStemmer::new);
            case HUNGARIAN -> stemmed(HungarianStemmer::new);
            case ITALIAN -> stemmed(ItalianStemmer::new);
            case NORWEGIAN -> stemmed(NorwegianStemmer::new);
            case PORTUGUESE -> stemmed(PortugueseStemmer::new);
            case ROMANIAN -> stemmed(RomanianStemmer::new);
            case RUSSIAN -> stemmed(RussianStemmer::new);
            case SPANISH -> stemmed(SpanishStemmer::new);
            case SWEDISH -> stemmed(SwedishStemmer::new);
            case TURKISH -> stemmed(TurkishStemmer::new);
        };
    }

    private static UnaryOperator<TokenStream> stemmed(Supplier<SnowballStemmer> stemmer) {
        return words -> new SnowballFilter(new LowerCaseFilter(words), stemmer.get());
    }
}
