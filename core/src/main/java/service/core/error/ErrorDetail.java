package service.core.error;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The structured part of an error, beside its message; each record is one detail object of {@code http.md} §2. */
public sealed interface ErrorDetail {
    /** GQ and schema errors. Lines and columns count from 1, columns in code points. */
    record Diagnostics(List<Diagnostic> diagnostics) implements ErrorDetail {}

    record KeyConflict(String entityKind, String typeName, String entityId) implements ErrorDetail {}

    /**
     * The entity that breaks a constraint.
     *
     * @param entityId null where the entity has no id, because its key has no value
     */
    record ConstraintViolation(
            String kind,
            String entityKind,
            String typeName,
            @Nullable String entityId) implements ErrorDetail {}

    record PreconditionFailure(String expected, @Nullable String actual) implements ErrorDetail {}

    record ResourceLimit(
            String resource, long limit, @Nullable Long actual) implements ErrorDetail {}

    /**
     * A range of which a value holds nothing.
     *
     * @param start the first byte asked for
     * @param end the last byte asked for; the value's own last where none was named
     * @param length of the value
     */
    record BlobRange(long start, long end, long length) implements ErrorDetail {}

    record RecoveryRequired(String operationId) implements ErrorDetail {}

    record ChangeFeedGap(@Nullable String cursor, String firstUnreadableCommitId) implements ErrorDetail {}

    /**
     * Why a merge was refused.
     *
     * @param conflicts the first of them as a JSON array
     * @param count how many there are
     */
    record MergeConflicts(String conflicts, int count) implements ErrorDetail {}

    /** What the caller may not do; never the policy's content. */
    record Forbidden(
            String action,
            @Nullable String graphId,
            @Nullable String branch) implements ErrorDetail {}
}
