package service.core.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives each wait of Awaitility a minute instead of ten seconds, because a machine that builds other things may stop a
 * process for that long. A wait that is met ends at once. JUnit finds it by its file in {@code META-INF/services}.
 */
public final class PatienceExtension implements BeforeAllCallback {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
    }
}
