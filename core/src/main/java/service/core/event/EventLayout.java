package service.core.event;

/** Where things lie in an event's bytes: the drawing is in {@link EventCodec}, and every number of it is here. */
final class EventLayout {
    static final int MAGIC = 0x544E5645;
    static final int VERSION = 1;

    static final int AT_VERSION = 4;
    static final int AT_TYPE = 6;
    static final int AT_FLAGS = 7;
    static final int AT_LENGTH = 8;
    static final int AT_HEADER_LENGTH = 12;
    static final int AT_CHANGE_COUNT = 16;
    static final int AT_RESERVED = 20;
    static final int AT_OFFSET = 24;
    static final int AT_TIME = 32;
    static final int AT_PREVIOUS_HASH = 40;
    static final int AT_BODY = 72;

    static final int AT_COMMIT_INCARNATION = 76;
    static final int AT_COMMIT_ID = 104;
    static final int AT_COMMIT_PARENT = 120;
    static final int AT_COMMIT_MERGED_PARENT = 136;
    static final int AT_COMMIT_BRANCH = 152;

    /** Source, digest and identities, each behind its length; the steps follow. */
    static final int SCHEMA_PARTS = 3;

    static final int HASH_BYTES = 32;
    static final int CRC_BYTES = 4;
    static final int TRAILER_BYTES = HASH_BYTES + CRC_BYTES;
    static final int LENGTH_MIN = AT_BODY + CRC_BYTES + TRAILER_BYTES;

    static final int TYPE_COMMIT = 1;
    static final int TYPE_BRANCH_CREATED = 2;
    static final int TYPE_BRANCH_DELETED = 3;
    static final int TYPE_BRANCH_FAST_FORWARDED = 4;
    static final int TYPE_WRITE_REMEMBERED = 5;

    static final int FLAG_ACTOR = 1;
    static final int FLAG_IDEMPOTENCY = 1 << 1;
    static final int FLAG_PARENT = 1 << 2;
    static final int FLAG_MERGED_PARENT = 1 << 3;
    static final int FLAG_SCHEMA = 1 << 4;

    static final int CHANGE_AT_FLAGS = 4;
    static final int CHANGE_AT_ID_LENGTH = 6;
    static final int CHANGE_AT_TYPE = 8;
    static final int CHANGE_AT_ID = 12;
    static final int CHANGE_EDGE = 1;
    static final int CHANGE_BEFORE = 1 << 1;
    static final int CHANGE_AFTER = 1 << 2;

    private EventLayout() {}
}
