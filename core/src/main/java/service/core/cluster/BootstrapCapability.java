package service.core.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.json.Json;

/**
 * The permission to install the first policy on a root that was never initialised. It is good for one desired state and
 * one root.
 *
 * @param json the file's content
 */
public record BootstrapCapability(ObjectNode json) {
    private static final int VERSION = 1;
    private static final String KIND = "bootstrap_capability";

    static BootstrapCapability of(String id, ClusterRoot root, DesiredState desired) {
        return new BootstrapCapability(Json.object()
                .put("version", VERSION)
                .put("kind", KIND)
                .put("capability_id", id)
                .put("canonical_root", root.canonical())
                .put("config_digest", desired.configDigest())
                .put("created_at", Stamps.now()));
    }

    /**
     * Reads a file.
     *
     * @throws ServiceException BAD_REQUEST when it is no capability
     */
    public static BootstrapCapability parse(byte[] bytes) {
        ObjectNode json = Json.readObject(bytes, "the bootstrap capability");
        if (json.path("version").asInt() != VERSION
                || !json.path("kind").asText().equals(KIND)) {
            throw ServiceException.badRequest("the file is no bootstrap capability of this build; make one with"
                    + " `service cluster bootstrap-capability --out FILE`");
        }
        return new BootstrapCapability(json);
    }

    /**
     * Checks what an apply or {@code bootstrap-capability} would initialise.
     *
     * @throws ServiceException CONFLICT when the root is initialised, BAD_REQUEST when no policy is declared
     */
    static void requireFirst(ClusterRoot root, RootState state, DesiredState desired) {
        if (state.ledger() != null) {
            throw ServiceException.conflict(
                    "%s is initialised already; a bootstrap capability is for the first apply of a root. Apply without --bootstrap"
                            .formatted(root.canonical()));
        }
        if (desired.resources().values().stream().noneMatch(each -> each.kind() == Resource.Kind.POLICY)) {
            throw ServiceException.badRequest(
                    "the files declare no policy to install; add one under `policies`, or apply without --bootstrap");
        }
    }

    /**
     * Checks that this capability is for this state.
     *
     * @throws ServiceException PRECONDITION_FAILED when it is for another one
     */
    void requireFor(ClusterRoot root, DesiredState desired) {
        boolean rootFits = json.path("canonical_root").asText().equals(root.canonical());
        if (!rootFits || !json.path("config_digest").asText().equals(desired.configDigest())) {
            throw new ServiceException(
                    ErrorCode.PRECONDITION_FAILED,
                    "the bootstrap capability is for another %s; make a new one with `service cluster bootstrap-capability --out FILE`"
                            .formatted(rootFits ? "state of the files" : "root"));
        }
    }
}
