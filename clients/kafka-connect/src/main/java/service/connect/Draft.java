package service.connect;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.Struct;
import org.jspecify.annotations.Nullable;

/**
 * A record whose offset is not known yet. Any thread.
 *
 * @param valueSchema null, with the value, of a tombstone
 * @param from the commit that it comes from
 */
record Draft(
        String topic,
        Schema keySchema,
        Struct key,
        @Nullable Schema valueSchema,
        @Nullable Struct value,
        CommitInfo from) {}
