package service.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.render.Rows;

/** The format of an answer that can be a table; mixed into the commands that print one, read by OutputOptions. */
final class FormatOption {
    static final String NAME = "--format";

    @Option(names = NAME, paramLabel = "FORMAT", description = "One of ${COMPLETION-CANDIDATES}.")
    Rows.@Nullable Format asked;
}
