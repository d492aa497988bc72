package service.log.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DurableFilesTest {
    @TempDir
    private Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.map(path -> path.getFileName().toString()).toList();
        }
    }

    @Test
    void replacesAFileWhateverAnInterruptedReplacementHasLeft() throws IOException {
        Path file = folder.resolve("mark");
        DurableFiles.replace(file, "first, which is longer");
        Files.writeString(folder.resolve("mark.new"), "a part of what was never moved");
        DurableFiles.replace(file, "second");
        assertThat(file).hasContent("second");
        assertThat(names()).containsExactly("mark");
    }

    @Test
    void aMoveReplacesAFileButNoDirectoryWithContent() throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh"), "fresh");
        DurableFiles.move(fresh, Files.writeString(folder.resolve("old"), "old"));
        assertThat(folder.resolve("old")).hasContent("fresh");
        Path graph = Files.createDirectories(folder.resolve("graph"));
        Files.writeString(graph.resolve("data"), "data");
        Path draft = Files.createDirectory(folder.resolve("draft"));
        assertThatThrownBy(() -> DurableFiles.move(draft, graph)).isInstanceOf(FileSystemException.class);
        assertThat(graph.resolve("data")).hasContent("data");
    }

    @Test
    void deletesATreeOrNothing() throws IOException {
        Files.createDirectories(folder.resolve("tree/a/b"));
        Files.writeString(folder.resolve("tree/a/file"), "x");
        Files.writeString(folder.resolve("kept"), "x");
        FileTrees.delete(folder.resolve("tree"));
        FileTrees.delete(folder.resolve("tree"));
        FileTrees.deleteOrWarn(folder.resolve("tree"));
        assertThat(names()).containsExactly("kept");
    }
}
