package service.cli.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;
import service.cli.client.CommandFailure;
import service.core.cluster.ClusterConflictException;
import service.core.config.InvalidConfigException;
import service.core.error.ErrorCode;
import service.core.error.ServiceException;
import service.core.error.StartRefusedException;
import service.core.event.EventFormatException;
import service.core.json.Json;
import service.http.error.ErrorBody;
import service.log.lmdb.StorageFailure;

/**
 * The one place where a command's failure becomes words and an exit code: a line that a person
 * reads, or with {@code --json} the error body of {@code http.md} §2; always on stderr, never a
 * stack trace.
 */
final class Failures implements IExecutionExceptionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public int handleExecutionException(
            Exception failure, CommandLine command, ParseResult parsed) {
        boolean json = parsed != null && asksForJson(parsed);
        PrintWriter err = command.getErr();
        CommandFailure told = told(failure);
        if (json) {
            ObjectNode body = told.body();
            err.println(
                    body != null ? body : JSON.createObjectNode().put("error", told.getMessage()));
        } else {
            err.println("error: " + told.getMessage());
        }
        err.flush();
        return told.exitCode();
    }

    /** A failure in words, with its exit code. */
    static CommandFailure told(Exception failure) {
        return switch (failure) {
            case CommandFailure known -> known;
            case ServiceException refusal -> of(refusal);
            case StartRefusedException refusal ->
                    failed(refusal.code() + ": " + refusal.getMessage());
            case InvalidConfigException invalid -> failed(invalid.getMessage());
            case ClusterConflictException conflict -> failed(conflict.getMessage());
            case EventFormatException damage -> failed(String.valueOf(damage.getMessage()));
            case StorageFailure storage -> of(storage.asServiceException());
            default -> unexpected(failure);
        };
    }

    private static boolean asksForJson(ParseResult parsed) {
        ParseResult innermost = parsed;
        while (innermost.hasSubcommand()) {
            innermost = innermost.subcommand();
        }
        return innermost.hasMatchedOption("--json");
    }

    private static CommandFailure of(ServiceException refusal) {
        ObjectNode body = Json.readObject(ErrorBody.render(refusal, null), "the refusal");
        int exitCode =
                refusal.code() == ErrorCode.PRECONDITION_FAILED
                        ? CommandFailure.PRECONDITION_LOST
                        : CommandFailure.FAILED;
        return new CommandFailure(exitCode, refusal.getMessage(), body);
    }

    private static CommandFailure failed(String message) {
        return new CommandFailure(CommandFailure.FAILED, message);
    }

    private static CommandFailure unexpected(Exception failure) {
        LOG.error("a command failed for a reason that is ours", failure);
        StackTraceElement[] trace = failure.getStackTrace();
        String where = trace.length == 0 ? "" : " at " + Arrays.asList(trace).getFirst();
        return new CommandFailure(
                CommandFailure.FAILED,
                "this is a fault of the program, please report it: " + failure + where);
    }
}
