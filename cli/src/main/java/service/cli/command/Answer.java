package service.cli.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import service.cli.client.CommandFailure;

/**
 * The outcome of a command.
 *
 * @param json printed in the formats for programs
 * @param list the field of {@code json} that holds its list, printed one entry a line by {@code --format jsonl} and
 *     {@code csv}; null where the answer is one object
 * @param table prints {@code json} for people
 * @param exitCode 0, or one of {@link CommandFailure}
 */
record Answer(ObjectNode json, @Nullable String list, BiConsumer<ObjectNode, PrintWriter> table, int exitCode) {
    /** An answer that is one object; it has failed if it says {@code "ok": false}. */
    static Answer of(ObjectNode json, BiConsumer<ObjectNode, PrintWriter> table) {
        return list(null, json, table);
    }

    static Answer list(@Nullable String field, ObjectNode json, BiConsumer<ObjectNode, PrintWriter> table) {
        return new Answer(json, field, table, json.path("ok").asBoolean(true) ? 0 : CommandFailure.FAILED);
    }

    /** An answer that people read as one line. */
    static Answer line(ObjectNode json, String line) {
        return of(json, (answer, out) -> out.println(line));
    }
}
