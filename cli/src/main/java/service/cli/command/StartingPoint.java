package service.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import service.cli.client.CommandFailure;

/** The files of a cluster that its author begins with: small, with comments, and ready to be applied. */
final class StartingPoint {
    private static final List<String> FILES = List.of("cluster.yaml", "people.pg", "people.gq");

    private StartingPoint() {}

    /**
     * Writes the files into a directory, which is made when it is missing.
     *
     * @throws CommandFailure when one of them is there already; nothing is written then
     */
    static Answer write(Path directory) {
        for (String file : FILES) {
            Path path = directory.resolve(file);
            if (Files.exists(path)) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        path + " exists already, and nothing is replaced: name another directory");
            }
        }
        ObjectNode made = JsonNodeFactory.instance.objectNode().put("cluster", directory.toString());
        ArrayNode files = made.putArray("files");
        try {
            Files.createDirectories(directory);
        } catch (FileSystemException e) {
            throw new CommandFailure(
                    CommandFailure.FAILED, "cannot make the directory " + directory + ": " + Failures.reason(e));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (String file : FILES) {
            new WholeFile(directory.resolve(file), false).write(into -> into.write(content(file)));
            files.add(directory.resolve(file).toString());
        }
        return Answer.of(made, (answer, out) -> {
            answer.path("files").forEach(file -> out.println("wrote " + file.asText()));
            out.println("Next:");
            String word = ProgramName.word(directory.toString());
            out.println("  " + ProgramName.service() + " cluster apply --config " + word);
            out.println("  " + ProgramName.server() + " --cluster " + word + " --unauthenticated");
        });
    }

    private static byte[] content(String file) {
        try (InputStream resource =
                Objects.requireNonNull(StartingPoint.class.getResourceAsStream("start/" + file), file)) {
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
