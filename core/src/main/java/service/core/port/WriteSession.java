package service.core.port;

import service.core.value.Ulid;

/** The session inside the writer's transaction. */
public interface WriteSession extends GraphSession {
    /** A fresh id, greater than every id given in this graph before, for entities that bring none. */
    Ulid nextId();

    /** The writer's clock, microseconds since the epoch, never behind the last event's. */
    long nowMicros();
}
