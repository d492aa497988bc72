package service.cli.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Whether a command may replace the file that {@code --out} names. */
final class ForceOption {
    @Option(names = "--force", description = "Replace the file of --out if it exists.")
    private boolean force;

    /** The file to write. */
    WholeFile file(Path path) {
        return new WholeFile(path, force);
    }
}
