package service.core.cluster;

/**
 * What distinguishes a cluster from every other one.
 *
 * @param clusterId ULID, minted by the first apply
 * @param incarnation ULID, minted with it; different after a root was created again
 * @param canonicalRoot URI of the root without a trailing slash
 */
public record ClusterIdentity(String clusterId, String incarnation, String canonicalRoot) {}
