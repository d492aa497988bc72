package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a command that writes one commit: on which head it may, its name, and why. */
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

    @Mixin
    NoteOptions note = new NoteOptions();
}
