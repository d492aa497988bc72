package service.log.segment;

import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import service.core.blob.StagedBlobs;
import service.core.port.ObjectStore;
import service.core.value.Value;
import service.log.group.EncodedGroup;
import service.log.group.LogTail;
import service.log.object.Backoff;

/** Puts the blobs that a group brings, before its segment. */
final class GroupBlobs {
    private final SegmentStore segments;
    private final Duration patience;

    /** @param patience how long a request that fails is repeated */
    GroupBlobs(SegmentStore segments, Duration patience) {
        this.segments = segments;
        this.patience = patience;
    }

    /** Whether a group brings any. */
    static boolean isIn(EncodedGroup group) {
        return group.parts().stream().anyMatch(part -> !part.staged().isEmpty());
    }

    /**
     * Puts the blobs that the group brings, each under the generation of the event that brings it. One that is there
     * already has the same bytes, and stays: what deletes it is a later generation, and if the log had one, another
     * segment would be in the place of this group.
     *
     * @throws UncheckedIOException when the store fails for too long
     */
    void put(EncodedGroup group) {
        long start = System.nanoTime();
        LogTail before = group.before();
        for (EncodedGroup.Part part : group.parts()) {
            long generation = before.generation();
            part.forEachBlob(blob -> {
                if (part.staged().contains(blob)) {
                    repeated(start, () -> segments.createBlob(blob, generation, content(blob, part.staged())));
                }
            });
            before = before.after(part.event().event(), part.event().hash());
        }
    }

    /** Repeats a request that may be repeated, until it succeeds or the patience since a start is used up. */
    private void repeated(long start, Runnable request) {
        Backoff backoff = new Backoff(ThreadLocalRandom.current());
        while (true) {
            try {
                request.run();
                return;
            } catch (UncheckedIOException e) {
                if (!backoff.pause(e, patience.minusNanos(System.nanoTime() - start))) {
                    throw e;
                }
            }
        }
    }

    private static ObjectStore.Content content(Value.ManagedBlob blob, StagedBlobs staged) {
        return new ObjectStore.Content() {
            @Override
            public long length() {
                return blob.size();
            }

            @Override
            public InputStream open() {
                return new StagedStream(blob, staged);
            }
        };
    }
}
