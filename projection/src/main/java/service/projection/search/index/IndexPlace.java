package service.projection.search.index;

import java.nio.file.Path;
import service.core.value.Ulid;

/**
 * What an index is of.
 *
 * @param files the directory of the graph
 * @param incarnation of the branch; 0 is {@code main}
 */
record IndexPlace(Path files, Ulid graph, int incarnation) {
    /** What is kept of the incarnation. */
    Path folder() {
        return files.resolve(SearchOptions.DIRECTORY).resolve(Integer.toString(incarnation));
    }

    /** The directory of Lucene. */
    Path directory() {
        return folder().resolve("text");
    }

    boolean isOfMain() {
        return incarnation == 0;
    }
}
