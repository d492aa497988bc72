package service.core.event;

import java.util.Locale;

/** The kind of write that made a commit. The ordinal is part of the byte layout: append only. */
public enum CommitKind {
    GENESIS,
    MUTATION,
    LOAD,
    MERGE,
    SCHEMA;

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
