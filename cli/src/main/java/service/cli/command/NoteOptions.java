package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import service.cli.client.NoteHeaders;
import service.core.event.Note;

/** The options that say why a write is made; part of its commit, or of the move of the branch. */
final class NoteOptions {
    @Option(
            names = {"-m", "--message"},
            paramLabel = "TEXT",
            description = "Why this is written: stands in the commit, up to 4 KiB.")
    private @Nullable String message;

    @Option(
            names = "--meta",
            paramLabel = "KEY=VALUE",
            description = "A pair that stands in the commit, such as ticket=T-17. May be given up to 16 times.")
    private Map<String, String> meta = new LinkedHashMap<>();

    /** The note; null when neither option is given. */
    @Nullable
    Note note() {
        return Note.of(message, meta);
    }

    /** Adds the note to the body of a write. */
    void addTo(ObjectNode body) {
        NoteHeaders.addTo(body, note());
    }
}
