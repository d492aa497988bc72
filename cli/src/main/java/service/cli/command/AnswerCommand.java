package service.cli.command;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;

/** A command that does something, prints the answer in the format asked for, and exits with its code. */
abstract class AnswerCommand implements Callable<Integer> {
    @Mixin
    OutputOptions output = new OutputOptions();

    /** Does the work; null where it has printed everything itself. */
    abstract @Nullable Answer answer() throws Exception;

    @Override
    public final Integer call() throws Exception {
        Answer answer = answer();
        if (answer == null) {
            return 0;
        }
        output.print(answer);
        return answer.exitCode();
    }
}
