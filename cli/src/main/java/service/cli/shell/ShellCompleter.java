package service.cli.shell;

import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;

/** Completes the word at the cursor with types, properties, edges, variables and keywords. */
final class ShellCompleter implements Completer {
    private final Supplier<@Nullable ShellSchema> schema;
    private final Supplier<? extends Collection<String>> parameters;
    private final MetaCommands commands;

    ShellCompleter(
            Supplier<@Nullable ShellSchema> schema,
            Supplier<? extends Collection<String>> parameters,
            MetaCommands commands) {
        this.schema = schema;
        this.parameters = parameters;
        this.commands = commands;
    }

    @Override
    public void complete(@Nullable LineReader reader, ParsedLine line, List<Candidate> candidates) {
        String before = line.line().substring(0, line.cursor());
        String quote = GqCompletion.isInString(before) ? "\"" : "";
        for (String each : at(before)) {
            if (each.startsWith(line.word().substring(0, line.wordCursor()))) {
                candidates.add(new Candidate(each + quote, each, null, null, null, null, !each.endsWith(".")));
            }
        }
    }

    /** The candidates for the last word of the text. */
    Collection<String> at(String before) {
        if (before.stripLeading().startsWith(":")) {
            return commands.complete(before.stripLeading());
        }
        return GqCompletion.at(before, schema.get(), parameters.get());
    }
}
