package service.core.port;

/** Opens the store of a cluster's root. The composition root implements it. Any thread. */
@FunctionalInterface
public interface ObjectStores {
    /**
     * The objects of a root, which need not exist. Sends no request.
     *
     * @throws ObjectStoreException when the configuration of this process lacks what the store needs
     */
    ObjectStore open(RootAddress root);
}
