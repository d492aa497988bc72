package service.core.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import service.core.port.ConfigFiles;

/** The files of a directory, without the checks of links and sizes. */
record TextFiles(Path directory) implements ConfigFiles {
    @Override
    public String name() {
        return directory.getFileName().toString();
    }

    @Override
    public Found find(String path) {
        Path file = directory.resolve(path).normalize();
        String shown = directory.relativize(file).toString();
        try {
            if (Files.isDirectory(file)) {
                try (var entries = Files.list(file)) {
                    List<String> files = entries.map(
                                    entry -> directory.relativize(entry).toString())
                            .sorted()
                            .toList();
                    return new Folder(shown, files);
                }
            }
            return new Text(shown, Files.readString(file));
        } catch (IOException e) {
            return new Unusable(Fault.UNREADABLE, "there is no file " + shown);
        }
    }
}
