package service.core.cluster;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import service.core.error.ServiceException;
import service.core.port.ObjectStore.StoredObject;

/** The approvals of a root that no apply has used yet, seen from one desired state and one ledger. */
final class Approvals {
    private final List<Approval> open = new ArrayList<>();
    private final String configDigest;
    private final long revision;

    private Approvals(String configDigest, long revision) {
        this.configDigest = configDigest;
        this.revision = revision;
    }

    /**
     * Reads the artifacts. One that cannot be read approves nothing.
     *
     * @param used ids of the approvals that an apply has used
     */
    static Approvals read(ClusterRoot root, Set<String> used, String configDigest, long revision) {
        Approvals approvals = new Approvals(configDigest, revision);
        for (String key : root.approvals()) {
            StoredObject found = root.store().get(key);
            Approval approval = found == null ? null : parse(found);
            if (approval != null && !used.contains(approval.id())) {
                approvals.open.add(approval);
            }
        }
        return approvals;
    }

    private static @Nullable Approval parse(StoredObject found) {
        try {
            return Approval.parse(found.bytes());
        } catch (ServiceException e) {
            return null;
        }
    }

    /** The approval of this change; null when there is none or it is stale. */
    @Nullable
    Approval valid(String resource) {
        return open.stream()
                .filter(each -> each.resource().equals(resource)
                        && each.configDigest().equals(configDigest)
                        && each.ledgerRevision() == revision)
                .findFirst()
                .orElse(null);
    }

    /** Why the newest approval of a resource is not good for this change; null when there is none. */
    @Nullable
    String stale(String resource) {
        List<Approval> all =
                open.stream().filter(each -> each.resource().equals(resource)).toList();
        if (all.isEmpty()) {
            return null;
        }
        Approval newest = all.getLast();
        return "the approval of " + newest.words() + " is stale: "
                + (newest.ledgerRevision() == revision
                        ? "the files have changed since"
                        : "the ledger has moved from revision %d to %d since"
                                .formatted(newest.ledgerRevision(), revision));
    }

    static void write(ClusterRoot root, Approval approval) {
        root.putApproval(approval.id(), (approval.json() + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
