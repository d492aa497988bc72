package service.cli.command;

import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A command that shares its options with others and cannot use some of them. Those are taken off it, so that its help
 * and the completion of shells do not offer them and giving one is refused.
 */
interface Narrowed {
    /** The long names of the options that have no use here. */
    Set<String> unusable();

    /** What to do in place of giving such an option; empty where there is nothing to say. */
    default String instead(String option) {
        return "";
    }

    /** Takes the options off the command, if it is narrowed. */
    static void apply(CommandSpec command) {
        if (command.userObject() instanceof Narrowed narrowed) {
            for (String name : narrowed.unusable()) {
                OptionSpec option = command.findOption(name);
                if (option == null) {
                    throw new IllegalStateException(command.qualifiedName() + " has no option " + name);
                }
                command.remove(option);
            }
        }
    }
}
