package service.projection.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import service.core.gq.GqCompiler;
import service.core.testkit.Seed;
import service.core.text.Work;

/** Laying a query out keeps its plan, and its tokens and comments; doing it again changes nothing. */
final class FormatTest {
    private static final int QUERIES = 250;
    private static final List<String> SPACES =
            List.of(" ", "  ", "\n", "\n\n\n", " // a  comment {\n", " /* one\n     two */ ", "\t", "\r\n");

    @Test
    void theMeaningStays(@Seed long seed) {
        Random random = new Random(seed);
        int compiled = 0;
        for (int i = 0; i < QUERIES; i++) {
            String source = spaced(new RandomSource(random).query(), random);
            GqCompiler.Inspection before = GqCompiler.inspect(source, QuerySchema.CATALOG, Work.UNCOUNTED);
            if (before.plans().isEmpty()) {
                continue;
            }
            compiled++;
            String formatted = GqCompiler.format(source);
            assertThat(GqCompiler.format(formatted)).as(source).isEqualTo(formatted);
            assertThat(plans(GqCompiler.inspect(formatted, QuerySchema.CATALOG, Work.UNCOUNTED)))
                    .as("%s%n---%n%s", source, formatted)
                    .isEqualTo(plans(before));
            assertThat(formatted.replaceAll("\\s", "")).isEqualTo(source.replaceAll("\\s", ""));
        }
        assertThat(compiled).isGreaterThan(QUERIES / 4);
    }

    /** The plans without the places of their parts in the source. */
    private static String plans(GqCompiler.Inspection inspection) {
        return inspection.plans().toString().replaceAll("origin=Origin\\[[^]]*]", "");
    }

    /** Other white space, and comments, in places where there is some already. */
    private static String spaced(String source, Random random) {
        StringBuilder out = new StringBuilder();
        boolean inText = false;
        for (int i = 0; i < source.length(); i++) {
            char c = source.charAt(i);
            inText ^= c == '"' && source.charAt(Math.max(0, i - 1)) != '\\';
            boolean replace = c == ' ' && !inText && random.nextInt(4) == 0;
            out.append(replace ? SPACES.get(random.nextInt(SPACES.size())) : String.valueOf(c));
        }
        return out.toString();
    }
}
