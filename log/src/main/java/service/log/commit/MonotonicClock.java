package service.log.commit;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import service.core.value.Ulid;
import service.log.group.LogTail;

/**
 * Times and ids that never decrease from the end of the log, even when the machine's clock is set back. Within a
 * millisecond, and while the machine's clock shows an earlier time than the last one used, an id is the successor of
 * the previous one.
 */
final class MonotonicClock implements WriterClock {
    private final LongSupplier machineMicros;
    private final SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
    private long lastMicros = Long.MIN_VALUE;
    private Ulid lastId = new Ulid(0, 0);

    /** @param machineMicros microseconds since the epoch; may step in any direction */
    MonotonicClock(LongSupplier machineMicros) {
        this.machineMicros = machineMicros;
    }

    /** Starts at the end of the log: later times and ids are not below it. */
    void startAfter(LogTail tail) {
        lastMicros = Math.max(lastMicros, tail.timeMicros());
        if (tail.lastCommit().compareTo(lastId) > 0) {
            lastId = tail.lastCommit();
        }
    }

    @Override
    public long nowMicros() {
        lastMicros = Math.max(lastMicros, machineMicros.getAsLong());
        return lastMicros;
    }

    @Override
    public Ulid nextId() {
        long millis = Math.floorDiv(nowMicros(), 1_000L);
        if (millis > lastId.epochMillis()) {
            lastId = Ulid.of(millis, random.nextInt(), random.nextLong());
        } else {
            lastId = lastId.next();
        }
        return lastId;
    }
}
