package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the bytes of an answer go. */
final class FileOption {
    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "A file, which appears when it is whole (default: standard output).")
    private @Nullable String file;

    @Mixin
    private ForceOption force = new ForceOption();

    /** What was named, a file or something else that the command takes; null for standard output. */
    @Nullable
    String text() {
        return file;
    }

    /** The file that was named; null for standard output. */
    @Nullable
    Path path() {
        return file == null ? null : Path.of(file);
    }

    /**
     * Copies the bytes to standard output or into the file.
     *
     * @param verb names the work in the progress line, such as {@code exporting}
     * @return the file and its size; null for standard output
     */
    @Nullable
    Answer copy(OutputOptions output, String verb, Consumer<OutputStream> source) throws IOException {
        Path target = path();
        if (target == null) {
            write(output, verb, source, StandardOutput.stream());
            return null;
        }
        long bytes = force.file(target).write(into -> write(output, verb, source, into));
        return Answer.of(
                JsonNodeFactory.instance
                        .objectNode()
                        .put("file", target.toString())
                        .put("bytes", bytes),
                (answer, out) -> output.note("written to " + target));
    }

    private static void write(OutputOptions output, String verb, Consumer<OutputStream> source, OutputStream into)
            throws IOException {
        try (Progress progress = new Progress(output, verb, "bytes")) {
            source.accept(progress.count(into));
            into.flush();
        }
    }
}
