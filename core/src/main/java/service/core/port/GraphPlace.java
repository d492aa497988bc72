package service.core.port;

import java.nio.file.Path;

/** Where a graph is stored. Its text is what messages show. */
public sealed interface GraphPlace {
    /** What is missing, as messages say it, when there is no graph at the place. */
    String whatIsMissing();

    /** A directory of this machine, in a cluster or outside of one. */
    record InDirectory(Path path) implements GraphPlace {
        @Override
        public String whatIsMissing() {
            return "its directory " + path;
        }

        @Override
        public String toString() {
            return path.toString();
        }
    }

    /** The objects below {@code graphs/<id>/} of a root in a bucket. */
    record InBucket(RootAddress.Bucket root, String graphId) implements GraphPlace {
        /** The first segment says that there is a graph. */
        @Override
        public String whatIsMissing() {
            return "its first segment " + this + "/log/00000000000000000000.seg";
        }

        @Override
        public String toString() {
            return root.uri() + "/graphs/" + graphId;
        }
    }
}
