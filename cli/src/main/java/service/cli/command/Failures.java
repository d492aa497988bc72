package service.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import service.cli.boot.Clusters;
import service.cli.client.CommandFailure;
import service.cli.render.Rows;
import service.core.cluster.ClusterConflictException;
import service.core.config.InvalidConfigException;
import service.core.error.DamagedDataException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.event.EventFormatException;
import service.core.json.Json;
import service.core.port.ObjectStoreException;
import service.core.value.VisibleText;
import service.http.error.ErrorBody;
import service.log.lmdb.StorageFailure;

/**
 * Turns the failure of a command into an exit code and one line on stderr; with {@code --json} into the error body of
 * {@code docs/http.md}. Never prints a stack trace.
 */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        CommandFailure described = LockWords.of(describe(failure), command.getCommandSpec());
        return print(described, command.getErr(), parsed != null && asksForJson(parsed));
    }

    /** Prints the mistake in a command line and the command that shows help. */
    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        boolean json = asksForJson(arguments);
        if (arguments.length == 0 && !json) {
            command.usage(command.getErr());
            return CommandFailure.USAGE;
        }
        String mistake = UsageMistakes.describe(failure, arguments);
        String help = "`" + UsageMistakes.name(command) + " --help` shows how it is written";
        return print(
                CommandFailure.usage(mistake + (mistake.endsWith("?") ? " " : "; ") + help), command.getErr(), json);
    }

    static boolean asksForJson(String[] arguments) {
        List<String> given = Arrays.asList(arguments);
        int format = given.indexOf("--format");
        return given.contains("--json")
                || given.contains("--format=json")
                || (format >= 0
                        && format + 1 < given.size()
                        && given.get(format + 1).equals("json"));
    }

    /** Prints a failure and returns its exit code. */
    static int print(CommandFailure described, PrintWriter err, boolean json) {
        if (json && !described.getMessage().isEmpty()) {
            err.println(described.toJson());
        } else if (!described.getMessage().isEmpty()) {
            err.println("error: " + VisibleText.lines(described.getMessage()));
        }
        err.flush();
        return described.exitCode();
    }

    /** The message, in the words of the command line, and the exit code of a failure. */
    static CommandFailure describe(Exception failure) {
        return CommandWords.of(described(failure));
    }

    /** The message, in the words of HTTP, whose fields are also the arguments of an agent's tools. */
    static CommandFailure described(Exception failure) {
        return switch (failure) {
            case CommandFailure known -> known;
            case ServiceException refusal -> of(refusal);
            case StartRefusedException refusal -> of(refusal);
            case InvalidConfigException invalid -> failed(invalid.getMessage());
            case ClusterConflictException conflict -> failed(conflict.getMessage());
            case DamagedDataException damage -> failed(damage.damage());
            case EventFormatException damage -> failed(String.valueOf(damage.getMessage()));
            case StorageFailure storage -> of(storage.asServiceException());
            case ObjectStoreException store -> of(Clusters.refusal(store));
            case UncheckedIOException io -> of(Objects.requireNonNull(io.getCause()));
            case IOException io -> of(io);
            case InvalidPathException path ->
                CommandFailure.usage("`" + path.getInput() + "` is no path of this system");
            default -> unexpected(failure);
        };
    }

    private static boolean asksForJson(ParseResult parsed) {
        ParseResult innermost = parsed;
        while (innermost.hasSubcommand()) {
            innermost = innermost.subcommand();
        }
        return innermost.hasMatchedOption("--json")
                || innermost.matchedOptionValue("--format", null) == Rows.Format.json;
    }

    private static CommandFailure of(ServiceException refusal) {
        ObjectNode body = Json.readObject(ErrorBody.render(refusal, null), "the refusal");
        int exitCode = refusal.code() == ErrorCode.PRECONDITION_FAILED
                ? CommandFailure.PRECONDITION_LOST
                : CommandFailure.FAILED;
        return new CommandFailure(exitCode, refusal.getMessage(), body);
    }

    /** In text the code comes before the message, as when a server does not start. */
    private static CommandFailure of(StartRefusedException refusal) {
        String message = refusal.code() + ": " + refusal.getMessage();
        ObjectNode body =
                JsonNodeFactory.instance.objectNode().put("error", message).put("code", refusal.code());
        return new CommandFailure(CommandFailure.FAILED, message, body);
    }

    private static CommandFailure of(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (message.equals(StandardOutput.BROKEN_PIPE)) {
            return CommandFailure.unread();
        }
        if (failure instanceof CharacterCodingException) {
            return failed("the text is not UTF-8");
        }
        if (failure instanceof FileSystemException file && file.getFile() != null) {
            return failed(file.getFile() + ": " + reason(file));
        }
        return failed(message);
    }

    /** The reason of a file system failure in words. */
    static String reason(FileSystemException failure) {
        return switch (failure) {
            case NoSuchFileException missing -> "there is no such file or directory";
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException there -> "exists already, and is no directory";
            case NotDirectoryException file -> "is no directory";
            default -> failure.getReason() == null ? "cannot be used" : failure.getReason();
        };
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }

    private static CommandFailure unexpected(Exception failure) {
        String damage = StorageFailure.damageIn(failure);
        if (damage != null) {
            return failed(damage);
        }
        LOG.error("internal error in a command", failure);
        StackTraceElement[] trace = failure.getStackTrace();
        String where = trace.length == 0 ? "" : " at " + Arrays.asList(trace).getFirst();
        return new CommandFailure(
                CommandFailure.FAILED, "this is a fault of the program, please report it: " + failure + where);
    }
}
