package service.core.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.PollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives each wait of Awaitility a minute instead of ten seconds, because a machine that builds other things may stop a
 * process for that long. A wait looks at once, then every other millisecond and ever more seldom, so that it ends soon
 * after it is met and a long one costs little. JUnit finds the extension by its file in {@code META-INF/services}.
 */
public final class PatienceExtension implements BeforeAllCallback {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration SHORTEST = Duration.ofMillis(2);
    private static final Duration LONGEST = Duration.ofMillis(100);
    private static final PollInterval GROWING = (polls, last) -> {
        Duration next = polls == 1 ? SHORTEST : last.multipliedBy(3).dividedBy(2);
        return next.compareTo(LONGEST) > 0 ? LONGEST : next;
    };

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(GROWING);
    }
}
