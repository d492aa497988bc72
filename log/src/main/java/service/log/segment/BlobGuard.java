package service.log.segment;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import service.core.lifecycle.Uninterrupted;

/**
 * Keeps the deletion of a blob and its creation by the writer of this process apart: a blob that a group brings is not
 * deleted before the log has the group, and a group waits for a deletion that has begun. Any thread.
 */
final class BlobGuard {
    private final Set<String> putting = new HashSet<>();
    private Set<String> deleting = Set.of();

    /** Forgets the blobs of the last group, which the log has or which was refused. Writer thread. */
    synchronized void nextGroup() {
        putting.clear();
    }

    /** Waits until the blob is not being deleted; until the next group it will not be. Writer thread. */
    synchronized void beforePut(String blob) {
        Uninterrupted.get(() -> {
            while (deleting.contains(blob)) {
                wait();
            }
            return true;
        });
        putting.add(blob);
    }

    /**
     * Begins to delete blobs.
     *
     * @param isNeeded whether the log has a blob
     * @return those that may be deleted, until {@link #deleted}
     */
    synchronized List<String> beginDeletion(List<byte[]> digests, Predicate<byte[]> isNeeded) {
        List<String> blobs = digests.stream()
                .filter(digest -> !isNeeded.test(digest))
                .map(digest -> HexFormat.of().formatHex(digest))
                .filter(blob -> !putting.contains(blob))
                .toList();
        deleting = Set.copyOf(blobs);
        return blobs;
    }

    synchronized void deleted() {
        deleting = Set.of();
        notifyAll();
    }
}
