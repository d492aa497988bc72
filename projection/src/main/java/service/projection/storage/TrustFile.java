package service.projection.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import service.log.files.DurableFiles;
import service.log.format.EventLog;
import service.log.lmdb.CommitHook;
import service.log.lmdb.StorageFailure;

/**
 * Records whether the environment of the tables may be opened. The tables are written without fsync. After a process
 * has died the file is complete, but after a power failure any page may be damaged, and LMDB does not check its pages.
 * So the mark is in a separate file, which is synced:
 *
 * <pre>
 *  filling &lt;boot id&gt; &lt;graph id&gt;    before a replay: the tables have not applied the whole log
 *  open    &lt;boot id&gt; &lt;graph id&gt;    before the first commit: they have applied the whole log ({@link #onCommit})
 *  clean   &lt;boot id&gt; &lt;graph id&gt;    after everything was synced and closed
 * </pre>
 *
 * <p>Clean tables stay so until something is committed to them: an opening that only reads needs no fsync, nor does the
 * closing after it. Without a mark, the tables are being replaced or must be replaced.
 *
 * <p>Thread rule: one thread at a time.
 */
final class TrustFile {
    static final String NAME = "projection.trust";
    private static final String FILLING = "filling";
    private static final String OPEN = "open";
    private static final String CLEAN = "clean";

    private final Path file;
    private final String boot;
    private final String graph;

    /** Whether this opening has found clean tables and nothing was committed to them since. */
    private volatile boolean clean;

    TrustFile(Path graphDirectory, String boot, String graph) {
        this.file = graphDirectory.resolve(NAME);
        this.boot = boot.isEmpty() ? "-" : boot;
        this.graph = graph;
    }

    static TrustFile of(EventLog log, StorageOptions options) {
        return new TrustFile(
                log.directory(), options.machine().boot().get(), log.graph().toString());
    }

    /**
     * Whether a writer may use the tables: they were closed cleanly, or their process died and the machine has not
     * rebooted since.
     */
    boolean isUsable() {
        String state = state();
        return state.equals(CLEAN) || state.equals(OPEN) || state.equals(FILLING);
    }

    /** Whether the tables may be read: usable, and not in a replay. */
    boolean isComplete() {
        String state = state();
        return state.equals(CLEAN) || state.equals(OPEN);
    }

    /** The state, if it was written for this graph and, unless it is clean, at this boot; else an empty string. */
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
        clean = false;
        write(FILLING);
    }

    void markOpen() {
        clean = false;
        write(OPEN);
    }

    /** Says that complete tables are open for writing. Clean ones are marked before the first commit. */
    void opened() {
        if (state().equals(CLEAN)) {
            clean = true;
        } else {
            markOpen();
        }
    }

    /** Whether the tables are as they were when they were marked clean. */
    boolean isUntouched() {
        return clean;
    }

    /** Marks the tables before the first commit to them. */
    CommitHook onCommit(CommitHook next) {
        return new CommitHook() {
            @Override
            public void beforeCommit(Path directory) {
                if (clean) {
                    markOpen();
                }
                next.beforeCommit(directory);
            }

            @Override
            public void afterCommit(Path directory) {
                next.afterCommit(directory);
            }
        };
    }

    void markClean() {
        write(CLEAN);
    }

    /** Removes the mark, so that the tables are not opened. */
    void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new StorageFailure(StorageFailure.Kind.IO, file + ": cannot be removed (" + e.getMessage() + ")", e);
        }
    }

    private void write(String state) {
        Path fresh = file.resolveSibling(NAME + ".new");
        String line = state + " " + boot + " " + graph + "\n";
        try {
            try {
                DurableFiles.write(fresh, line.getBytes(StandardCharsets.UTF_8));
            } catch (IOException full) {
                Files.deleteIfExists(fresh);
                overwrite(line, full);
                return;
            }
            DurableFiles.move(fresh, file);
        } catch (IOException e) {
            throw new StorageFailure(StorageFailure.Kind.IO, file + ": cannot be written (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Writes into the blocks that the file has, because a full disk gives no other. A line that is torn by a power
     * failure is no mark, so that the tables are made again.
     */
    private void overwrite(String line, IOException cause) throws IOException {
        if (!Files.exists(file)) {
            throw cause;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
            channel.write(ByteBuffer.wrap(bytes), 0);
            channel.truncate(bytes.length);
            channel.force(true);
        }
    }
}
