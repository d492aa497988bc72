package service.core.wire;

import java.nio.ByteBuffer;
import java.util.List;
import service.core.graph.read.RowSink;

/**
 * The body that answers a read, in one of the forms that a client may ask for. The rows are kept until the last one is
 * there, because a read that fails half-way must still answer with an error. Confined to one thread.
 */
public sealed interface ReadAnswer extends RowSink permits QueryResponse, ArrowResponse {
    long rowCount();

    /** Says whether there are more rows; call it before {@link #pieces}. */
    void truncated(boolean is);

    /** The whole body, not copied. Call after the read has returned. */
    List<ByteBuffer> pieces();
}
