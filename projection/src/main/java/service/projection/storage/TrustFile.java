package service.projection.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import service.log.format.EventLog;
import service.log.lmdb.StorageFailure;

/**
 * Whether the projection's environment may be opened at all. It is written without fsync: what a dead process left
 * behind is whole, what a dead machine left behind may be anything, and LMDB would follow a damaged page anywhere. So
 * the mark stands in a file of its own, which is synced:
 *
 * <pre>
 *  filling &lt;boot id&gt; &lt;graph id&gt;    before a replay: the tables lag behind the log
 *  open    &lt;boot id&gt; &lt;graph id&gt;    before the first commit: they have applied the whole log
 *  clean   &lt;boot id&gt; &lt;graph id&gt;    after everything was synced and closed
 * </pre>
 *
 * <p>Without a mark the tables are being replaced, or have to be.
 */
final class TrustFile {
    static final String NAME = "projection.trust";
    private static final String FILLING = "filling";
    private static final String OPEN = "open";
    private static final String CLEAN = "clean";

    private final Path file;
    private final String boot;
    private final String graph;

    TrustFile(Path graphDirectory, String boot, String graph) {
        this.file = graphDirectory.resolve(NAME);
        this.boot = boot.isEmpty() ? "-" : boot;
        this.graph = graph;
    }

    static TrustFile of(EventLog log, StorageOptions options) {
        return new TrustFile(log.directory(), options.boot().get(), log.graph().toString());
    }

    /** Whether a writer may go on with the tables: closed cleanly, or left by a process that died since this boot. */
    boolean isUsable() {
        String state = state();
        return state.equals(CLEAN) || state.equals(OPEN) || state.equals(FILLING);
    }

    /** Whether the tables may be read: usable, and not in the middle of a replay. */
    boolean isComplete() {
        String state = state();
        return state.equals(CLEAN) || state.equals(OPEN);
    }

    /** The state that counts at this boot and for this graph, else an empty string. */
    private String state() {
        try {
            List<String> words = List.of(Files.readString(file).strip().split(" ", -1));
            if (words.size() != 3 || !words.get(2).equals(graph)) {
                return "";
            }
            boolean sameBoot = words.get(1).equals(boot) && !boot.equals("-");
            return words.get(0).equals(CLEAN) || sameBoot ? words.get(0) : "";
        } catch (IOException e) {
            return "";
        }
    }

    void markFilling() {
        write(FILLING);
    }

    void markOpen() {
        write(OPEN);
    }

    void markClean() {
        write(CLEAN);
    }

    /** Withdraws the mark: the tables are not to be opened, whatever is in them. */
    void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageFailure(StorageFailure.Kind.IO, file + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }

    private void write(String state) {
        Path fresh = file.resolveSibling(NAME + ".new");
        try {
            Files.writeString(fresh, state + " " + boot + " " + graph + "\n", StandardCharsets.UTF_8);
            sync(fresh);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            Path directory = file.getParent();
            if (directory != null) {
                sync(directory);
            }
        } catch (IOException e) {
            throw new StorageFailure(StorageFailure.Kind.IO, file + ": cannot be written (" + e.getMessage() + ")", e);
        }
    }

    /** Makes a file, or the names in a directory, durable. */
    static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
