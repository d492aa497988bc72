package service.core.graph.request;

import org.jspecify.annotations.Nullable;
import service.core.port.Tag;
import service.core.value.Ulid;

/**
 * A tag as callers see it ({@code docs/http.md}, Records).
 *
 * @param createdMicros microseconds since 1970
 * @param replayed whether the write that made or deleted it was done before under the same key
 */
public record TagRecord(
        String name,
        Ulid commit,
        @Nullable String message,
        long createdMicros,
        @Nullable String createdBy,
        boolean replayed)
        implements Receipt {
    public static TagRecord of(Tag tag) {
        return new TagRecord(tag.name(), tag.commit(), tag.message(), tag.createdMicros(), tag.createdBy(), false);
    }
}
