package service.core.cluster;

import java.util.function.Consumer;

/**
 * The holder of a verified credential, as whom a plan or an apply runs. The applied policies decide what it may do.
 *
 * @param actor {@code principal:<id>}, recorded as the author
 * @param issuedFor refuses a cluster that the credential was not issued for
 */
public record Principal(String actor, Consumer<ClusterIdentity> issuedFor) {}
