package service.log.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import service.log.files.DurableFiles;

/**
 * Says whether a copy of a log may be opened. The copy is not synced: after the death of its process it is complete,
 * after a failure of the machine any page may be damaged. The mark is the file {@code cache.mark} in its directory:
 *
 * <pre>
 * open  &lt;boot id&gt; &lt;URI&gt;     before the first write
 * clean &lt;boot id&gt; &lt;URI&gt;     after everything was synced and closed
 * </pre>
 *
 * One thread.
 */
final class CacheMark {
    private static final String OPEN = "open";
    private static final String CLEAN = "clean";

    private final Path file;
    private final String boot;
    private final String uri;

    CacheMark(Path directory, String boot, String uri) {
        this.file = directory.resolve("cache.mark");
        this.boot = boot.isEmpty() ? "-" : boot;
        this.uri = uri;
    }

    /** Whether the copy is of this URI, and was closed cleanly or belongs to this boot. */
    boolean isUsable() {
        String[] words;
        try {
            words = Files.readString(file).strip().split(" ", 3);
        } catch (IOException e) {
            return false;
        }
        boolean sameBoot = words.length == 3 && words[1].equals(boot) && !boot.equals("-");
        return words.length == 3 && words[2].equals(uri) && (words[0].equals(CLEAN) || sameBoot);
    }

    void open() {
        write(OPEN);
    }

    void clean() {
        write(CLEAN);
    }

    void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(String state) {
        try {
            DurableFiles.replace(file, state + " " + boot + " " + uri + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
