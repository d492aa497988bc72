package service.cli.command;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.MutuallyExclusiveArgsException;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import service.cli.boot.ClientConfig;
import service.cli.boot.ServiceConfig;
import service.core.error.Suggestion;

/** Describes a mistake in a command line in one sentence. The option parser's own messages name its internals. */
final class UsageMistakes {
    private static final Pattern OPTION = Pattern.compile("--?[a-z][a-z-]*");

    private UsageMistakes() {}

    static String describe(ParameterException mistake, String[] arguments) {
        return switch (mistake) {
            case UnmatchedArgumentException unmatched -> unmatched(unmatched);
            case MissingParameterException missing -> {
                String wrong = misspelt(missing.getCommandLine(), arguments);
                yield wrong == null ? missing(missing) : wrong;
            }
            case OverwrittenOptionException twice -> givenTwice(twice);
            case MutuallyExclusiveArgsException exclusive -> exclusive(exclusive, arguments);
            default ->
                String.valueOf(mistake.getMessage()).contains("expected only one match")
                        ? exclusive(mistake, arguments)
                        : value(mistake);
        };
    }

    private static String unmatched(UnmatchedArgumentException mistake) {
        CommandLine command = mistake.getCommandLine();
        String word = mistake.getUnmatched().getFirst();
        if (!command.getSubcommands().isEmpty()) {
            return word.startsWith("-")
                    ? missingCommand(command) + ", then its options"
                    : unknownCommand(command, word);
        }
        if (word.startsWith("-") && word.length() > 1) {
            return noOption(command, word.split("=", 2)[0]);
        }
        String extra = "`%s` is one word too many for `%s`".formatted(word, name(command));
        return command.getCommandSpec().optionsMap().containsKey("-p")
                ? extra + "; parameters are given as -p NAME=VALUE"
                : extra;
    }

    private static String noOption(CommandLine command, String option) {
        String refusal = "`%s` has no option `%s`".formatted(name(command), option);
        String instead = command.getCommandSpec().userObject() instanceof Narrowed narrowed
                        && narrowed.unusable().contains(option)
                ? narrowed.instead(option)
                : "";
        return instead.isEmpty() ? refusal + suggestion(option, options(command)) : refusal + ": " + instead;
    }

    /** The refusal of the first option that the command does not have; null where it has all. */
    private static @Nullable String misspelt(CommandLine command, String[] arguments) {
        for (String argument : arguments) {
            String option = argument.split("=", 2)[0];
            if (argument.equals("--")) {
                return null;
            }
            if (option.startsWith("--") && command.getCommandSpec().findOption(option) == null) {
                return noOption(command, option);
            }
        }
        return null;
    }

    /** The refusal of a word that is no command here, with the nearest command, or the place of one of that name. */
    static String unknownCommand(CommandLine command, String word) {
        String refusal = "there is no command `" + name(command) + " " + word + "`";
        Collection<String> known = visible(command);
        List<String> typed = new ArrayList<>(known);
        if (command.getParent() == null) {
            typed.addAll(Aliases.names(ClientConfig.read(ServiceConfig.environment())));
        }
        String near = Suggestion.nearest(word, typed);
        List<String> elsewhere = new ArrayList<>();
        if (command.getParent() == null && !known.contains(word)) {
            // This command line may have been made with one command only.
            CommandLines.service().getSubcommands().values().forEach(family -> {
                if (family.getSubcommands().containsKey(word)) {
                    elsewhere.add("`" + name(family) + " " + word + "`");
                }
            });
        }
        if (!elsewhere.isEmpty()) {
            return refusal + "; did you mean " + String.join(" or ", elsewhere) + "?";
        }
        if (near != null) {
            return refusal + "; did you mean `" + name(command) + " " + near + "`?";
        }
        return command.getParent() == null ? refusal : refusal + "; there are " + String.join(", ", known);
    }

