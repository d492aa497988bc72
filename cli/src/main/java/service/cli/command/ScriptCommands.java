package service.cli.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands of a shell script that runs {@code service} only, each on a line, so that they run in this process. */
final class ScriptCommands {
    private static final String PROGRAM = "service";
    private static final String OPTIONS = "\"$@\"";
    private static final String DATA = "--data";

    /** A word of a line: in single quotes, or without blanks and quotes, or the options of the caller. */
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"\\$@\"|[^\\s'\"]+");

    private ScriptCommands() {}

    /**
     * The arguments of each command.
     *
     * @param directory where the script runs: relative files of {@code --data} are below it
     * @param options what {@code "$@"} in the script becomes
     */
    static List<List<String>> of(String script, Path directory, List<String> options) {
        List<List<String>> commands = new ArrayList<>();
        for (String line : script.lines().toList()) {
            if (line.startsWith(PROGRAM + " ")) {
                commands.add(words(line.substring(PROGRAM.length()), directory, options));
            }
        }
        return commands;
    }

    private static List<String> words(String line, Path directory, List<String> options) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            if (word.group().equals(OPTIONS)) {
                words.addAll(options);
            } else {
                String text = word.group(1) == null ? word.group() : word.group(1);
                boolean isFile = !words.isEmpty() && words.getLast().equals(DATA);
                words.add(isFile ? directory.resolve(text).toString() : text);
            }
        }
        return words;
    }
}
