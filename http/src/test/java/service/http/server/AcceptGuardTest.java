package service.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A listener accepts while there are file descriptors, and again at the first look after there are some. */
final class AcceptGuardTest {
    private final List<String> calls = new ArrayList<>();
    private boolean free = true;

    private final AcceptGuard guard =
            new AcceptGuard(() -> calls.add("suspend"), () -> calls.add("resume"), () -> free);

    private List<String> lookWhile(boolean there) {
        free = there;
        calls.clear();
        guard.run();
        return List.copyOf(calls);
    }

    @Test
    void acceptsWhileThereAreDescriptors() {
        assertThat(lookWhile(true)).isEmpty();
        assertThat(lookWhile(false)).containsExactly("suspend");
        assertThat(lookWhile(false)).isEmpty();
        assertThat(lookWhile(true)).containsExactly("resume");
        assertThat(lookWhile(true)).isEmpty();
        assertThat(lookWhile(false)).containsExactly("suspend");
    }

    @Test
    void doesNotAcceptAgainAfterItsEnd() {
        assertThat(lookWhile(false)).containsExactly("suspend");
        guard.stop();
        assertThat(lookWhile(true)).isEmpty();
    }
}
