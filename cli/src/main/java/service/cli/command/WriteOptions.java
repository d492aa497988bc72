package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a command that writes one commit: on which head it may, and the name under which it writes once. */
final class WriteOptions {
    @Option(
            names = "--if-commit",
            paramLabel = "COMMIT",
            description = "Write only while this commit is the branch's head; else exit with 4.")
    @Nullable
    String condition;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "A name for this write: repeating it under the same name writes once.")
    @Nullable
    String key;
}
