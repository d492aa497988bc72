package service.core.event;

import java.util.Locale;

/** The kind of write that made a commit. The ordinal is part of the byte layout: append only. */
public enum CommitKind {
    GENESIS,
    MUTATION,
    LOAD,
    MERGE,
    SCHEMA,
    /** Takes back what another commit has changed. */
    REVERT,
    /** Gives a branch the state of another commit. */
    RESTORE,
    /** Makes the changes of another commit. */
    PICK;

    /** Whether the commit is made of another one, which it names. */
    public boolean isOfCommit() {
        return switch (this) {
            case REVERT, RESTORE, PICK -> true;
            case GENESIS, MUTATION, LOAD, MERGE, SCHEMA -> false;
        };
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
