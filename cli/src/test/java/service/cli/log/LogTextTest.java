package service.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;
import service.core.value.VisibleText;

/** Lines of the log with texts of strangers. */
final class LogTextTest {
    /** Every character that steers a terminal, each with a letter behind it. */
    private static final String HOSTILE = IntStream.range(0, 1 << 16)
            .filter(c -> VisibleText.isHidden((char) c))
            .mapToObj(c -> (char) c + "a")
            .collect(Collectors.joining());

    private final LoggerContext context = new LoggerContext();

    private String line(Encoder<ILoggingEvent> encoder) {
        LoggingEvent event = new LoggingEvent(
                "service",
                context.getLogger("service.http"),
                Level.WARN,
                "refused: " + HOSTILE,
                new IllegalStateException(HOSTILE),
                null);
        event.setKeyValuePairs(
                List.of(new KeyValuePair("actor", HOSTILE), new KeyValuePair("rules", List.of(HOSTILE))));
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void aLineOfJsonHoldsNoSteeringCharacter() throws IOException {
        String line = line(new JsonLines());
        assertThat(line.strip().chars()).noneMatch(c -> VisibleText.isHidden((char) c.intValue()));
        JsonNode parsed = new ObjectMapper().readTree(line);
        assertThat(VisibleText.oneLine(parsed.path("message").asText()))
                .isEqualTo("refused: " + VisibleText.oneLine(HOSTILE));
    }

    @Test
    void aLineOfTextIsOneLine() {
        PatternLayoutEncoder encoder = Logging.text(context);
        encoder.start();
        List<String> lines = line(encoder).lines().toList();
        assertThat(lines.getFirst()).contains("refused: " + VisibleText.oneLine(HOSTILE), "actor=\\u0000a");
        assertThat(lines.getLast()).startsWith("\tat ");
        assertThat(String.join("", lines).replace("\t", "").chars())
                .noneMatch(c -> VisibleText.isHidden((char) c.intValue()));
    }
}
