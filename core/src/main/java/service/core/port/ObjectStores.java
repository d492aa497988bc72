package service.core.port;

import java.nio.file.Path;

/** Opens the store of a cluster's root. The composition root implements it. Any thread. */
@FunctionalInterface
public interface ObjectStores {
    /**
     * The objects of a root, which need not exist.
     *
     * @param root a directory; a root in a bucket will be named by its URI
     */
    ObjectStore open(Path root);
}
