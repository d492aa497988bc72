package service.core.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives each wait of Awaitility a minute instead of ten seconds, because a machine that builds other things may stop a
 * process for that long. A wait that is met ends at once: the condition is checked without a delay, then after 1, 2, 4
 * … ms, at last each 100 ms. JUnit finds it by its file in {@code META-INF/services}.
 */
public final class PatienceExtension implements BeforeAllCallback {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
        Awaitility.setDefaultPollInterval(new IterativePollInterval(
                last -> last.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? last.multipliedBy(2) : LONGEST_PAUSE,
                Duration.ofMillis(1)));
    }
}
