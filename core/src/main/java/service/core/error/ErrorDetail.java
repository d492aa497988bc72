package service.core.error;

import java.util.List;
import org.jspecify.annotations.Nullable;
import service.core.value.KeyText;

/**
 * The structured part of an error, in addition to its message. Each record is one detail object of
 * {@code docs/http.md}.
 */
public sealed interface ErrorDetail {
    /** GQ and schema errors. Lines and columns count from 1, columns in code points. */
    record Diagnostics(List<Diagnostic> diagnostics) implements ErrorDetail {}

    record KeyConflict(String entityKind, String typeName, String entityId) implements ErrorDetail {}

    /**
     * The entity that violates a constraint.
     *
     * @param entityId null when the entity has no id, because its key has no value, or one that is too long
     */
    record ConstraintViolation(
            String kind,
            String entityKind,
            String typeName,
            @Nullable String entityId) implements ErrorDetail {
        public ConstraintViolation {
            // A longer text is no id, and may be as long as the request.
            entityId = entityId != null && entityId.length() > KeyText.ID_BYTES_MAX ? null : entityId;
        }
    }

    record PreconditionFailure(String expected, @Nullable String actual) implements ErrorDetail {}

    record ResourceLimit(
            String resource, long limit, @Nullable Long actual) implements ErrorDetail {}

    /**
     * A requested range that has no byte in common with the value.
     *
     * @param start the first requested byte
     * @param end the last requested byte; the last byte of the value when the request named none
     * @param length of the value
     */
    record BlobRange(long start, long end, long length) implements ErrorDetail {}

    record RecoveryRequired(String operationId) implements ErrorDetail {}

    record ChangeFeedGap(@Nullable String cursor, String firstUnreadableCommitId) implements ErrorDetail {}

    /**
     * The conflicts that refuse a merge.
     *
     * @param conflicts the first of them
     * @param count the number of all conflicts
     */
    record MergeConflicts(JsonText conflicts, int count, String baseCommitId) implements ErrorDetail {}

    /** A JSON text that is made when the error is shown. Any thread. */
    @FunctionalInterface
    interface JsonText {
        /**
         * Makes the text.
         *
         * @param int64AsStrings whether values of 64 bits are strings of digits in it
         */
        String of(boolean int64AsStrings);
    }

    /**
     * The first reason why a change of schema is refused.
     *
     * @param code such as {@code PG-MF-107}
     * @param typeKind whether it is a node or an edge type
     * @param count the number of entities that stand against it; 0 when it is refused whatever they are
     */
    record SchemaRefusal(
            String code,
            String typeKind,
            String typeName,
            @Nullable String property,
            @Nullable String entityId,
            long count)
            implements ErrorDetail {}

    /** The action that the caller may not do; never the content of the policy. */
    record Forbidden(
            String action,
            @Nullable String graphId,
            @Nullable String branch) implements ErrorDetail {}
}
