package service.cli.table;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import service.core.port.ObjectStore;
import service.core.port.ObjectStoreException;
import service.log.files.FileTrees;
import service.log.object.Backoff;

/**
 * The new folder of an export: a directory, or a prefix of a bucket. A file is written into a draft of this machine and
 * then kept; the order in which files are kept is that in which they appear. One thread.
 */
public abstract sealed class ExportPlace implements Closeable {
    private static final int BLOCK_BYTES = 1 << 16;

    private final List<String> kept = new ArrayList<>();
    final Path drafts;
    private boolean isWhole;
    private boolean hasRemains;

    private ExportPlace(Path drafts) {
        this.drafts = drafts;
    }

    /** A directory that does not exist, or is empty. */
    public static ExportPlace directory(Path folder) throws IOException {
        if (Files.exists(folder)) {
            boolean empty = Files.isDirectory(folder);
            if (empty) {
                try (Stream<Path> entries = Files.list(folder)) {
                    empty = entries.findAny().isEmpty();
                }
            }
            if (!empty) {
                throw taken(folder.toString());
            }
        }
        List<Path> made = new ArrayList<>();
        for (Path each = folder.toAbsolutePath(); each != null && !Files.exists(each); each = each.getParent()) {
            made.add(each);
        }
        return new InDirectory(Files.createDirectories(folder), made);
    }

    /**
     * A prefix of a bucket that has no objects. Drafts are in the directory for temporary files of this machine, each
     * until it is kept.
     *
     * @param objects of the prefix; repeats what cannot harm
     */
    public static ExportPlace bucket(ObjectStore objects) throws IOException {
        if (!objects.list("", "", 1).isEmpty()) {
            throw taken(objects.location());
        }
        return new InBucket(objects, Files.createTempDirectory("service-export"));
    }

    private static TableFault taken(String place) {
        return new TableFault(place + " exists already; name a new folder, or an empty one");
    }

    /** The folder as it is named to people. */
    public abstract String shown();

    /** Where to write a file of this path, which has slashes. */
    final Path draft(String path) throws IOException {
        Path draft = drafts.resolve(path);
        Files.createDirectories(draft.getParent());
        return draft;
    }

    /** Makes a written draft a file of the folder. */
    final void keep(String path) throws IOException {
        // Before it is there: a write may fail and leave the file nevertheless.
        kept.add(path);
        if (!keep(path, drafts.resolve(path))) {
            kept.remove(path);
            throw new FileAlreadyExistsException(shown() + "/" + path, null, "another process writes there, too");
        }
    }

    /** Returns false where there is such a file of another process. */
    abstract boolean keep(String path, Path draft) throws IOException;

    /** Writes a whole file. */
    public final void write(String path, String text) throws IOException {
        Files.writeString(draft(path), text, StandardCharsets.UTF_8);
        keep(path);
    }

    /** Writes the last file. From then on the folder is whole and stays. */
    public final void finish(String path, String text) throws IOException {
        write(path, text);
        isWhole = true;
    }

    /** Takes away what is not whole; what cannot be taken away stays, without its last file. */
    @Override
    public final void close() throws IOException {
        if (!isWhole) {
            try {
                discard(kept);
            } catch (IOException | UncheckedIOException e) {
                // The failure that led here is the one to report.
                hasRemains = true;
            }
        }
        deleteDrafts();
    }

    /** Whether the closed place may have files although it is not whole. */
    public final boolean hasRemains() {
        return hasRemains;
    }

    abstract void discard(List<String> paths) throws IOException;

    abstract void deleteDrafts() throws IOException;

    private static final class InDirectory extends ExportPlace {
        /** The folder and those above it that there were not, from below. */
        private final List<Path> made;

        private InDirectory(Path folder, List<Path> made) {
            super(folder);
            this.made = made;
        }

        @Override
        public String shown() {
            return drafts.toString();
        }

        @Override
        boolean keep(String path, Path draft) {
            // The draft is the file.
            return true;
        }

        @Override
        void discard(List<String> paths) throws IOException {
            // It was empty, and all that it has now is of this export.
            try (Stream<Path> entries = Files.list(drafts)) {
                for (Path entry : entries.toList()) {
                    FileTrees.delete(entry);
                }
            }
            for (Path folder : made) {
                Files.delete(folder);
            }
        }

        @Override
        void deleteDrafts() {
            // They are the files.
        }
    }

    private static final class InBucket extends ExportPlace {
        private final ObjectStore objects;

        private InBucket(ObjectStore objects, Path drafts) {
            super(drafts);
            this.objects = objects;
        }

        @Override
        public String shown() {
            return objects.location();
        }

        @Override
        boolean keep(String path, Path draft) throws IOException {
            Draft content = new Draft(draft, Files.size(draft));
            Backoff backoff = new Backoff(ThreadLocalRandom.current());
            boolean unknown = false;
            for (int attempt = 1; ; attempt++) {
                try {
                    boolean created = objects.putIfAbsent(path, content) || (unknown && isStored(path, content));
                    Files.delete(draft);
                    return created;
                } catch (ObjectStoreException e) {
                    backoff.pauseOrThrow(e, attempt);
                    unknown = true;
                }
            }
        }

        /** Whether a write whose answer was lost has created the object. */
        private boolean isStored(String path, Draft content) throws IOException {
            try (InputStream stored = objects.read(path, 0);
                    InputStream own = content.open()) {
                boolean same = stored != null;
                for (byte[] block = {0}; same && block.length > 0; ) {
                    block = own.readNBytes(BLOCK_BYTES);
                    same = Arrays.equals(block, Objects.requireNonNull(stored).readNBytes(BLOCK_BYTES));
                }
                return same;
            }
        }

        @Override
        void discard(List<String> paths) {
            for (int from = 0; from < paths.size(); from += ObjectStore.DELETE_KEYS_MAX) {
                objects.deleteAll(paths.subList(from, Math.min(paths.size(), from + ObjectStore.DELETE_KEYS_MAX)));
            }
        }

        @Override
        void deleteDrafts() throws IOException {
            FileTrees.delete(drafts);
        }
    }

    private record Draft(Path path, long length) implements ObjectStore.Content {
        @Override
        public InputStream open() throws IOException {
            return Files.newInputStream(path);
        }
    }
}
