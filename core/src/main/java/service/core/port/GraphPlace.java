package service.core.port;

import java.nio.file.Path;

/** Where a graph is stored. Its text is what messages show. */
public sealed interface GraphPlace {
    /** What messages call the place. */
    String noun();

    /** A directory of this machine, in a cluster or outside of one. */
    record InDirectory(Path path) implements GraphPlace {
        @Override
        public String noun() {
            return "directory";
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** The objects below {@code graphs/<id>/} of a root in a bucket. */
    record InBucket(RootAddress.Bucket root, String graphId) implements GraphPlace {
        @Override
        public String noun() {
            return "prefix";
        }

        @Override
        public String toString() {
            return root.uri() + "/graphs/" + graphId;
        }
    }
}
