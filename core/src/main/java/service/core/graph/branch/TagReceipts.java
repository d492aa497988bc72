package service.core.graph.branch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import service.core.graph.request.Receipts;
import service.core.graph.request.TagRecord;
import service.core.graph.request.WriteKey;
import service.core.json.Json;
import service.core.port.GraphSession;
import service.core.value.Ulid;

/** Receipts of tags. A tag that is created has the author and the time of its event. */
record TagReceipts(boolean creates) implements Receipts<TagRecord> {
    private static final String NAME = "name";
    private static final String COMMIT = "commit_id";
    private static final String MESSAGE = "message";
    private static final String CREATED = "created_micros";
    private static final String BY = "created_by";

    @Override
    public ObjectNode write(TagRecord tag) {
        ObjectNode receipt =
                Json.object().put(NAME, tag.name()).put(COMMIT, tag.commit().toString());
        put(receipt, MESSAGE, tag.message());
        if (!creates) {
            receipt.put(CREATED, tag.createdMicros());
            put(receipt, BY, tag.createdBy());
        }
        return receipt;
    }

    private static void put(ObjectNode receipt, String name, @Nullable String value) {
        if (value != null) {
            receipt.put(name, value);
        }
    }

    @Override
    public TagRecord read(GraphSession session, WriteKey.First first) {
        JsonNode receipt = first.receipt();
        return new TagRecord(
                receipt.path(NAME).asText(),
                Ulid.parse(receipt.path(COMMIT).asText()),
                receipt.path(MESSAGE).textValue(),
                creates ? first.stamp().timeMicros() : receipt.path(CREATED).asLong(),
                creates ? first.actor() : receipt.path(BY).textValue(),
                true);
    }
}
