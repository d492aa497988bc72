package service.core.graph.request;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import service.core.value.Ulid;

/**
 * Makes ULIDs for entities before the writer sees the request: a random start, then counting, so that the ids of one
 * request are unique and ascending. One thread.
 */
public final class FreshIds implements Supplier<String> {
    private Ulid next;

    /** The ids begin at this time. */
    public FreshIds(long nowMicros) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        // Half of the random range, so that counting never reaches the next millisecond.
        next = Ulid.of(nowMicros / 1_000, random.nextInt() & 0x7FFF, random.nextLong());
    }

    @Override
    public String get() {
        Ulid id = next;
        next = id.next();
        return id.toString();
    }
}
