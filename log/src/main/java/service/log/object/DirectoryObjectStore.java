package service.log.object;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import service.core.port.ObjectStore;
import service.core.value.Sha256;
import service.log.files.DurableFiles;
import service.log.lmdb.FileMask;

/**
 * Objects as files: the key is the path below the root. A file is written as {@code <name>.new} in the same directory,
 * synced, and then given its name, so that it appears whole. Its version is the SHA-256 digest of its bytes. A file
 * whose path is no key is no object; lists leave it out.
 *
 * <p>Writers of one root take turns: every write and delete holds the lock of the operating system on
 * {@code __cluster/lock.turn}, which the system releases when the process ends, and a lock of this process, because the
 * system's lock does not exclude threads of the same process. A process that is stopped in the middle of a write holds
 * up other writers until it continues or ends. Readers take no lock.
 */
public final class DirectoryObjectStore implements ObjectStore {
    /** Of new files and folders: other users have no part in a root, and the group only reads. */
    private static final FileAttribute<?>[] FILE = FileMask.file();

    private static final FileAttribute<?>[] FOLDER = FileMask.folder();

    /** Only ever locked; it has no content and is no object. */
    private static final String TURN = "__cluster/lock.turn";

    private static final String UNFINISHED = ".new";

    private static final int PIECE_BYTES = 64 << 10;

    private static final ReentrantLock THREADS = new ReentrantLock();

    private final Path root;

    /** @param root the directory; the first write creates it */
    public DirectoryObjectStore(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    @Override
    public String location() {
        try {
            Path real = Files.exists(root) ? root.toRealPath() : root;
            String uri = real.toUri().toString();
            return uri.endsWith("/") ? uri.substring(0, uri.length() - 1) : uri;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public @Nullable StoredObject get(String key) {
        Path file = file(key);
        try {
            byte[] bytes = read(file);
            return bytes == null ? null : new StoredObject(bytes, version(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // closed by the caller
    public @Nullable InputStream read(String key, long from) {
        Path file = file(key);
        FileChannel channel;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            channel.position(from);
            return Channels.newInputStream(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean putIfAbsent(String key, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        return create(key, content(bytes));
    }

    @Override
    public boolean putIfAbsent(String key, Content content) {
        ObjectStore.requireSize(key, content);
        return create(key, content);
    }

    private static Content content(byte[] bytes) {
        return new Content() {
            @Override
            public long length() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        };
    }

    private boolean create(String key, Content content) {
        Path file = file(key);
        return inTurn(() -> {
            if (Files.exists(file)) {
                return false;
            }
            Path unfinished = write(file, content);
            try {
                // A link, because a rename would replace a file that another program has created meanwhile.
                Files.createLink(file, unfinished);
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                Files.delete(unfinished);
            }
            DurableFiles.sync(parent(file));
            return true;
        });
    }

    @Override
    public boolean putIfMatch(String key, String version, byte[] bytes) {
        ObjectStore.requireSize(key, bytes);
        Path file = file(key);
        return inTurn(() -> {
            byte[] present = read(file);
            if (present == null || !version(present).equals(version)) {
                return false;
            }
            Files.move(
                    write(file, content(bytes)),
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            DurableFiles.sync(parent(file));
            return true;
        });
    }

    @Override
    public void delete(String key) {
        Path file = file(key);
        if (!Files.exists(file)) {
            return;
        }
        inTurn(() -> {
            boolean deleted = Files.deleteIfExists(file);
            if (deleted) {
                DurableFiles.sync(parent(file));
            }
            return deleted;
        });
    }

    @Override
    public void deleteAll(List<String> keys) {
        ObjectStore.requireKeys(keys);
        List<Path> present = keys.stream().map(this::file).filter(Files::exists).toList();
        if (present.isEmpty()) {
            return;
        }
        inTurn(() -> {
            Set<Path> folders = new LinkedHashSet<>();
            for (Path file : present) {
                Files.deleteIfExists(file);
                folders.add(parent(file));
            }
            for (Path folder : folders) {
                DurableFiles.sync(folder);
            }
            return true;
        });
    }

    @Override
    public List<String> list(String prefix, String after, int keysMax) {
        ObjectStore.requireList(prefix, keysMax);
        int end = prefix.lastIndexOf('/');
        Path folder = end < 0 ? root : root.resolve(prefix.substring(0, end));
        SortedSet<String> keys = new TreeSet<>();
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    String key = root.relativize(file).toString().replace('\\', '/');
                    boolean object = attributes.isRegularFile() && ObjectStore.isKey(key) && !key.equals(TURN);
                    if (object && key.startsWith(prefix) && key.compareTo(after) > 0) {
                        keys.add(key);
                        if (keys.size() > keysMax) {
                            keys.removeLast();
                        }
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    if (failure instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE; // Deleted since its folder was read.
                    }
                    throw failure;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(keys);
    }

    /** A step that may fail with the errors of the file system. */
    private interface Step {
        boolean run() throws IOException;
    }

    private boolean inTurn(Step step) {
        Path turn = root.resolve(TURN);
        THREADS.lock();
        try {
            createFolder(parent(turn));
            try (FileChannel channel =
                            FileChannel.open(turn, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), FILE);
                    FileLock lock = channel.lock()) {
                return lock.isValid() && step.run();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            THREADS.unlock();
        }
    }

    private static Path write(Path file, Content content) throws IOException {
        createFolder(parent(file));
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        try (InputStream bytes = content.open();
                FileChannel channel = FileChannel.open(
                        unfinished,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        FILE)) {
            ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
            long written = 0;
            for (int count = bytes.read(piece.array()); count >= 0; count = bytes.read(piece.array())) {
                piece.position(0).limit(count);
                while (piece.hasRemaining()) {
                    written += channel.write(piece);
                }
            }
            if (written != content.length()) {
                throw new EOFException(file + ": " + written + " bytes of " + content.length());
            }
            channel.force(true);
        }
        return unfinished;
    }

    /** Creates a folder and its missing parents, each durable. */
    private static void createFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path above = parent(folder);
        createFolder(above);
        try {
            Files.createDirectory(folder, FOLDER);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        DurableFiles.sync(above);
    }

    private static byte @Nullable [] read(Path file) throws IOException {
        try {
            if (Files.size(file) > OBJECT_BYTES_MAX) {
                throw new IOException(file + " is larger than " + OBJECT_BYTES_MAX + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return null;
        }
    }

    private Path file(String key) {
        ObjectStore.requireKey(key);
        return root.resolve(key);
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalStateException(file + " has no parent");
        }
        return parent;
    }

    private static String version(byte[] bytes) {
        return Sha256.hex(bytes);
    }
}
