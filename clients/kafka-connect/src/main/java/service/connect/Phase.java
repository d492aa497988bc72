package service.connect;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a task does at a time: it takes a baseline, or follows the feed. One thread. */
interface Phase extends AutoCloseable {
    /**
     * The next records, perhaps none.
     *
     * @throws IOException where the server gives no answer or refuses
     * @throws StaleSchemaException where the schema was changed under a baseline
     */
    List<GraphRecord> next() throws IOException, StaleSchemaException;

    /** Where the feed continues once this phase is over; null until then. */
    @Nullable
    Position end();

    /** A phase that begins again after the last commit that was given whole. */
    Phase again();

    @Override
    void close();
}
