package service.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogLevelsTest {
    @Test
    void oneLevelIsThatOfAllLoggers() {
        assertThat(LogLevels.parse("WARN")).isEqualTo(new LogLevels(Level.WARN, Map.of()));
    }

    @Test
    void aPrefixHasItsLevelAndTheRestIsInfo() {
        assertThat(LogLevels.parse("service.log=debug,io.undertow=error, service.http = trace"))
                .isEqualTo(new LogLevels(
                        Level.INFO,
                        Map.of("service.log", Level.DEBUG, "io.undertow", Level.ERROR, "service.http", Level.TRACE)));
        assertThat(LogLevels.parse("service=error,debug"))
                .isEqualTo(new LogLevels(Level.DEBUG, Map.of("service", Level.ERROR)));
    }

    /** The lines of libraries below WARN can hold bodies and credentials. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "all",
                "info,warn",
                "service.log=",
                "=debug",
                "service..log=debug",
                "service.log=debug,service.log=info",
                "info,",
                "io.undertow=debug",
                "io.modelcontextprotocol=info",
                "services=debug"
            })
    void otherTextsAreRefused(String text) {
        assertThat(LogLevels.parse(text)).isNull();
    }
}
