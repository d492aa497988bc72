package service.http.auth.token;

import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.StartRefusedException;

/**
 * The trust file of OIDC resource identities, read at start and then every five seconds.
 *
 * <p>Invariant: {@link #current} is always a snapshot that was valid when it was read; an invalid file never replaces
 * it. A snapshot serves until its own {@code expires_at}, which every request checks, so a publisher that stops cannot
 * extend an admission. Only the refreshing thread writes; any thread reads.
 */
public final class ResourceTrustFile {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceTrustFile.class);

    private final String path;
    private final InstantSource clock;
    private volatile ResourceTrust current;
    private @Nullable String lastRefusal;

    private ResourceTrustFile(String path, InstantSource clock, ResourceTrust first) {
        this.path = path;
        this.clock = clock;
        this.current = first;
    }

    /**
     * Reads and checks the file.
     *
     * @param option the option that names the file
     * @throws StartRefusedException {@code trust_invalid}
     */
    static ResourceTrustFile read(String path, String option, InstantSource clock) {
        try {
            ResourceTrust first = ResourceTrust.parse(TrustFiles.read(path, ResourceTrust.BYTES_MAX), clock.millis());
            return new ResourceTrustFile(path, clock, first);
        } catch (TrustFileException e) {
            throw new StartRefusedException(
                    "trust_invalid",
                    "the file of %s, `%s`, is refused: %s; have the publisher write it again"
                            .formatted(option, path, e.getMessage()));
        }
    }

    /**
     * Refuses the content of a file that a server would refuse at its start.
     *
     * @throws TrustFileException naming the rule that it breaks
     */
    public static void check(byte[] json, InstantSource clock) {
        ResourceTrust.parse(json, clock.millis());
    }

    /** The snapshot that requests are checked against; it may have expired. */
    ResourceTrust current() {
        return current;
    }

    /** Takes the present content of the file, or logs why it is invalid and keeps the current snapshot. */
    void refresh() {
        try {
            ResourceTrust next = ResourceTrust.parse(TrustFiles.read(path, ResourceTrust.BYTES_MAX), clock.millis());
            if (next.digest().equals(current.digest())) {
                lastRefusal = null;
                return;
            }
            requireSuccessor(next);
            current = next;
            lastRefusal = null;
            LOG.atInfo().addKeyValue("revision", next.revision()).log("the OIDC trust file was refreshed");
        } catch (TrustFileException e) {
            refused(e.getMessage());
        } catch (RuntimeException e) {
            // A task that throws is never run again, and the refreshing would end.
            refused("reading it failed with " + e.getClass().getSimpleName());
        }
    }

    private void requireSuccessor(ResourceTrust next) {
        if (!next.binding().equals(current.binding())) {
            throw new TrustFileException(
                    "another issuer, resource, scopes, client, organization, account, cluster or root than before;"
                            + " these change with a restart only");
        }
        if (next.revision() < current.revision()) {
            throw new TrustFileException("`revision` is lower than before");
        }
        if (next.revision() == current.revision()) {
            throw new TrustFileException("`revision` is the same as before, but the file is another one");
        }
    }

    /** Logs a refusal once, not every five seconds. */
    private void refused(String reason) {
        if (!reason.equals(lastRefusal)) {
            lastRefusal = reason;
            LOG.atWarn()
                    .addKeyValue("reason", reason)
                    .log("the OIDC trust file is invalid; the last valid one serves until it expires");
        }
    }
}
