package service.cli.boot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import service.core.port.ConfigFiles;

/** The files of a cluster in a directory of this machine. Links are followed only within the directory. */
final class LocalConfigFiles implements ConfigFiles {
    private final Path directory;

    LocalConfigFiles(Path directory) {
        this.directory = directory.toAbsolutePath().normalize();
    }

    @Override
    public String name() {
        return String.valueOf(directory.getFileName());
    }

    @Override
    public Found find(String path) {
        Path resolved;
        try {
            if (!Files.isDirectory(directory)) {
                return unreadable("there is no directory " + directory);
            }
            resolved = directory.resolve(path).normalize();
            if (Path.of(path).isAbsolute() || !resolved.startsWith(directory)) {
                return outside(path);
            }
            if (Files.exists(resolved) && !resolved.toRealPath().startsWith(directory.toRealPath())) {
                return outside(path);
            }
        } catch (InvalidPathException e) {
            return unreadable("not a path: " + e.getReason());
        } catch (IOException e) {
            return outside(path);
        }
        String shown = directory.relativize(resolved).toString();
        try {
            return Files.isDirectory(resolved) ? folder(resolved, shown) : text(resolved, shown);
        } catch (CharacterCodingException e) {
            return unreadable(shown + " is not UTF-8");
        } catch (IOException e) {
            return unreadable("cannot read " + shown + ": " + e.getMessage());
        }
    }

    private Folder folder(Path folder, String shown) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<String> files = entries.map(
                            entry -> directory.relativize(entry).toString())
                    .sorted()
                    .toList();
            return new Folder(shown, files);
        }
    }

    private Found text(Path file, String shown) throws IOException {
        if (!Files.isRegularFile(file)) {
            return unreadable("there is no file " + shown + " in " + directory);
        }
        if (Files.size(file) > FILE_BYTES_MAX) {
            return new Unusable(Fault.TOO_LARGE, shown + " is larger than 1 MiB");
        }
        return new Text(
                shown,
                StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                        .toString());
    }

    private static Unusable outside(String path) {
        return new Unusable(
                Fault.OUTSIDE, "`" + path + "` leaves the cluster's directory; move what it names into that directory");
    }

    private static Unusable unreadable(String message) {
        return new Unusable(Fault.UNREADABLE, message);
    }
}
