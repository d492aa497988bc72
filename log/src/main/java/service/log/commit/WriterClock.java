package service.log.commit;

import service.core.value.Ulid;

/** The times and ids of the writer. Neither decreases when the machine's clock is set back. Writer thread only. */
public interface WriterClock {
    long nowMicros();

    Ulid nextId();
}
