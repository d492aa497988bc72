package service.http.error;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import service.core.error.Diagnostic;
import service.core.error.ErrorDetail;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.json.Int64Form;
import service.core.json.VisibleEscapes;

/**
 * Renders a refusal as {@code {"error","code","request_id","reason"?}} plus one detail object, named after its kind
 * ({@code docs/http.md}).
 */
public final class ErrorBody {
    private static final JsonFactory JSON = new JsonFactory().setCharacterEscapes(new VisibleEscapes());

    private ErrorBody() {}

    /**
     * The body of a refusal.
     *
     * @param requestId the id of the refused request, or null when no server was involved
     */
    public static byte[] render(ServiceException refusal, @Nullable String requestId) {
        return render(refusal, requestId, Int64Form.NUMBER);
    }

    /** The same with values of 64 bits in this form. */
    public static byte[] render(ServiceException refusal, @Nullable String requestId, Int64Form int64) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            json.writeStartObject();
            json.writeStringField("error", refusal.getMessage());
            json.writeStringField("code", refusal.code().wireName());
            optional(json, "request_id", requestId);
            Reason reason = refusal.reason();
            optional(json, "reason", reason == null ? null : reason.wireName());
            ErrorDetail detail = refusal.detail();
            if (detail != null) {
                write(json, detail, int64);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(JsonGenerator json, ErrorDetail detail, Int64Form int64) throws IOException {
        switch (detail) {
            case ErrorDetail.Diagnostics found -> diagnostics(json, found);
            case ErrorDetail.KeyConflict conflict -> {
                json.writeObjectFieldStart("key_conflict");
                json.writeStringField("entity_kind", conflict.entityKind());
                json.writeStringField("type_name", conflict.typeName());
                json.writeStringField("entity_id", conflict.entityId());
                json.writeEndObject();
            }
            case ErrorDetail.ConstraintViolation violation -> {
                json.writeObjectFieldStart("constraint_violation");
                json.writeStringField("kind", violation.kind());
                json.writeStringField("entity_kind", violation.entityKind());
                json.writeStringField("type_name", violation.typeName());
                String id = violation.entityId();
                if (id == null) {
                    json.writeNullField("entity_id");
                } else {
                    json.writeStringField("entity_id", id);
                }
                json.writeEndObject();
            }
            case ErrorDetail.PreconditionFailure failure -> {
                json.writeObjectFieldStart("precondition_failure");
                json.writeStringField("expected", failure.expected());
                optional(json, "actual", failure.actual());
                json.writeEndObject();
            }
            case ErrorDetail.ResourceLimit limit -> {
                json.writeObjectFieldStart("resource_limit");
                json.writeStringField("resource", limit.resource());
                json.writeNumberField("limit", limit.limit());
                Long actual = limit.actual();
                if (actual != null) {
                    json.writeNumberField("actual", actual);
                }
                json.writeEndObject();
            }
            case ErrorDetail.BlobRange range -> {
                json.writeObjectFieldStart("blob_range");
                json.writeNumberField("start", range.start());
                json.writeNumberField("end", range.end());
                json.writeNumberField("length", range.length());
                json.writeEndObject();
            }
            case ErrorDetail.RecoveryRequired recovery -> {
                json.writeObjectFieldStart("recovery_required");
                json.writeStringField("operation_id", recovery.operationId());
                json.writeEndObject();
            }
            case ErrorDetail.ChangeFeedGap gap -> {
                json.writeObjectFieldStart("change_feed_gap");
                optional(json, "cursor", gap.cursor());
                json.writeStringField("first_unreadable_commit_id", gap.firstUnreadableCommitId());
                json.writeEndObject();
            }
            case ErrorDetail.MergeConflicts found -> {
                json.writeFieldName("merge_conflicts");
                json.writeRawValue(found.conflicts().of(int64 == Int64Form.STRING));
                json.writeNumberField("conflict_count", found.count());
                json.writeStringField("base_commit_id", found.baseCommitId());
            }
            case ErrorDetail.SchemaRefusal refusal -> {
                json.writeObjectFieldStart("schema_refusal");
                json.writeStringField("code", refusal.code());
                json.writeStringField("entity_kind", refusal.typeKind());
                json.writeStringField("type_name", refusal.typeName());
                optional(json, "property", refusal.property());
                optional(json, "entity_id", refusal.entityId());
                json.writeNumberField("count", refusal.count());
                json.writeEndObject();
            }
            case ErrorDetail.Forbidden forbidden -> {
                json.writeObjectFieldStart("forbidden");
                json.writeStringField("action", forbidden.action());
                optional(json, "graph_id", forbidden.graphId());
                optional(json, "branch", forbidden.branch());
                json.writeEndObject();
            }
        }
    }

    private static void diagnostics(JsonGenerator json, ErrorDetail.Diagnostics found) throws IOException {
        json.writeArrayFieldStart("diagnostics");
        for (Diagnostic diagnostic : found.diagnostics()) {
            json.writeStartObject();
            json.writeStringField("code", diagnostic.code());
            json.writeStringField("message", diagnostic.message());
            json.writeNumberField("line", diagnostic.line());
            json.writeNumberField("column", diagnostic.column());
            optional(json, "hint", diagnostic.hint());
            optional(json, "excerpt", diagnostic.excerpt());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void optional(JsonGenerator json, String name, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeStringField(name, value);
        }
    }
}
