package service.core.event;

import org.jspecify.annotations.Nullable;
import service.core.error.StoredDamage;

/**
 * The bytes at an offset of a log are not an event that this version can read. The graph must not be served; no part of
 * the event is used.
 */
public final class EventFormatException extends RuntimeException implements StoredDamage {
    private static final long serialVersionUID = 1L;

    /** The kinds of faults, each with its remedy. */
    public enum Kind {
        /** The bytes differ from those that were written: restore from a backup. */
        DAMAGED("is damaged: restore the graph from a backup"),
        /** Written by a version whose layout is no longer supported. */
        TOO_OLD("is too old for this version: upgrade step by step"),
        /** Cleanup has removed its changes; the base image contains their effect. */
        RECLAIMED("has lost its changes to cleanup: start from the base image"),
        /** Written by a newer version. */
        TOO_NEW("is too new for this version: open the graph with the version that wrote it");

        private final String sentence;

        Kind(String sentence) {
            this.sentence = sentence;
        }
    }

    private final Kind kind;
    private final long offset;

    public EventFormatException(Kind kind, long offset, String finding) {
        super("the event at offset " + offset + " " + kind.sentence + " (" + finding + ")");
        this.kind = kind;
        this.offset = offset;
    }

    public static EventFormatException damaged(long offset, String finding) {
        return new EventFormatException(Kind.DAMAGED, offset, finding);
    }

    @Override
    public @Nullable String damage() {
        return kind == Kind.DAMAGED ? getMessage() : null;
    }

    public Kind kind() {
        return kind;
    }

    /** The offset of the event in its log. */
    public long offset() {
        return offset;
    }
}
