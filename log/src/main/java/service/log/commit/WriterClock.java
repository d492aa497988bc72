package service.log.commit;

import service.core.value.Ulid;

/** The writer's time and ids: neither ever runs backwards, whatever the machine's clock does. Writer thread only. */
public interface WriterClock {
    long nowMicros();

    Ulid nextId();
}
