package service.projection.storage;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import service.core.error.StoredDamage;
import service.core.event.EventFormatException;
import service.core.lifecycle.Uninterrupted;
import service.core.port.ObjectStoreException;
import service.log.format.FollowedLog;

/**
 * Makes the copy of a followed graph again after the writing process has reclaimed history. The used copy has what was
 * reclaimed, and may lack events that are in the new base image only. The second copy is made on another thread, while
 * the first one is read and follows.
 *
 * <p>A try that fails is repeated after a number of polls that doubles. Only the polling thread may call this.
 */
final class CopyRenewal {
    private static final Logger LOG = LoggerFactory.getLogger(CopyRenewal.class);

    /** A check for reclaimed history costs a request, so there is one in so many polls for events. */
    private static final int POLLS = 4;

    private static final int POLLS_MAX = 128;

    private final StorageOptions options;
    private @Nullable Making making;
    private @Nullable FollowedCopy made;
    private boolean outdated;
    private @Nullable String damage;

    /** Polls until the next request, and from it to the one after. */
    private int left = POLLS;

    private int pause = POLLS;

    CopyRenewal(StorageOptions options) {
        this.options = options;
    }

    /** A copy that is being made. */
    private static final class Making {
        private final FutureTask<FollowedCopy> task;
        private final Thread thread;

        Making(FollowedLog home, StorageOptions options, String name) {
            this.task = new FutureTask<>(() -> FollowedCopy.open(home, options));
            this.thread = Thread.ofPlatform().daemon().name("copy-" + name).start(task);
        }

        boolean isDone() {
            return task.isDone();
        }

        /** Waits for the copy, and throws what its opening has thrown. */
        FollowedCopy get() {
            try {
                return Uninterrupted.get(task::get);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e);
            }
        }
    }

    /**
     * Checks for reclaimed history, and begins to make a copy when there is some.
     *
     * @param used the copy that is read
     * @param isDamaged whether events after the used copy are damaged or missing, so that this must not wait
     * @return a copy that continues the used one and replaces it; null when none is ready
     * @throws service.core.port.ObjectStoreException when the other place cannot be read
     */
    @Nullable
    FollowedCopy poll(FollowedCopy used, boolean isDamaged, Duration most) {
        if (making == null && made == null) {
            boolean first = pause == POLLS;
            if (--left <= 0 || (isDamaged && first)) {
                left = pause;
                begin(used);
            }
            return null;
        }
        try {
            return ready(used, most);
        } catch (RuntimeException e) {
            if (made != null && e instanceof ObjectStoreException) {
                // The copy is whole; only its newest events cannot be read now.
                throw e;
            }
            failed(used, e);
            return null;
        }
    }

    private void begin(FollowedCopy used) {
        outdated = used.home().isOutdated();
        if (outdated) {
            making = new Making(
                    used.home().beside(),
                    options,
                    String.valueOf(used.log().directory().getFileName()));
        } else {
            succeeded();
        }
    }

    private @Nullable FollowedCopy ready(FollowedCopy used, Duration most) {
        Making running = making;
        if (running != null) {
            if (!running.isDone()) {
                return null;
            }
            making = null;
            made = running.get();
        }
        FollowedCopy fresh = made;
        if (fresh == null) {
            return null;
        }
        long end = fresh.takeNew(most);
        long shown = fresh.show().offset();
        long needed = used.log().tail().offset();
        if (shown < needed && shown < end) {
            return null;
        }
        if (!fresh.continues(used)) {
            throw EventFormatException.damaged(
                    needed, "the graph was replaced by another or older one; start this server again");
        }
        made = null;
        succeeded();
        return fresh;
    }

    private void succeeded() {
        outdated = false;
        damage = null;
        pause = POLLS;
        left = POLLS;
    }

    private void failed(FollowedCopy used, RuntimeException e) {
        pause = Math.min(POLLS_MAX, pause * 2);
        left = pause;
        damage = e instanceof StoredDamage found ? found.damage() : damage;
        LOG.warn(
                "{}: history was reclaimed, and the copy cannot be made again yet: {}",
                used.log().directory(),
                e.toString());
        LOG.debug("{}: the failure", used.log().directory(), e);
        discard();
    }

    private void discard() {
        FollowedCopy fresh = made;
        made = null;
        if (fresh != null) {
            fresh.delete();
        }
    }

    /**
     * What keeps the graph from being shown completely.
     *
     * @param found damage of what follows the used copy, which a new copy may not need; null without any
     */
    @Nullable
    String damage(@Nullable String found) {
        return outdated ? damage : found;
    }

    /** Ends the making of a copy and deletes it. */
    void close() {
        Making running = making;
        making = null;
        if (running != null) {
            running.thread.interrupt();
            try {
                made = running.get();
            } catch (RuntimeException e) {
                LOG.debug("the copy was not made", e);
            }
        }
        discard();
    }
}
