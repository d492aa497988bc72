package service.core.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.testkit.Seed;

final class VisibleTextTest {
    private static final String[] PARTS = {"`", "\"", " ", "\n", "\u001b", "\u202e", "a", "😀", "ä", "a".repeat(99)};

    @Test
    void aLongNameIsShortened() {
        String name = "n".repeat(900_000);
        assertThat(VisibleText.message("branch name `" + name + "` is longer than 64 characters"))
                .isEqualTo("branch name `" + "n".repeat(59) + "…` is longer than 64 characters");
        assertThat(VisibleText.message("not \"" + name + "\"")).isEqualTo("not \"" + "n".repeat(59) + "…\"");
        assertThat(VisibleText.message("the source holds no query `" + name + "`; it holds `q`"))
                .isEqualTo("the source holds no query `" + "n".repeat(59) + "…`; it holds `q`");
        assertThat(VisibleText.message("no " + name)).isEqualTo("no " + "n".repeat(60) + "…");
        assertThat(VisibleText.message(name.substring(0, 200))).hasSize(200);
        assertThat(VisibleText.message("😀".repeat(300))).isEqualTo("😀".repeat(30) + "…");
    }

    /** Whatever a request says, the message is a short line of whole characters with its end. */
    @Test
    void everyMessageIsAShortLine(@Seed long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder name = new StringBuilder();
            int parts = random.nextInt(random.nextInt(1, 400));
            for (int part = 0; part < parts; part++) {
                name.append(PARTS[random.nextInt(PARTS.length)]);
            }
            String message =
                    new ServiceException(ErrorCode.NOT_FOUND, "branch `" + name + "` does not exist").getMessage();
            assertThat(message).startsWith("branch `").endsWith(" does not exist");
            assertThat(message.length()).isLessThan(12_000);
            assertThat(message.chars()).noneMatch(c -> VisibleText.isHidden((char) c.intValue()));
            assertThat(message.codePoints()).noneMatch(c -> c >= 0xD800 && c < 0xE000);
            if (name.length() < 100) {
                assertThat(message).isEqualTo("branch `" + VisibleText.oneLine(name.toString()) + "` does not exist");
            }
        }
    }
}
