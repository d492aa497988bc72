package service.log.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes directories with everything in them. Any thread. */
public final class FileTrees {
    private static final Logger LOG = LoggerFactory.getLogger(FileTrees.class);

    private FileTrees() {}

    /** Deletes a file, or a directory with its content; does nothing when there is none. */
    public static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> files = Files.walk(root)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : all) {
            Files.delete(file);
        }
    }

    /** The same for what is not needed any more: a failure is logged. */
    public static void deleteOrWarn(Path root) {
        try {
            delete(root);
        } catch (IOException e) {
            LOG.warn("{}: cannot be removed", root, e);
        }
    }
}
