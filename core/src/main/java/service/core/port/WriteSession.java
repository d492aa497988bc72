package service.core.port;

import service.core.value.Ulid;

/** The session inside the writer's transaction. */
public interface WriteSession extends GraphSession {
    /** A new id, greater than every id made in this graph before, for entities without one. */
    Ulid nextId();

    /** The writer's clock, microseconds since the epoch, never before the last event's time. */
    long nowMicros();
}