    static String missingCommand(CommandLine command) {
        return "say what to do: `" + name(command) + " " + String.join("|", visible(command)) + "`";
    }

    private static String missing(MissingParameterException mistake) {
        List<ArgSpec> missing = mistake.getMissing();
        if (missing.isEmpty()) {
            return plain(mistake);
        }
        ArgSpec first = missing.getFirst();
        if (first instanceof OptionSpec option && !option.required()) {
            return written(option) + " needs its value";
        }
        return missing.stream().map(UsageMistakes::wanted).collect(Collectors.joining("; "));
    }

    private static String wanted(ArgSpec argument) {
        String description = String.join(" ", argument.description()).replaceFirst("\\.$", "");
        return "give "
                + (argument instanceof OptionSpec option ? written(option) : argument.paramLabel())
                + (description.isEmpty() ? "" : ": " + lowered(description));
    }

    private static String givenTwice(OverwrittenOptionException mistake) {
        return (mistake.getOverwritten() instanceof OptionSpec option ? option.longestName() : "an option")
                + " is given twice";
    }

    private static String exclusive(ParameterException mistake, String[] arguments) {
        TreeSet<String> given = Arrays.stream(arguments)
                .map(argument -> argument.split("=", 2)[0])
                .filter(argument -> OPTION.matcher(argument).matches())
                .filter(argument -> String.valueOf(mistake.getMessage()).contains(argument))
                .collect(Collectors.toCollection(TreeSet::new));
        return String.join(" and ", given) + " exclude each other; give one of them";
    }

    /** The refusal of a value that cannot be converted. */
    private static String value(ParameterException mistake) {
        ArgSpec argument = mistake.getArgSpec();
        String message = String.valueOf(mistake.getMessage());
        if (message.startsWith("Missing required subcommand")) {
            return missingCommand(mistake.getCommandLine());
        }
        if (argument == null) {
            return plain(mistake);
        }
        boolean listed = argument.paramLabel().contains("|");
        String label = argument instanceof OptionSpec option
                ? option.longestName()
                : listed ? "the word after `" + name(mistake.getCommandLine()) + "`" : argument.paramLabel();
        String given = mistake.getValue() != null ? mistake.getValue() : message.replaceFirst("^.* but was ", "");
        if (argument.typeInfo().isMap()) {
            return "%s is written NAME=VALUE, not `%s`".formatted(label, given);
        }
        if (argument.typeInfo().isEnum()) {
            List<String> words = argument.typeInfo().getEnumConstantNames();
            return "%s is one of %s, not `%s`".formatted(label, String.join(", ", words), given)
                    + suggestion(given, words);
        }
        Class<?> type = argument.typeInfo().getType();
        if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "%s is a whole number, not `%s`".formatted(label, given);
        }
        return "%s cannot be `%s`".formatted(label, given);
    }

    /** The parser's own first line, for a mistake that has no text of ours. */
    private static String plain(ParameterException mistake) {
        String line = String.valueOf(mistake.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst("^Error: ", "");
        return lowered(line.replace('\'', '`'));
    }

    static String suggestion(String wrong, Collection<String> names) {
        String near = Suggestion.didYouMean(wrong, names);
        return near == null ? "" : "; " + near;
    }

    private static String written(OptionSpec option) {
        return option.longestName() + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
    }

    private static List<String> options(CommandLine command) {
        return command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Arrays.stream(option.names()))
                .toList();
    }

    private static List<String> visible(CommandLine command) {
        return command.getSubcommands().entrySet().stream()
                .filter(each -> !each.getValue().getCommandSpec().usageMessage().hidden())
                .map(java.util.Map.Entry::getKey)
                .toList();
    }

    static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    /** The text with a small first letter, unless its first word is written in capitals. */
    private static String lowered(@Nullable String text) {
        if (text == null || text.length() < 2 || Character.isUpperCase(text.charAt(1))) {
            return String.valueOf(text);
        }
        return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}
