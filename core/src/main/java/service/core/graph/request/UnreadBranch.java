package service.core.graph.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import service.core.error.Diagnostic;
import service.core.error.ErrorCode;
import service.core.error.ErrorDetail;
import service.core.error.ServiceException;
import service.core.policy.Action;
import service.core.policy.Caller;

/**
 * Runs writes of callers who may change a branch that they may not read. What fails while such a write runs depends on
 * the data: the refusal of a division by zero could tell which entities fulfil a predicate, and that of a text that is
 * no number the text. So these refusals name neither an entity nor a value. Any thread.
 */
public final class UnreadBranch {
    /** The code of diagnostics about values, which occur while a mutation runs. */
    private static final String RUN_TIME = "R1";

    /** The line of a load; the caller has written it. */
    private static final Pattern LINE = Pattern.compile("^line [0-9]+: ");

    private UnreadBranch() {}

    /**
     * Runs a write.
     *
     * @param write what it does after its source and its records were read
     */
    public static <T> CompletableFuture<T> write(Caller caller, String branch, Supplier<CompletableFuture<T>> write) {
        if (caller.may(Action.READ, branch)) {
            return write.get();
        }
        try {
            return write.get().exceptionally(failure -> {
                Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                throw new CompletionException(
                        cause instanceof ServiceException refusal ? withoutData(refusal, branch) : cause);
            });
        } catch (ServiceException refusal) {
            throw withoutData(refusal, branch);
        }
    }

    private static ServiceException withoutData(ServiceException refusal, String branch) {
        String untold = ", because you may not read branch `" + branch + "`";
        Matcher line = LINE.matcher(refusal.getMessage());
        String where = line.find() ? line.group() : "";
        return switch (refusal.detail()) {
            case ErrorDetail.ConstraintViolation(var kind, var entityKind, var type, var ignored) ->
                new ServiceException(
                        refusal.code(),
                        where + "a constraint of " + entityKind + " " + type + " does not allow the write (" + kind
                                + "); the reason is not told" + untold,
                        new ErrorDetail.ConstraintViolation(kind, entityKind, type, null));
            case ErrorDetail.Diagnostics(List<Diagnostic> diagnostics)
            when diagnostics.stream().anyMatch(diagnostic -> diagnostic.code().equals(RUN_TIME)) ->
                ofValue(diagnostics, untold);
            case ErrorDetail.SchemaRefusal(var code, var kind, var type, var property, var ignored, long count) ->
                new ServiceException(
                        refusal.code(),
                        code + ": the data of " + kind + " type " + type
                                + " does not allow the change of schema; the reason is not told" + untold,
                        new ErrorDetail.SchemaRefusal(code, kind, type, property, null, count));
            case null ->
                refusal.code() == ErrorCode.BAD_REQUEST
                        ? new ServiceException(
                                refusal.code(), where + "a value cannot be stored; the reason is not told" + untold)
                        : refusal;
            default -> refusal;
        };
    }

    private static ServiceException ofValue(List<Diagnostic> diagnostics, String untold) {
        String message = "a value cannot be computed; which one is not told" + untold;
        List<Diagnostic> untelling = diagnostics.stream()
                .map(found -> new Diagnostic(
                        found.code(), message, found.line(), found.column(), found.hint(), found.excerpt()))
                .toList();
        Diagnostic first = untelling.getFirst();
        return new ServiceException(
                ErrorCode.BAD_REQUEST,
                first.code() + " at line " + first.line() + ", column " + first.column() + ": " + message,
                new ErrorDetail.Diagnostics(untelling));
    }
}
