package service.http.auth.token;

import service.core.error.StartRefusedException;

/**
 * The cluster that a trust file is for.
 *
 * @param canonicalRoot such as {@code file:///srv/brain}
 */
public record TrustBinding(String canonicalRoot, String clusterId, String clusterIncarnation) {
    static TrustBinding of(Members file) {
        return new TrustBinding(file.text("canonical_root"), file.id("cluster_id"), file.id("cluster_incarnation"));
    }

    /**
     * Refuses the start of a server unless this is the cluster that it serves.
     *
     * @param option the option that names the trust file
     * @throws StartRefusedException {@code trust_root_mismatch}
     */
    void requireServed(TrustBinding served, String option) {
        requireEqual("canonical_root", canonicalRoot, served.canonicalRoot, option);
        requireEqual("cluster_id", clusterId, served.clusterId, option);
        requireEqual("cluster_incarnation", clusterIncarnation, served.clusterIncarnation, option);
    }

    private static void requireEqual(String name, String given, String served, String option) {
        if (!given.equals(served)) {
            throw new StartRefusedException(
                    "trust_root_mismatch",
                    "the file of %s is for the %s `%s`, but this cluster has `%s`; have a file issued for this cluster"
                            .formatted(option, name, given, served));
        }
    }
}
