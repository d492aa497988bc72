package service.core.graph.request;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import service.core.blob.StagedBlobs;
import service.core.error.Reason;
import service.core.error.ServiceException;
import service.core.port.CommitLog;
import service.core.port.WriteCommand;

/** The writing side of a graph in a process that only reads: refuses every write with CONFLICT. Any thread. */
public record RefusingLog(String graphId) implements CommitLog {
    @Override
    public <R> CompletableFuture<R> submit(WriteCommand<R> command, StagedBlobs blobs, Duration patience) {
        throw refusal();
    }

    @Override
    public int queueDepth() {
        return 0;
    }

    @Override
    public boolean isFull() {
        throw refusal();
    }

    private ServiceException refusal() {
        return ServiceException.conflict(
                Reason.READ_ONLY,
                "this server only reads: it follows the server that writes graph `" + graphId
                        + "`; send the write to that one");
    }

    @Override
    public void close() {}
}
