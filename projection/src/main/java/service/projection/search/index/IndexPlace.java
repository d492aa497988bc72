package service.projection.search.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import service.core.value.Ulid;

/**
 * What an index is of.
 *
 * @param files the directory of the graph
 * @param incarnation of the branch; 0 is {@code main}
 * @param isOfVectors or of texts
 */
record IndexPlace(Path files, Ulid graph, int incarnation, boolean isOfVectors) {
    static IndexPlace ofTexts(Path files, Ulid graph, int incarnation) {
        return new IndexPlace(files, graph, incarnation, false);
    }

    /** Those of {@code main}. */
    static IndexPlace ofVectors(Path files, Ulid graph) {
        return new IndexPlace(files, graph, 0, true);
    }

    /** What is kept of the incarnation. */
    Path folder() {
        return files.resolve(SearchOptions.DIRECTORY).resolve(Integer.toString(incarnation));
    }

    /** The directory of Lucene. */
    Path directory() {
        return folder().resolve(isOfVectors ? "vectors" : "text");
    }

    boolean isOfMain() {
        return incarnation == 0;
    }

    /** Bytes that the file system of the directory, which may not be there yet, has free. */
    long freeBytes() throws IOException {
        Path folder = directory().toAbsolutePath();
        while (!Files.exists(folder) && folder.getParent() != null) {
            folder = folder.getParent();
        }
        return Files.getFileStore(folder).getUsableSpace();
    }
}
